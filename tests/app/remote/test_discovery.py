"""Discovery of other Strettos on the loopback, and malformed announcements."""

from __future__ import annotations

import os
import threading
from concurrent.futures import CancelledError

import pytest

from app.remote.discovery import LONGEST_NAME, FoundServer, look, parse_announcement
from app.remote.remotes import Remotes
from engine.cli.main import main
from engine.serve.announcement import SERVICE, addresses_of, announce

LOOPBACK = ["127.0.0.1"]


def test_announced_server_is_listed_until_it_leaves() -> None:
    wanted = f"studio {os.getpid()}"  # other test runs announce servers, too
    remotes, there, gone = Remotes(), threading.Event(), threading.Event()
    told: list[tuple[FoundServer, ...]] = []

    def tell(all_of_them: tuple[FoundServer, ...]) -> None:
        ours = tuple(one for one in all_of_them if one.name.startswith(wanted))
        told.append(ours)
        if ours:
            there.set()
        elif there.is_set():
            gone.set()

    looking = remotes.start(look(tell, LOOPBACK))
    with announce("127.0.0.1", 8099, f"{wanted}\x1b[31m", LOOPBACK) as name:
        assert name.startswith(wanted)
        assert there.wait(30)
        assert told[-1] == (FoundServer(name, "http://127.0.0.1:8099/v1"),)
    assert gone.wait(30)
    looking.cancel()
    with pytest.raises(CancelledError):
        looking.result(10)
    remotes.shut_down()


@pytest.mark.parametrize(
    ("name", "addresses", "port"),
    [
        ("", ["192.168.1.5"], 8080),
        ("\u202e\x00", ["192.168.1.5"], 8080),
        ("studio", [], 8080),
        ("studio", ["8.8.8.8"], 8080),  # not on this network
        ("studio", ["224.0.0.251", "0.0.0.0"], 8080),
        ("studio", ["fe80::1", "evil.example", "http://x"], 8080),
        ("studio", ["192.168.1.5"], None),
        ("studio", ["192.168.1.5"], 0),
        ("studio", ["192.168.1.5"], 70_000),
    ],
)
def test_invalid_announcement_is_ignored(name: str, addresses: list[str], port: int) -> None:
    assert parse_announcement(f"{name}.{SERVICE}", addresses, port) is None


def test_announced_names_are_shortened_and_plain() -> None:
    long = parse_announcement(f"{'x' * 500}\n\x1b[2J.{SERVICE}", ["fd00::5", "10.0.0.7"], 80)
    assert long == FoundServer("x" * LONGEST_NAME, "http://10.0.0.7/v1")
    odd = parse_announcement(f"stu\u202edio \n two.{SERVICE}", ["fd00::5"], 8080)
    assert (odd.name, odd.host) == ("studio two", "[fd00::5]:8080")


def test_only_reachable_server_is_announced(capsys: pytest.CaptureFixture[str]) -> None:
    for host in ("127.0.0.1", "localhost", "::1"):
        assert main(["serve", "--announce", "--host", host]) == 2
        assert "nothing to announce" in capsys.readouterr().err
    assert addresses_of("10.1.2.3") == ["10.1.2.3"]


def test_server_without_key_is_not_announced(
    tmp_path: object, capsys: pytest.CaptureFixture[str]
) -> None:
    keys = f"{tmp_path}/keys.json"
    assert main(["serve", "--announce", "--host", "0.0.0.0", "--keys", keys]) == 2
    assert "a key is required" in capsys.readouterr().err
