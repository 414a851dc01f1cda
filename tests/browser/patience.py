"""Waiting while a page shows a thing twice.

While Streamlit draws a page anew, what was there before stands beside what replaces it for a moment. Playwright waits
for whatever is not there yet, but gives up at once on what is there twice. A person just looks again.
"""

import time
from collections.abc import Callable
from typing import Any, cast, overload

from playwright.sync_api import Error as PlaywrightError
from playwright.sync_api import Locator, LocatorAssertions, Page, PageAssertions
from playwright.sync_api import expect as expect_at_once

TIMEOUT = 300_000  # milliseconds; training included, on a machine whose cores are busy many times over
DOUBLED = "strict mode violation"
MOMENT = 50  # milliseconds


@overload
def expect(found: Locator) -> LocatorAssertions: ...
@overload
def expect(found: Page) -> PageAssertions: ...
def expect(found: Locator | Page) -> LocatorAssertions | PageAssertions:
    """Playwright's own, but for patience."""
    if isinstance(found, Page):
        return expect_at_once(found)
    return cast("LocatorAssertions", _PatientAssertions(found))


class _PatientAssertions:
    def __init__(self, found: Locator) -> None:
        self._found = found

    def __getattr__(self, name: str) -> Callable[..., None]:
        def check(*args: Any, **options: Any) -> None:
            once_single(self._found.page, lambda: getattr(expect_at_once(self._found), name)(*args, **options))

        return check


def once_single(page: Page, step: Callable[[], None]) -> None:
    """Do it as soon as what it is about is there only once."""
    deadline = time.monotonic() + TIMEOUT / 1000
    while True:
        try:
            return step()
        except (PlaywrightError, AssertionError) as error:
            if DOUBLED not in str(error) or time.monotonic() > deadline:
                raise
        page.wait_for_timeout(MOMENT)
