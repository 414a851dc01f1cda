"""Every kind of suggestion can be told on the command line and on the page."""

from dataclasses import fields
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from rugboard.setup.suggestions_view import TITLES
from rugcore.cli import main
from rugcore.cli.dictionaries import WORDS, in_words
from rugcore.dictionary import SUGGESTION_ORDER, ColumnEntry, Suggestion

# A value as `suggest` would make it, for every field of an entry that could be suggested.
SUGGESTED: dict[str, tuple[Any, str]] = {
    "protected": (True, "protected yes"),
    "left_out": (True, "left out yes"),
    "special": ({-9.0: "code -9", 1e6: "code 1000000"}, "special codes -9, 1e+06"),
    "past_fact": (True, "past fact yes"),
    "effect": ("helps", "more of it helps"),
    "order": (("3+", "2", "1"), "from the worst to the best: 3+, 2, 1"),
    "values": ({"0": "no", "A1": "yes"}, "values 0 = no, A1 = yes"),
    "lowest": (0.0, "lowest 0"),
    "label": ("a b", "label a b"),
}


@pytest.mark.parametrize("what", SUGGESTION_ORDER)
def test_every_kind_of_suggestion_is_told(what: Any) -> None:
    assert what in {item.name for item in fields(ColumnEntry)}
    assert what in TITLES
    assert what in WORDS
    value, words = SUGGESTED[what]
    assert in_words(Suggestion("x", what, value, "")) == f"x: {words}"


def test_orders_and_meanings_of_text_codes_are_printed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table = pd.DataFrame({"savings": ["low", "medium", "high"] * 40, "flag": [0, 1, 1, 0] * 30, "ok": ["y", "n"] * 60})
    table.to_csv(tmp_path / "t.csv", index=False)
    assert main(["dictionary", str(tmp_path / "t.csv"), "--target", "ok", "--favourable", "y"]) == 0
    said = capsys.readouterr().out
    assert "savings: from the worst to the best: low, medium, high" in said
    assert "flag: values 0 = no, 1 = yes" in said
