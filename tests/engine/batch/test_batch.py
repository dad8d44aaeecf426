"""`python -m engine batch`: order, resuming, malformed lines and agreement with single requests."""

from __future__ import annotations

import errno
import json
import os
import pty
import random
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from engine import Engine, EngineError, Model, SamplingParams
from engine.batch import results
from engine.batch.requests import BatchRequest
from engine.batch.results import OutputError, ResultsFile, encode_record, percentile
from engine.batch.run import BatchAnswer, BatchRunner
from engine.cli.batch import INTERRUPTED
from engine.cli.main import main
from engine.errors import ENGINE_STOPPED
from engine.runtime import executor as execution
from engine.runtime.executor import Executor
from engine.runtime.plan import StepPlan
from engine.serve.sessions import SessionConfig
from tests.checked import PROGRAM
from tests.slices import examples
from tests.waiting import until

ROOT = Path(__file__).resolve().parents[3]
Lines = list[dict[str, Any]]


@pytest.fixture
def folder(model_folder: Callable[[str], Path]) -> Path:
    return model_folder("plain")


def write(path: Path, lines: Lines) -> Path:
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def read(path: Path) -> Lines:
    return [json.loads(line) for line in path.read_text().splitlines()]


def arguments(folder: Path, source: Path, target: Path, *options: str) -> list[str]:
    return ["batch", str(source), str(target), "--model", str(folder), *options]


def prompts(count: int, first: int = 120) -> Lines:
    bias = {"2": -1e9}  # suppress EOS so that replies reach their full length
    return [
        {"prompt": f"say {i}", "max_tokens": 5 + i % 7 if i else first, "logit_bias": bias}
        for i in range(count)
    ]


def test_batch_answers_are_ordered_and_match_single_requests(folder: Path, tmp_path: Path) -> None:
    source = write(tmp_path / "in.jsonl", prompts(20))
    assert main(arguments(folder, source, tmp_path / "eight", "--concurrency", "8")) == 0
    assert main(arguments(folder, source, tmp_path / "one", "--concurrency", "1")) == 0
    assert (tmp_path / "eight").read_bytes() == (tmp_path / "one").read_bytes()
    found = read(tmp_path / "eight")
    assert [r["line"] for r in found] == list(range(1, 21))
    assert [r["generated_tokens"] for r in found] == [120, *(5 + i % 7 for i in range(1, 20))]
    assert len({r["text"] for r in found}) > 15
    assert {path.name for path in tmp_path.iterdir()} == {"in.jsonl", "eight", "one"}


def test_line_seeds_derive_from_given_seed(folder: Path, tmp_path: Path) -> None:
    same = {"prompt": "la", "max_tokens": 12, "temperature": 1.2}
    source = write(tmp_path / "in.jsonl", [same, same, {**same, "seed": 7}])
    for name, seed in (("a", "5"), ("b", "5"), ("c", "6")):
        main(arguments(folder, source, tmp_path / name, "--seed", seed))
    a, b, c = (read(tmp_path / name) for name in "abc")
    assert a == b
    assert a[0]["text"] != a[1]["text"]
    assert [x["seed"] != y["seed"] for x, y in zip(a, c, strict=True)] == [True, True, False]
    assert a[2]["seed"] == 7
    with Engine() as engine:  # each line can also be sent individually
        chat = engine.open_session(engine.load(folder))
        params = SamplingParams(max_tokens=12, temperature=1.2, seed=a[1]["seed"])
        assert chat.send("la", params).text(60) == a[1]["text"]


KILLED = """
import os, signal, sys
from engine.batch.results import ResultsFile
from engine.cli.main import main
from tests import checked
write, left = ResultsFile.write, list(range(5))
def killed(results, line, raw):
    write(results, line, raw)
    left.pop()
    if not left:
        os.kill(os.getpid(), signal.SIGKILL)
ResultsFile.write = killed
checked.once()
main(sys.argv[1:])
"""


