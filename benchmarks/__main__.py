"""`python -m benchmarks [NAME ...] [--help]`."""

import argparse
from pathlib import Path

from benchmarks import (
    advice,
    carry_over,
    certificates,
    cluster,
    dashboard,
    directions,
    exports,
    fairness,
    figures,
    peer,
    pricing,
    quality,
    reasons,
    reports,
    speed,
    suggestions,
    surrogate,
    team,
)

BENCHMARKS = {
    "speed": speed.run,
    "quality": quality.run,
    "peer": peer.run,
    "certificates": certificates.run,
    "pricing": pricing.run,
    "fairness": fairness.run,
    "carry-over": carry_over.run,
    "reasons": reasons.run,
    "advice": advice.run,
    "directions": directions.run,
    "suggestions": suggestions.run,
    "exports": exports.run,
    "surrogate": surrogate.run,
    "reports": reports.run,
    "dashboard": dashboard.run,
    "cluster": cluster.run,
    "team": team.run,
}


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("which", nargs="*", choices=[[], *BENCHMARKS], default=[], help="what to run (default speed)")
    parser.add_argument("--quick", action="store_true", help="about a minute: fewer tables and repeats")
    parser.add_argument("--data", type=Path, default=None, help="a folder with the paper's data sets")
    parser.add_argument("--save", type=Path, default=Path("benchmarks/results.json"), help="where to keep the figures")
    options = parser.parse_args()
    for name in options.which or ["speed"]:
        figures.save(options.save, {name: BENCHMARKS[name](options.data, options.quick)}, quick=options.quick)
    print(f"\nFigures saved to {options.save}")


main()
