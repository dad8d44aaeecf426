"""`python -m engine load`: many clients on one server, and the reported measurements."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from engine import Engine
from engine.bench.clients import RequestSettings, arrivals
from engine.bench.traffic import TimedRequest, summarize
from engine.cli.main import main
from engine.serve.server import Server


@pytest.fixture(scope="module")
def server(model_folder: Callable[[str], Path]) -> Iterator[Server]:
    with Engine() as engine, Server(engine, [engine.load(model_folder("plain"))], 0) as up:
        yield up


def test_load_measures_two_servers_alternately(server: Server, tmp_path: Path) -> None:
    url, found = f"127.0.0.1:{server.port}", tmp_path / "a.json"
    options = ["--clients", "1,3", "--tokens", "4", "--words", "5", "--every", "0.01"]
    options += ["--turns", "2", "--sessions", "--json", str(found)]
    assert main(["load", url, "--against", f"http://localhost:{server.port}/v1/", *options]) == 0
    loads = json.loads(found.read_text())
    assert len(loads) == 2 * 3 * 2
    assert {load["server"] for load in loads} == {
        f"http://127.0.0.1:{server.port}/v1",
        f"http://localhost:{server.port}/v1",
    }
    for load in loads:
        assert load["requests"] == 2 * load["clients"]
        assert load["failed"] == {}
        assert load["rate"] > 0
        assert load["second_p50"] > 0
        assert (load["first_long"] is None) == (load["traffic"] != "skewed" or load["clients"] < 2)
    assert not server.sessions.all(), "it has freed its sessions"


def test_load_counts_failures_separately(
    server: Server, capsys: pytest.CaptureFixture[str]
) -> None:
    options = ["--clients", "2", "--traffic", "equal", "--model", "llama-9"]
    assert main(["load", f"127.0.0.1:{server.port}", *options]) == 1
    told = capsys.readouterr()
    assert "2x HTTP 404" in told.out
    assert "2 requests" in told.err
    # Port 9 is either closed or belongs to some other service.
    assert main(["load", "127.0.0.1:9", "--clients", "1", "--traffic", "equal"]) == 1


def test_load_figures_use_event_times() -> None:
    turns = [
        TimedRequest(10.0, 0, False, [11.0, 11.5, 12.5], 3),
        TimedRequest(10.0, 0, True, [14.0, 14.25], 2),
        TimedRequest(13.0, 1, False, [13.5, 14.0], 2),
        TimedRequest(10.0, error="HTTP 429"),
    ]
    load = summarize("a", "skewed", 3, turns)
    assert load.failed == {"HTTP 429": 1}
    assert (load.first_p50, load.first_max, load.first_long) == (1.0, 1.0, 4.0)
    assert load.second_p50 == 0.5
    assert (load.gap_p50, load.gap_max) == (0.5, 1.0)
    assert load.rate == 7 / 4.25


def test_load_traffic_is_equal_per_round() -> None:
    assert arrivals("equal", 3, 9, 0.1, 0) == arrivals("equal", 3, 9, 0.1, 0)
    assert arrivals("equal", 3, 9, 0.1, 0) != arrivals("equal", 3, 9, 0.1, 1)
    skewed = arrivals("skewed", 3, 9, 0.1, 0)
    assert [len(a.prompt.split()) for a in skewed] == [180, 9, 9]
    assert [a.after for a in arrivals("staggered", 3, 9, 0.5, 0)] == [0.0, 0.5, 1.0]
    assert RequestSettings.for_url("localhost:1").url == "http://localhost:1/v1"
