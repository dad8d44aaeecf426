"""`python -m engine load --agents`: agents and a user on one server."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from engine import Engine
from engine.bench import agents
from engine.bench.agents import (
    BROKEN_AFTER,
    CHILDREN,
    TURNS_OF_CHILD,
    TURNS_OF_TASK,
    CrowdResult,
    jain,
)
from engine.bench.clients import RequestSettings, request_answer
from engine.cli.main import main
from engine.serve.server import Server


@pytest.fixture(scope="module")
def server(model_folder: Callable[[str], Path]) -> Iterator[Server]:
    with Engine() as engine, Server(engine, [engine.load(model_folder("plain"))], 0) as up:
        yield up


def test_agents_play_scripts_next_to_a_user(
    server: Server,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(agents, "TOOLS_TAKE", (0.0,) * TURNS_OF_TASK)
    monkeypatch.setattr(agents, "ANSWERS", (8,) * TURNS_OF_TASK)
    monkeypatch.setattr(agents, "RESULTS", (3,) * TURNS_OF_TASK)
    found, url = tmp_path / "a.json", f"127.0.0.1:{server.port}"
    options = ["--agents", "2", "--tasks", "1", "--beginning", "30", "--person-every", "0.01"]
    options += ["--for", "300", "--json", str(found)]
    assert main(["load", url, "--against", f"http://localhost:{server.port}", *options]) == 0
    told = capsys.readouterr().out
    assert "failed" not in told
    loads = json.loads(found.read_text())
    assert len(loads) == 2
    for figures in loads.values():
        assert figures["answers"] > 0
        assert 0 < figures["first token p50"] <= figures["first token p99"]
        assert figures["equal share"] > 0.99, "both have met the same sizes"
        assert figures["turns a minute"] > 0
        # Each turn is prefilled once, and the common beginning once for all agents.
        assert figures["of tokens sent"] < 0.1
    assert [line for line in told.splitlines() if line.startswith("agents, equal share")]


def test_agent_requests_are_counted(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: Counter[int] = Counter()

    async def counting(*given: object) -> str:
        asked[int(str(given[-1]))] += "load-agent" in str(given[5])
        return await request_answer(*given)  # type: ignore[arg-type]

    monkeypatch.setattr(agents, "request_answer", counting)
    monkeypatch.setattr(agents, "TOOLS_TAKE", (0.0,) * TURNS_OF_TASK)
    tally = CrowdResult()
    wish = RequestSettings.for_url(f"127.0.0.1:{server.port}")
    agents.run(wish, agents.Crowd(1, 30, 0.01, 300.0, 1), tally, 0)
    # The scripts of sub-agents end before the step that is interrupted.
    assert asked == {0: TURNS_OF_TASK - 1 + CHILDREN * TURNS_OF_CHILD, BROKEN_AFTER: 1}
    assert tally.turns == asked[0]
    assert not tally.failed


def test_shares_and_repeated_prefill_are_measured() -> None:
    assert jain([3, 3, 3]) == 1
    assert jain([9, 0, 0]) == pytest.approx(1 / 3)
    assert jain([0, 0]) is None
    tally = CrowdResult(60.0, [1.0, 2.0], [0.5], 30, prompts=1000, read=300, new=250)
    tally.written.update({(0, 0): 60, (0, 1): 30})
    figures = tally.figures
    assert figures["turns a minute"] == 30
    assert figures["tokens/s"] == 1.5
    assert (figures["read again"], figures["of tokens sent"]) == (50, 0.05)
    assert figures["equal share"] == pytest.approx(0.9)
    told = agents.table({"x": tally, "y": CrowdResult(60.0, [4.0])})
    assert "person, first token p50      1.00 s     4.00 s      0.250" in told
