import json
from pathlib import Path

from benchmarks import figures


def test_a_run_replaces_only_its_own_figures(tmp_path: Path) -> None:
    path = tmp_path / "results.json"
    figures.save(path, {"speed": {"ratio": 8}, "advice": [1]}, quick=False)
    figures.save(path, {"advice": [2]}, quick=False)
    figures.save(path, {"speed": {"ratio": 3}}, quick=True)
    expected = {"advice": [2], "speed": {"ratio": 8}, "quick speed": {"ratio": 3}}
    assert json.loads(path.read_text()) == expected
    assert [file.name for file in tmp_path.iterdir()] == ["results.json"]