def test_killed_run_resumes_without_losing_a_line(folder: Path, tmp_path: Path) -> None:
    source = write(tmp_path / "in.jsonl", prompts(24))
    target = tmp_path / "out.jsonl"
    command = arguments(folder, source, target, "--concurrency", "4")
    child = subprocess.run([sys.executable, "-c", KILLED, *command], cwd=ROOT, check=False)
    assert child.returncode == -signal.SIGKILL
    assert target.read_bytes().count(b"\n") == 5
    with target.open("ab") as file:
        file.write(b'{"line": 1, "id": null, "text": "half')
    figures = tmp_path / "figures.json"
    assert main([*command, "--json", str(figures)]) == 0
    counted = json.loads(figures.read_text())
    assert (counted["done_before"], counted["answered"]) == (5, 19)
    assert main(arguments(folder, source, tmp_path / "whole", "--concurrency", "4")) == 0
    assert target.read_bytes() == (tmp_path / "whole").read_bytes()


def test_interrupted_run_keeps_answers(folder: Path, tmp_path: Path) -> None:
    source = write(tmp_path / "in.jsonl", [*prompts(6, first=8), *prompts(1, first=8000)])
    target = tmp_path / "out.jsonl"
    command = arguments(folder, source, target, "--concurrency", "3")
    # Shells make background jobs ignore SIGINT, and child processes inherit that.
    before = signal.signal(signal.SIGINT, signal.SIG_DFL)
    child = subprocess.Popen([*PROGRAM, *command], cwd=ROOT, stderr=subprocess.PIPE, text=True)
    signal.signal(signal.SIGINT, before)
    until(lambda: target.exists() and target.read_bytes().count(b"\n") >= 6, 120)
    child.send_signal(signal.SIGINT)
    _, said = child.communicate(timeout=60)
    assert child.returncode == 130
    assert "same command again to continue" in said
    assert "6 answered, 0 failed, 1 not done" in said
    assert "Traceback" not in said
    assert len(read(target)) == 6


