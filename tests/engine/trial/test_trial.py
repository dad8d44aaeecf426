"""`python -m engine trial`: the file, the checks, resuming, and what it says of the figures."""

from __future__ import annotations

import json
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from engine import Engine, SamplingParams
from engine.batch.results import OutputError
from engine.bench.random_models import write_model
from engine.cli.main import main
from engine.sandbox import python_cell
from engine.sandbox.protocol import CHECK, Limits
from engine.trial.checks import Checker, Verdict
from engine.trial.figures import Difference, difference, share
from engine.trial.judging import Case, digest, question
from engine.trial.plan import Check, PlanError, Prompt, Trial, check_of, parsed, read
from engine.trial.report import Cell, Table, opened, told_difference
from engine.trial.run import Records, Run
from tests.engine.adapters import write_adapter
from tests.engine.families import FAMILIES

ROOT = Path(__file__).resolve().parents[3]

# z = stats.norm.ppf(.975); stats.binomtest(k, n).proportion_ci(.95, method="wilson") of scipy 1.17
WILSON = {
    (37, 40): (0.8013576648, 0.9741639742),
    (0, 40): (0.0, 0.0876216012),
    (40, 40): (0.9123783988, 1.0),
    (3, 7): (0.1582198553, 0.7495416355),
    (512, 1000): (0.4810325544, 0.5428756034),
}
# By optimize.brentq where (gained - lost - n d) / sqrt(n (2 q + d (1 - d))) is z and -z, with the q
# at which optimize.minimize_scalar finds the most likely gained log(q + d) + lost log(q) +
# (n - gained - lost) log(1 - 2 q - d); p of stats.binomtest(lost, lost + gained).
PAIRED = {
    (3, 0, 40): (-0.198642, 0.019193, 0.25),
    (4, 1, 40): (-0.211385, 0.046564, 0.375),
    (9, 15, 200): (-0.019231, 0.081715, 0.3074562550),
    (0, 0, 25): (-0.133192, 0.133192, 1.0),
    (1, 20, 30): (0.386674, 0.790438, 0.0000209808),
    (5, 5, 12): (-0.460303, 0.460303, 1.0),
}


def pairs(lost: int, gained: int, of: int) -> list[tuple[bool, bool]]:
    same = of - lost - gained
    return [(True, False)] * lost + [(False, True)] * gained + [(True, True)] * same


def test_shares_and_differences_are_those_of_scipy() -> None:
    for (passed, of), edges in WILSON.items():
        found = share(passed, of)
        assert (found.low, found.high) == pytest.approx(edges, abs=1e-9)
    for (lost, gained, of), (low, high, p) in PAIRED.items():
        told = difference([*pairs(lost, gained, of), (None, True), (False, None)])
        assert (told.lost, told.gained, told.of) == (lost, gained, of)
        assert (told.low, told.high, told.p) == pytest.approx((low, high, p), abs=2e-6)
    assert difference([]) == Difference(0, 0, 0, -1.0, 1.0, 1.0)
    assert (share(0, 0).low, share(0, 0).high) == (0.0, 1.0)
    for lost, gained in ((5, 0), (0, 5), (1, 0), (0, 1), (3000, 2900)):
        told = difference(pairs(lost, gained, lost + gained))
        assert -1 <= told.low <= (gained - lost) / told.of <= told.high <= 1
        assert 0 <= told.p <= 1
    assert told_difference(difference(pairs(4, 1, 40))) == (
        "loses 4 and gains 1 of 40: 3 fewer (8 fewer to 2 more), p = 0.38"
    )


