"""Self-test on complete and broken programs."""

from __future__ import annotations

import json
import logging
import subprocess
import sys
from pathlib import Path

import pytest

from app import __main__
from app.program import selftest


def run(*arguments: str, code: str = "") -> subprocess.CompletedProcess[str]:
    start = f"import sys; from app.__main__ import main\n{code}\nsys.exit(main(sys.argv[1:]))"
    return subprocess.run(
        [sys.executable, "-c", start, *arguments],
        check=False,
        capture_output=True,
        text=True,
        timeout=180,
    )


def test_selftest_passes_on_complete_program(tmp_path: Path) -> None:
    report, picture = tmp_path / "report.json", tmp_path / "window.png"
    short = "from app.program import selftest; selftest.MAX_ANSWER_TOKENS = 24"
    done = run("--self-test", "--json", str(report), "--picture", str(picture), code=short)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Everything works." in done.stdout
    told = json.loads(report.read_text())
    assert told["ok"]
    assert [c["name"] for c in told["checks"]] == [
        "start",
        "answers",
        "picture",
        "document",
        "store",
        "tool",
        "formula",
        "signature",
        "licences",
        "log",
    ]
    assert told["machine"]["backend"]["device"]
    assert picture.stat().st_size > 10_000


def test_selftest_fails_without_its_model(tmp_path: Path) -> None:
    report = tmp_path / "report.json"
    broken = (
        "from app.models import names; from pathlib import Path; "
        f"names.resources = lambda: Path({str(tmp_path)!r})"
    )
    done = run("--self-test", "--json", str(report), code=broken)
    assert done.returncode == 1, done.stdout
    told = json.loads(report.read_text())
    assert not told["ok"]
    assert told["checks"][-1]["name"] == "start"
    assert "Something does not work." in done.stdout


def test_selftest_log_names_missing_module() -> None:
    errors = selftest.LogErrors()
    log = logging.Logger("some part")
    log.addHandler(errors)
    assert errors.report() == "no errors"
    log.warning("slow today")
    assert errors.report() == "no errors"
    log.warning("No module named 'mlx_lm.models.llama'")
    with pytest.raises(RuntimeError, match="llama"):
        errors.report()


def test_program_runs_engine_commands(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        __main__.main(["batch", "--help"])
    assert ended.value.code == 0
    assert "usage: stretto batch" in capsys.readouterr().out
