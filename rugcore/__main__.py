"""`python -m rugcore`."""

import sys

from rugcore.cli import main

sys.exit(main())