def test_a_file_says_what_is_asked_and_what_is_wrong_with_it(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text('prompt,expected\n"one, two",2\nthree,\n')
    (tmp_path / "b.jsonl").write_text('{"messages": [{"role": "user", "content": "four"}]}\n')
    (tmp_path / "c.txt").write_text("five\n\nsix\n")
    (tmp_path / "small").mkdir()
    path = tmp_path / "trial.toml"
    path.write_text(
        'temperature = 0.5\nprompts = ["a.csv", "b.jsonl", "c.txt", "Is a.txt?", "seven"]\n'
        'checks = [{contains = "{expected}"}]\n'
        '[[variants]]\nmodel = "small"\n[[variants]]\nname = "hot"\ntemperature = 1.5\n'
        "kv_bits = 8\n"
    )
    trial = read(path, "guide")
    asked = ["one, two", "three", "four", "five", "six", "Is a.txt?", "seven"]
    assert [prompt.text for prompt in trial.prompts] == asked
    assert trial.prompts[0].expected == "2"
    assert [v.model for v in trial.variants] == [str(tmp_path / "small"), "guide"]
    assert [v.sampling["temperature"] for v in trial.variants] == [0.5, 1.5]
    assert (trial.variants[1].kv_bits, trial.reproducible) == (8, True)
    bad: dict[str, dict[str, Any]] = {
        "did you mean 'prompts'": {"prompt": "a"},
        "needs prompts": {},
        "variants are called 'x'": {"prompts": ["a"], "variants": [{"name": "x"}, {"name": "x"}]},
        "prompts are called '1'": {"prompts": ["a", {"prompt": "b", "id": 1}]},
        "top_p must be": {"prompts": ["a"], "variants": [{"top_p": 2}]},
        "kv_bits must be 8 or 4": {"prompts": ["a"], "kv_bits": 3},
        "prompt 1: give either": {"prompts": [{"id": "a"}]},
        "with one of contains": {"prompts": ["a"], "checks": [{"contain": "a"}]},
        "no variant 'y'": {"prompts": ["a"], "checks": [{"judge": "nice", "against": "y"}]},
        "contains cannot be": {"prompts": ["a"], "checks": [{"contains": []}]},
        "has no field 'model'": {"prompts": ["a"], "checks": [{"equals": "a", "model": "b"}]},
        "reproducible cannot be 'no'": {"prompts": ["a"], "reproducible": "no"},
    }
    for words, told in bad.items():
        with pytest.raises(PlanError, match=re.escape(words)):
            parsed(told, "guide")
    for name, content in (("a.toml", b"a = ["), ("b.json", b"[" * 5000), ("c.toml", b"\xff")):
        (tmp_path / name).write_bytes(content)
        with pytest.raises(PlanError, match="cannot be read"):
            read(tmp_path / name, "guide")


PASSED: list[tuple[dict[str, Any], str, bool | None]] = [
    ({"contains": "Paris"}, "It is Paris.", True),
    ({"contains": ["Paris", "Rome"]}, "It is Paris.", False),
    ({"contains": "{expected}", "ignore_case": True}, "it is a.b", True),
    ({"equals": "{expected}"}, " A.b\n", True),
    ({"equals": "a.b"}, "A.b", False),
    ({"contains": "x", "not": True}, "abc", True),
    ({"regex": "^{expected}$"}, "A.b", True),
    ({"regex": "^{expected}$"}, "Axb", False),
    ({"regex": "("}, "a", None),
    ({"regex": "(a+)+$"}, "a" * 60 + "b", None),  # would take as long as the universe is old
    ({"regex": "b$", "not": True}, "ab", False),
    ({"json_schema": {"type": "object", "required": ["a"]}}, '```json\n{"a": 1}\n```', True),
    ({"json_schema": {"type": "object"}}, "[1]", False),
    ({"json_schema": {"type": "object"}}, "[" * 100_000, False),
    ({"json_schema": {"type": "nonsense"}}, "{}", None),
    ({"json_schema": {"$ref": "http://127.0.0.1:9/a.json"}}, "{}", None),
    ({"json_schema": {"type": "string", "pattern": "(a+)+$"}}, f'"{"a" * 60}b"', None),
]


def test_checks_pass_fail_or_stay_undecided_whatever_is_in_them() -> None:
    prompt = Prompt("1", "ask", expected="A.b")
    with Checker(Limits(0.5, CHECK.memory, CHECK.output)) as checker:
        for told, answer, passed in PASSED:
            found = checker.verdict(check_of(told, ()), prompt, answer)
            assert found.passed is passed, (told, found)
            assert found.why or passed


@pytest.mark.skipif(python_cell.confined() is None, reason="this system has no bubblewrap")
def test_python_judges_in_its_child() -> None:
    prompt = Prompt("1", "ask", expected="4")
    with Checker() as checker:
        for code, answer, passed in (
            ("int(answer) == int(expected)", "4", True),
            ("int(answer) == int(expected)", "four", False),
            ("print('x' * 9)\npassed = '{' in answer", "{\"'", True),
            ("open('/etc/passwd')", "", False),
            ("exec(answer)", "import os; os._exit(0)", False),
        ):
            found = checker.verdict(Check("python", code), prompt, answer)
            assert found.passed is passed, (code, found)


def test_python_is_undecided_where_it_cannot_be_confined(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda name: None)
    found = Checker().verdict(Check("python", "True"), Prompt("1", "ask"), "")
    assert found.passed is None
    assert "safely" in found.why


KILLED = """
import os, signal, sys
from engine.cli.main import main
from engine.trial.run import Records
put, left = Records.put, list(range(int(sys.argv.pop(1))))
def killed(records, key, content):
    put(records, key, content)
    left.pop()
    if not left:
        os.kill(os.getpid(), signal.SIGKILL)
Records.put = killed
main(sys.argv[1:])
"""


def test_killed_twice_the_table_is_that_of_an_unbroken_run(
    model_folder: Callable[[str], Path], tmp_path: Path
) -> None:
    path = tmp_path / "trial.toml"
    plain = model_folder("plain")
    path.write_text(
        f'max_tokens = 6\njudge = "{plain}"\nprompts = ["one", "two", "three", "four"]\n'
        'checks = [{regex = "[aeiou]"}, {judge = "It is short.", against = "hot"}]\n'
        f'[[variants]]\nname = "cold"\nmodel = "{plain}"\ntemperature = 0.0\n'
        f'[[variants]]\nname = "hot"\nmodel = "{plain}"\ntemperature = 1.5\nseed = 3\n'
    )
    command = ["trial", str(path), "--concurrency", "3", "--out"]
    broken, whole = tmp_path / "broken", tmp_path / "whole"
    for count in (3, 7):  # among the answers, and among the judgings
        child = [sys.executable, "-c", KILLED, str(count), *command, str(broken)]
        assert subprocess.run(child, cwd=ROOT, check=False).returncode == -signal.SIGKILL
        with (broken / "answers.jsonl").open("ab") as file:
            file.write(b'{"key": "half')
        left = opened(broken, "guide")  # the window goes on from there
        assert left.trial == read(path, "guide")
        assert left.cells
    assert main([*command, str(broken)]) == 0
    assert main([*command, str(whole)]) == 0
    for name in ("table.json", "table.csv", "table.html"):
        assert (broken / name).read_bytes() == (whole / name).read_bytes()
    keys = [
        json.loads(line)["key"] for line in (broken / "answers.jsonl").read_bytes().splitlines()
    ]
    assert len(keys) == len(set(keys)) == 8 + 4  # no answer, and no judging, was asked for twice
    with pytest.raises(OutputError, match="something else"):
        Records(whole / "table.csv")


def test_what_is_new_is_asked_and_a_judge_is_asked_in_both_orders(
    engine: Engine, model_folder: Callable[[str], Path], tmp_path: Path
) -> None:
    model = str(model_folder("plain"))
    told: dict[str, Any] = {
        "prompts": ["one", {"prompt": "x" * 300, "system": "Be brief."}],
        "checks": [{"judge": "It is polite."}, {"eye": True}],
        "variants": [{"name": "a"}, {"name": "b", "seed": 1}],
        "max_tokens": 6,
    }
    steps: list[tuple[int, int]] = []

    def play(records: Records) -> tuple[Run, Table]:
        run = Run(engine, parsed(told, model), records, told=lambda *at: steps.append(at))
        return run, run.run()

    with Records(tmp_path / "answers") as records:
        first, table = play(records)
        assert first.fresh == 4
        assert steps[-1] == (8, 8)
        told["prompts"].append({"prompt": "two", "checks": [{"equals": "never"}]})
        told["prompts"].append({"messages": [{"role": "user", "content": 5}]})
        second, table = play(records)
        assert second.fresh == 4
        failed = table.cell("b", "4")
        assert "Message 1 must look like" in failed.error
        assert failed.passed is False
        assert table.cell("a", "1").passed is None  # nobody has looked
        assert table.share("a").of == 2
        records.put(digest("eye", "one", table.cell("a", "1").text), {"passed": False, "why": ""})
        third, table = play(records)
        assert third.fresh == 0
        assert table.cell("a", "1").passed is False
        cell = table.cell("b", "1")
        params = SamplingParams(max_tokens=8, temperature=0.0, seed=0, choices=("A", "B"))
        chat = engine.open_session(engine.load(model))
        prompt = table.trial.prompts[0]
        case = Case(check_of({"judge": "It is polite."}, ()), prompt, cell.text)
        texts = [question(case, swapped=way) for way in (False, True)]
        said = [chat.send([{"role": "user", "content": t}], params).text(60) for t in texts]
        wanted = {("A", "B"): True, ("B", "A"): False}.get((said[0], said[1]))
        assert cell.verdicts["judge It is polite."].passed is wanted


def test_an_adapter_and_kv_bits_are_columns_and_the_results_are_opened_again(
    engine: Engine, tmp_path: Path
) -> None:
    base = write_model(tmp_path / "base", FAMILIES["plain"] | {"hidden_size": 128, "head_dim": 32})
    write_adapter(tmp_path / "mine", base)
    path = tmp_path / "trial.toml"
    asked = "Say all of it again, from the beginning to the end. " * 12
    path.write_text(
        f'model = "{base}"\nmax_tokens = 12\ntemperature = 0.0\n'
        f'prompts = ["{asked}", {{prompt = "two", id = "b", expected = "x", system = ""}}]\n'
        'checks = [{contains = ["a", "{expected}"], ignore_case = true, not = true}]\n'
        '[[variants]]\nname = "base"\n[[variants]]\nname = "mine"\nadapter = "mine"\n'
        '[[variants]]\nname = "few bits"\nkv_bits = 4\nsystem = "Be brief."\nreasoning = false\n'
    )
    trial = read(path, "guide")
    assert parsed(json.loads(json.dumps(trial.told())), "other") == trial
    assert main(["trial", str(path)]) == 0
    found = opened(path, "guide")
    assert found.trial == trial
    for prompt in trial.prompts:
        for name, adapter, more, own in (
            ("base", None, {}, None),
            ("mine", tmp_path / "mine", {}, None),
            ("few bits", None, {"kv_bits": 4, "reasoning": False}, "Be brief."),
        ):
            system = own if prompt.system is None else prompt.system
            chat = engine.open_session(
                engine.load(base, adapter), system=system, reproducible=True, **more
            )
            params = SamplingParams(max_tokens=12, temperature=0.0, seed=0)
            said = chat.send([{"role": "user", "content": prompt.asked}], params).text(60)
            assert found.cell(name, prompt.id).text == said
    assert found.cell("base", "1").text != found.cell("mine", "1").text

    # From the folder, and from the file of which a name and a variant have become others.
    results = tmp_path / "trial-results"
    assert opened(results, "guide").cells.keys() == found.cells.keys()
    path.write_text(
        path.read_text().replace('"base"', '"first"').replace("kv_bits = 4", "seed = 1")
    )
    again = opened(path, "guide")
    assert set(again.cells) == {(name, id_) for name in ("first", "mine") for id_ in ("1", "b")}
    for damaged in (b"", b"[]", b'{"trial": {"prompts": 5}}', b"[" * 9000, b"{}"):
        (results / "table.json").write_bytes(damaged)
        assert opened(path, "guide").cells == {}
        with pytest.raises(PlanError):
            opened(results, "guide")
    told = json.loads(found.to_json())
    for part in (
        [],
        [5],
        [{"id": "1", "answers": 5}],
        [{"id": "1", "answers": {"base": {"text": 5}}}],
    ):
        (results / "table.json").write_text(json.dumps(told | {"prompts": part}))
        assert opened(results, "guide").cells == {}


def test_what_a_model_says_is_text_in_every_export() -> None:
    trial = Trial("<b>", (Prompt("1", "=1+1"),), parsed({"prompts": ["a"]}, "m").variants)
    bad = Cell({"text": "<script>\u2028=2\ud800"}, {"equals x": Verdict(False, "<i>")})
    table = Table(trial, {(trial.variants[0].name, "1"): bad})
    assert "<script>" not in table.to_html()
    assert "<b>" not in table.to_html().partition("<table")[0]
    assert ",'=1+1," in table.to_csv()
    assert json.loads(table.to_json())["prompts"][0]["answers"]["m"]["passed"] is False
    assert table.text() == "m: 0 of 1 pass (0 %, 0 to 79 %)"
