"""Models distributed over several machines."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from app.models.loading import LoadState, ModelStatus
from app.remote import address
from app.remote.address import Remote
from app.remote.groups import MachineGroup, MachineGroups
from app.remote.remote_errors import NOT_STARTED, RemoteError
from app.remote.remotes import Remotes
from app.settings.settings import Settings

LONG = 60.0

SERVER = """
import json, sys
port = int(sys.argv[sys.argv.index("--port") + 1]) or 54321
assert json.load(open(sys.argv[sys.argv.index("--keys") + 1]))
if "broken" in sys.argv[2]:
    sys.exit("serve: Rank 1 could not start. studio wants a password. [engine_stopped]")
print(json.dumps({"port": port, "model": "Tiny", "context": 512}), flush=True)
sys.stdin.read()
print("serve: it was told to end", file=sys.stderr)
"""
"""Replacement for `serve` with the same output and exit, but no model."""


@pytest.fixture
def groups(tmp_path: Path) -> Iterator[MachineGroups]:
    script = tmp_path / "server.py"
    script.write_text(SERVER)

    def command(arguments: Sequence[str]) -> list[str]:
        return [sys.executable, "-S", str(script), *arguments]

    made = MachineGroups(command)
    yield made
    made.shut_down()


def test_group_address_names_its_machines() -> None:
    away = address.distributed_address(["studio", "Mini.local", "studio"], 5000)
    assert away == "http://studio.and.mini.local.hosts.localhost:5000/v1"
    assert address.request_address(away) == "http://127.0.0.1:5000/v1"
    remote = Remote(away, "Tiny")
    assert (remote.host, remote.is_local) == ("studio, mini.local", False)
    assert address.parse_ref(remote.ref) == remote
    here = Remote(address.distributed_address([], 5000), "Tiny")
    assert here.address == "http://127.0.0.1:5000/v1"
    assert here.is_local
    assert address.request_address("https://example.org/v1") == "https://example.org/v1"


def test_group_can_be_lost_and_restarted(groups: MachineGroups) -> None:
    remotes = Remotes()
    remotes.groups = groups
    group = MachineGroup(("local", "studio"), "/models/tiny")
    server = groups.start(group)
    told = server.started.result(LONG)
    remote = Remote(
        address.distributed_address(["studio"], told.port), told.model, "stretto", told.context
    )
    groups.save(remote.ref, server)
    remotes.add(remote, told.key, group)
    status = ModelStatus.from_remote(remote.ref, remotes)
    assert (status.state, status.code) == (LoadState.READY, "")
    assert remotes.key(remote.address) == told.key

    server.process.kill()
    groups.store_end_message(remote.ref, server.ended.result(LONG))
    status = ModelStatus.from_remote(remote.ref, remotes)
    assert (status.state, status.code) == (LoadState.FAILED, NOT_STARTED)
    assert "local, studio" in status.error

    again = groups.start(group, remote.ref)
    assert again.started.result(LONG).port == told.port  # so that its chats can reconnect
    assert again.started.result().key != told.key
    status = ModelStatus.from_remote(remote.ref, remotes)
    assert status.state is LoadState.READY
    groups.shut_down()
    assert again.ended.result(LONG) == "it was told to end"


def test_group_start_error_is_shown(groups: MachineGroups) -> None:
    server = groups.start(MachineGroup(("local", "studio"), "broken"))
    with pytest.raises(RemoteError) as told:
        server.started.result(LONG)
    assert told.value.message == "Rank 1 could not start. studio wants a password."


def test_the_settings_keep_a_group(tmp_path: Path) -> None:
    settings = Settings.load(tmp_path / "settings.json")
    remotes = Remotes()
    remotes.open(settings)
    remote = Remote(address.distributed_address(["studio"], 5000), "Tiny", "stretto", 512)
    group = MachineGroup(("local", "studio"), "/models/tiny", "/hosts.json")
    remotes.add(remote, "secret", group)
    kept = json.dumps(dict(settings.remotes))
    assert "secret" not in kept
    after = Remotes()
    after.open(settings)
    assert after.groups.known == {remote.ref: group}
    status = ModelStatus.from_remote(remote.ref, after)
    assert status.code == NOT_STARTED
    after.remove(remote.ref)
    assert after.groups.known == {}