def test_interrupt_during_a_write_keeps_the_record(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    append, target = results._append, tmp_path / "out.jsonl"

    def interrupted(file: int, data: bytes) -> None:
        append(file, data)
        if target.read_bytes().count(b"\n") == 3:
            signal.raise_signal(signal.SIGTERM)

    monkeypatch.setattr(results, "_append", interrupted)
    lines = [{**prompts(1)[0], "max_tokens": tokens} for tokens in (30, 12, 3, 8000)]
    source = write(tmp_path / "in.jsonl", lines)
    assert main(arguments(folder, source, target, "--concurrency", "3")) == INTERRUPTED
    assert [record["line"] for record in read(target)] == [1, 2, 3]
    assert "3 answered, 0 failed, 1 not done" in capfd.readouterr().err


def test_invalid_line_fails_alone(
    folder: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    bad: dict[bytes, str] = {
        b"{nonsense": "not valid JSON",
        b"[1, 2]": "JSON object",
        b'{"prompt": "a", "temperature": NaN}': "NaN",
        b'{"prompt": "a", "top_p": 2}': "top_p must be a number from 0 to 1",
        b'{"prompt": ""}': "prompt must be a non-empty string",
        b'{"prompt": "a", "messages": []}': "either",
        b'{"messages": []}': "non-empty list",
        b'{"messages": [{"role": "user", "content": 5}]}': "Message 1 must look like",
        b'{"prompt": "a", "logit_bias": {"x": 1}}': "logit_bias",
        b'{"prompt": "a", "regex": "("}': "regex",
        b'{"prompt": "a", "id": [1]}': "an id must be",
        b'{"prompt": "a", "id": "first"}': "is already used in line 1",
        b'{"prompt": "a", "seed": 1.5}': "seed must be",
        b'{"prompt": "a", "reasoning": "yes"}': "reasoning must be",
        b"\xff\xfe": "JSON",
        b'{"custom_id": "w", "body": {"messages": []}}': "messages must be a non-empty list",
        b'{"custom_id": "x", "body": {"messages": [{"role": "user"}], "tools": [{}]}}': "tools[0]",
        b'{"custom_id": "y", "url": "/v1/embeddings", "body": {}}': "only POST",
    }
    good = b'{"prompt": "a", "max_tokens": 3, "id": "first"}\n'
    last = b'{"prompt": "z", "max_tokens": 3, "id": 2}'  # no trailing newline
    source = tmp_path / "in.jsonl"
    source.write_bytes(b"\xef\xbb\xbf" + good + b"\n  \n" + b"\n".join([*bad, last]))
    target = tmp_path / "out.jsonl"
    assert main(arguments(folder, source, target)) == 1
    first, *middle, end = read(target)
    assert (first["line"], first["id"], end["line"], end["id"]) == (1, "first", 4 + len(bad), 2)
    assert "error" not in first
    assert "error" not in end
    said = capfd.readouterr().err
    for number, (entry, why) in enumerate(zip(middle, bad.values(), strict=True), 4):
        assert entry["line"] == number
        assert why in entry["error"]["message"], entry
        assert f"line {number}: {entry['error']['message']}" in said
    assert f"2 answered, {len(bad)} failed" in said


def test_unknown_fields_are_listed(
    folder: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    body = {"messages": [{"role": "user", "content": "a"}], "system": "x", "user": "u"}
    lines = [
        {"prompt": "a", "n_predict": 3, "temprature": 1, "thread": {"id": 1}, "stop": ""},
        {"custom_id": "b", "trace": 1, "body": {**body, "max_new_tokens": 3, "zeta": [1]}},
    ]
    target = tmp_path / "out.jsonl"
    assert main(arguments(folder, write(tmp_path / "in.jsonl", lines), target)) == 0
    first, second = read(target)
    assert first["generated_tokens"] <= 3
    assert second["response"]["body"]["usage"]["completion_tokens"] <= 3
    said = capfd.readouterr().err
    assert "ignored fields: system, temprature, thread, trace, zeta\n" in said


def test_failed_lines_are_retried_on_request(folder: Path, tmp_path: Path) -> None:
    lines = prompts(9, first=10)
    wrong = [*lines[:3], {"prompt": "x", "top_p": 9}, *lines[3:]]
    target = tmp_path / "out.jsonl"
    source = write(tmp_path / "in.jsonl", wrong)
    assert main(arguments(folder, source, target)) == 1
    assert main(arguments(folder, source, target)) == 1  # the same result again
    write(source, [*lines[:3], {"prompt": "x", "max_tokens": 4}, *lines[3:]])
    before = target.read_bytes()
    assert main(arguments(folder, source, target)) == 2  # the line has changed
    assert target.read_bytes() == before
    figures = tmp_path / "figures.json"
    again = arguments(folder, source, target, "--retry-failed", "--json", str(figures))
    assert main(again) == 0
    assert json.loads(figures.read_text())["answered"] == 1
    assert [r["line"] for r in read(target)] == list(range(1, 11))
    assert [r for r in read(target) if r["line"] != 4] == [
        r for r in map(json.loads, before.splitlines()) if r["line"] != 4
    ]


def test_openai_lines_get_openai_records(folder: Path, tmp_path: Path) -> None:
    body = {
        "model": "whatever",
        "messages": [
            {"role": "system", "content": "Be brief."},
            {
                "role": "user",
                "content": [{"type": "text", "text": "la "}, *([{"type": "text", "text": "li"}])],
            },
        ],
        "max_completion_tokens": 6,
        "temperature": 0,
        "logit_bias": {"2": -100},
        "stop": None,
    }
    envelope = {"custom_id": "r-1", "method": "POST", "url": "/v1/chat/completions"}
    plain = {"prompt": "la li", "system": "Be brief.", "max_tokens": 6, "temperature": 0}
    choice = {
        **body,
        "response_format": {
            "type": "json_schema",
            "json_schema": {
                "name": "n",
                "schema": {"type": "array", "items": {"type": "boolean"}, "maxItems": 2},
            },
        },
        "max_completion_tokens": 200,
        "logprobs": True,
    }
    source = write(
        tmp_path / "in.jsonl",
        [
            {**envelope, "body": body},
            {**plain, "logit_bias": {"2": -100}},
            {**envelope, "custom_id": "r-2", "body": choice},
            {**envelope, "custom_id": "r-3", "body": {**body, "n": 2}},
        ],
    )
    assert main(arguments(folder, source, tmp_path / "out")) == 1
    first, second, third, fourth = read(tmp_path / "out")
    assert first["custom_id"] == "r-1"
    assert first["error"] is None
    assert first["response"]["status_code"] == 200
    answer = first["response"]["body"]
    assert answer["object"] == "chat.completion"
    assert answer["choices"][0]["message"] == {"role": "assistant", "content": second["text"]}
    assert answer["choices"][0]["finish_reason"] == "length"
    assert answer["usage"]["completion_tokens"] == 6
    constrained = third["response"]["body"]["choices"][0]
    assert isinstance(json.loads(constrained["message"]["content"]), list)
    odds = constrained["logprobs"]["content"]
    assert "".join(token["token"] for token in odds) == constrained["message"]["content"]
    assert fourth["response"] is None
    assert "n must be 1" in fourth["error"]["message"]


@pytest.mark.parametrize(
    "content", ['{"prompt": "somebody\'s requests"}\n', "one line without an end", "\n\n", "x\n"]
)
def test_foreign_output_file_is_not_changed(
    folder: Path, tmp_path: Path, content: str, capfd: pytest.CaptureFixture[str]
) -> None:
    source = write(tmp_path / "in.jsonl", prompts(1, first=2))
    target = tmp_path / "precious.txt"
    target.write_text(content)
    assert main(arguments(folder, source, target)) == 2
    assert target.read_text() == content
    assert "Choose another output file" in capfd.readouterr().err


def test_failed_start_is_reported(
    folder: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    source = write(tmp_path / "in.jsonl", prompts(2, first=2))
    target = tmp_path / "out.jsonl"
    cases = [
        ((tmp_path / "none", target), (), "does not exist"),
        ((source, source), (), "is the input"),
        ((source, Path("/dev/null")), (), "is not a regular file"),
        ((source, tmp_path / "no" / "out"), (), "No such file or directory"),
        ((source, target), ("--temperature", "99"), "temperature must be"),
        ((source, target), ("--model", "/no/model"), "does not exist"),
    ]
    for (given, out), options, why in cases:
        assert main(arguments(folder, given, out, *options)) == 2
        assert why in capfd.readouterr().err
    assert main(arguments(folder, source, target)) == 0
    before = target.read_bytes()
    assert main(arguments(folder, source, target)) == 0  # nothing left to do
    assert main(arguments(folder, source, target, "--seed", "9")) == 2
    assert "have changed" in capfd.readouterr().err
    assert target.read_bytes() == before
    assert main(arguments(folder, source, target, "--seed", "9", "--restart")) == 0
    assert target.read_bytes() != before


def test_full_disk_loses_no_answer(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """Let a write fail in the middle of a record."""
    source = write(tmp_path / "in.jsonl", prompts(30, first=6))
    target = tmp_path / "out.jsonl"
    command = arguments(folder, source, target, "--concurrency", "4")
    left = 2_000

    def write_some(file: int, data: memoryview) -> int:
        nonlocal left
        if not left:
            raise OSError(errno.ENOSPC, "No space left on device")
        written = os.write(file, data[:left])
        left -= written
        return written

    with monkeypatch.context() as full:
        full.setattr(results, "os", SimpleNamespace(**{**vars(os), "write": write_some}))
        assert main(command) == 2
    said = capfd.readouterr().err
    assert "No space left" in said
    assert "same command again to continue" in said
    assert "Traceback" not in said
    kept = read(target)  # complete records only
    assert 1 <= len(kept) < 30
    assert main(command) == 0
    assert [r for r in read(target) if r in kept] == kept
    assert main(arguments(folder, source, tmp_path / "whole")) == 0
    assert target.read_bytes() == (tmp_path / "whole").read_bytes()


def test_output_file_is_locked(tmp_path: Path) -> None:
    first = ResultsFile(tmp_path / "out")
    with pytest.raises(OutputError, match="Another run"):
        ResultsFile(tmp_path / "out")
    first.close()
    ResultsFile(tmp_path / "out").close()


RAWS = {n: encode_record(n, f"r{n}", {"text": "ä\u2028\ud800" * n}) for n in (1, 2, 3, 4)}


def test_records_survive_interruption_at_any_byte(tmp_path: Path) -> None:
    path, written = tmp_path / "out", RAWS[3] + RAWS[1] + RAWS[2]
    ends = {3: len(RAWS[3]), 1: len(RAWS[3] + RAWS[1]), 2: len(written)}
    for cut in range(len(written) + 1):
        path.write_bytes(written[:cut])
        again = ResultsFile(path)
        assert set(again.known) == {n for n, end in ends.items() if cut >= end}
        assert again.check((n, f"r{n}") for n in RAWS) == 4
        for n in {*RAWS} - {*again.known}:
            again.write(n, RAWS[n])
        again.close()
        assert path.read_bytes() == b"".join(RAWS.values())
        assert list(tmp_path.iterdir()) == [path]


def test_sorting_keeps_link_and_mode(tmp_path: Path) -> None:
    path, link = tmp_path / "out", tmp_path / "link"
    path.touch(0o640)
    link.symlink_to(path)
    results = ResultsFile(link)
    for n in (2, 1):
        results.write(n, RAWS[n])
    results.close()
    assert path.read_bytes() == RAWS[1] + RAWS[2]
    assert link.is_symlink()
    assert path.stat().st_mode & 0o777 == 0o640


@pytest.fixture
def model(engine: Engine, folder: Path) -> Model:
    return engine.load(folder)


def requests(count: int, tokens: int) -> Iterator[BatchRequest]:
    params = SamplingParams(max_tokens=tokens, seed=1, logit_bias={2: -1e9})
    return (BatchRequest(n, None, f"word {n}", params) for n in range(1, count + 1))


def test_request_without_memory_waits_for_others(folder: Path) -> None:
    with Engine() as measuring:
        model = measuring.load(folder)
        per_token = 2 * 2 * 2 * 16 * 4  # layers, keys and values, heads, width, bytes
        room = model.nbytes + 3 * 300 * per_token
    answers: list[tuple[int, bool]] = []
    with Engine(memory_budget=room) as engine:
        model = engine.load(folder)
        BatchRunner(engine, model, 8).run(
            requests(6, 180), lambda r, a: answers.append((r.line, a.is_failure))
        )
        assert sorted(answers) == [(n, False) for n in range(1, 7)]
        answers.clear()
        BatchRunner(engine, model, 8).run(  # exceeds memory even when it runs alone
            requests(3, 1500), lambda r, a: answers.append((r.line, a.is_failure))
        )
    assert sorted(answers) == [(1, True), (2, True), (3, True)]


def test_stopped_engine_ends_run(engine: Engine, model: Model) -> None:
    answers: list[BatchAnswer] = []

    def stop_after_two(_: BatchRequest, answer: BatchAnswer) -> None:
        answers.append(answer)
        if len(answers) == 2:
            engine.stop()

    with pytest.raises(EngineError) as caught:
        BatchRunner(engine, model, 3).run(requests(50, 20), stop_after_two)
    assert caught.value.code == ENGINE_STOPPED
    assert 2 <= len(answers) < 50
    assert not any(a.is_failure for a in answers)


def test_line_that_breaks_engine_fails_alone(
    engine: Engine, model: Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    step = Executor.run

    def breaking(self: Executor, plan: StepPlan) -> execution.PlanResult:
        for session in self._state.sessions.values():
            if session.system == "break":
                raise RuntimeError("broken on purpose")
        return step(self, plan)

    monkeypatch.setattr(Executor, "run", breaking)
    few = SamplingParams(max_tokens=5, temperature=0.0, logit_bias={2: -1e9})
    lines = [
        BatchRequest(i, None, f"say {i}", few, SessionConfig("break" if i == 7 else None))
        for i in range(1, 21)
    ]
    answers: dict[int, BatchAnswer] = {}
    BatchRunner(engine, model, 4).run(iter(lines), lambda r, a: answers.update({r.line: a}))
    assert sorted(answers) == list(range(1, 21))
    assert [line for line, a in answers.items() if a.is_failure] == [7]
    assert "causes an engine failure" in answers[7].content["error"]["message"]


def odd_line(chosen: random.Random) -> bytes:
    values: list[Any] = [
        *(None, True, 0, -1, 1, 2, 0.5, 1e308, -1e-308, 2**63, 10**30, 10**400, "", "a", "\ud800"),
        *("\u202e\0", [], {}, [[]], {"a": {}}, ["a"], [0], {"5": 10**400}, {"5": 1}, {"x": "y"}),
        *([{"role": "user", "content": "x"}], [{"role": 5}], ["x"], "x" * 3000),
        *({"type": "json_object"}, {"type": "array", "items": {"$ref": "#"}}, {"$ref": "#"}),
    ]
    keys = ["prompt", "messages", "id", "system", "reasoning", "max_tokens", "temperature", "stop"]
    keys += ["top_p", "top_k", "min_p", "seed", "logit_bias", "json_schema", "regex", "choices"]
    keys += ["grammar", "repetition_penalty", "penalty_window", "xtc_probability", "nonsense"]
    entry: dict[str, Any] = {"prompt": "x", "max_tokens": 1, "logit_bias": {"2": -100}}
    for key in chosen.sample(keys, chosen.choice([0, 1, 1, 2, 2, 3, 3, 3, 3, 3])):
        entry[key] = chosen.choice(values)
    if isinstance(entry["max_tokens"], int) and not 0 <= entry["max_tokens"] <= 3:
        entry["max_tokens"] = 3  # keep replies short: -1 means no limit
    if chosen.random() < 0.3:
        body = {**entry, "messages": entry.pop("messages", [{"role": "user", "content": "x"}])}
        body.pop("prompt", None)
        body |= {
            k: chosen.choice(values) for k in chosen.sample(["n", "response_format", "tools"], 1)
        }
        entry = {"custom_id": chosen.choice(values), "body": body}
    raw = json.dumps(entry).encode()
    if chosen.random() < 0.2:
        raw = raw[: chosen.randrange(1, len(raw) + 1)]
    if chosen.random() < 0.1:
        place = chosen.randrange(len(raw))
        raw = raw[:place] + bytes([chosen.randrange(1, 256)]) + raw[place:]
    return raw.replace(b"\n", b" ").replace(b"\r", b" ") or b"x"


def test_every_line_has_a_record(folder: Path, tmp_path: Path) -> None:
    chosen = random.Random(12)
    bad = b'{"prompt": "x", "logit_bias": {"5": 1' + b"0" * 400 + b"}}"
    deep = b'{"prompt": ' + b"[" * 100_000 + b"]" * 100_000 + b"}"
    lines = [bad, deep, *(odd_line(chosen) for _ in range(examples(2000)))]
    lines = [line for line in lines if line.strip()]
    source, target = tmp_path / "in.jsonl", tmp_path / "out.jsonl"
    source.write_bytes(b"\n".join(lines))
    options = ("--concurrency", "16", "--max-tokens", "3")  # for lines without a limit
    assert main(arguments(folder, source, target, *options)) == 1
    found = read(target)
    assert [r["line"] for r in found] == list(range(1, len(lines) + 1))
    told = [r["error"]["message"] for r in found if r.get("error")]
    assert 10 < len(told) < len(lines) - 10
    assert all(0 < len(t) <= 500 for t in told)
    raw = re.compile(r"Traceback|Error\b|NoneType|sys\.set_int|bytearray|<class|object at")
    assert [t for t in told if raw.search(t)] == []


def test_run_closes_its_sessions(engine: Engine, model: Model) -> None:
    def fail(_: BatchRequest, __: BatchAnswer) -> None:
        raise OSError("no space")

    with pytest.raises(OSError, match="no space"):
        BatchRunner(engine, model, 4).run(requests(20, 60), fail)
    assert engine.stats()["sessions"] == {}


def test_progress_bar_needs_terminal(
    folder: Path,
    tmp_path: Path,
    capfd: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    source = write(tmp_path / "in.jsonl", prompts(12, first=300))
    command = arguments(folder, source, tmp_path / "out.jsonl", "--json", "-")
    try:
        here, there = pty.openpty()
    except OSError as error:
        pytest.skip(f"there is no terminal to be had here: {error}")
    monkeypatch.setenv("COLUMNS", "100")
    shown = bytearray()

    def look() -> None:
        while chunk := _read_terminal(here):
            shown.extend(chunk)

    looking = threading.Thread(target=look)
    looking.start()
    with monkeypatch.context() as patch, open(there, "w") as terminal:
        patch.setattr(sys, "stderr", terminal)
        assert main(command) == 0
    looking.join()
    os.close(here)
    out = capfd.readouterr().out
    figures = json.loads(out)
    assert figures["answered"] == 12
    assert figures["first_token_p50_s"] <= figures["latency_p50_s"] <= figures["latency_p95_s"]
    bars = [b for b in shown.decode().split("\r") if "█" in b or "░" in b]
    assert "12 of 12" in bars[-1]
    assert "tokens/s" in bars[-1]
    assert any("left" in bar for bar in bars)
    assert main(arguments(folder, source, tmp_path / "again")) == 0
    quiet = capfd.readouterr().err
    assert "\r" not in quiet
    assert "12 answered, 0 failed" in quiet


def _read_terminal(descriptor: int) -> bytes:
    try:
        return os.read(descriptor, 4096)
    except OSError:  # Linux raises this once the peer has closed
        return b""


def test_percentiles() -> None:
    values = [float(n) for n in range(100, 0, -1)]
    assert (percentile(values, 50), percentile(values, 95)) == (50, 95)
    assert percentile([3.0], 95) == 3.0
    assert percentile([], 50) is None
