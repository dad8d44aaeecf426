"""After a restart or `kill -9`, conversations only read their last turn again."""

from __future__ import annotations

import os
import shutil
import signal
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from engine import Engine
from engine.cache.offload import CLIENT_PREFIX, Offload, client_files
from engine.cli.main import main
from engine.serve import conversations
from engine.serve.auth import Keys
from engine.serve.server import Server
from tests.engine.scripted import call, write_agent
from tests.engine.serving import Answer, ask, bearer
from tests.waiting import until

PATH = "/v1/messages"
LONG = "Work with care, and say what you do. " * 60
TOOL = {"name": "Bash", "input_schema": {"type": "object", "properties": {}}}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    scripts = {"work": [call("Bash", command="ls")]}
    return write_agent(tmp_path_factory.mktemp("agent") / "agent", scripts, 16384)


@contextmanager
def serving(
    folder: Path, cache: Path, limit: int = 2**30, keys: Keys | None = None
) -> Iterator[Server]:
    with (
        Engine(cache_dir=cache, cache_bytes=limit) as engine,
        Server(engine, [engine.load(folder)], 0, keys=keys, keeps_caches=True) as server,
    ):
        yield server


def turns(count: int, who: str = "one") -> list[dict[str, Any]]:
    said: list[dict[str, Any]] = [{"role": "user", "content": f"I am {who}. [[work]] {LONG}"}]
    for number in range(count):
        use = {"type": "tool_use", "id": f"t{number}", "name": "Bash", "input": {"command": "ls"}}
        answer = [use] if number == 0 else [{"type": "text", "text": "Done."}]
        said.append({"role": "assistant", "content": answer})
        result = {"type": "tool_result", "tool_use_id": f"t{number}", "content": f"{number}.txt"}
        said.append({"role": "user", "content": [result] if number == 0 else f"and {number}"})
    return said


def usage(server: Server, messages: list[dict[str, Any]], **fields: Any) -> tuple[int, int]:
    asked = {"max_tokens": 40, "messages": messages, "tools": [TOOL], **fields}
    answer = ask(server, "POST", PATH, asked)
    assert answer.status == 200, answer.body
    figures = answer.json["usage"]
    return figures["input_tokens"], figures["cache_read_input_tokens"]


def test_after_a_restart_only_the_last_turn_is_read(folder: Path, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    with serving(folder, cache) as server:
        for who in ("one", "two"):
            for count in range(3):
                usage(server, turns(count, who), system=f"For {who}: {LONG}")
    with serving(folder, cache) as server:
        for who in ("two", "one"):
            read, known = usage(server, turns(3, who), system=f"For {who}: {LONG}")
            assert read < 0.05 * known
        assert usage(server, turns(3, "three"), system=f"For three: {LONG}")[1] < 64
    assert stat.S_IMODE(cache.stat().st_mode) == 0o700
    assert stat.S_IMODE((cache / CLIENT_PREFIX).stat().st_mode) == 0o700
    for file in client_files(cache):
        assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_restart_keeps_shared_prefix_of_conversations(folder: Path, tmp_path: Path) -> None:
    """Agents change what follows their instructions, e.g. a list of the project's files."""
    cache, system = tmp_path / "cache", f"For all: {LONG}"
    with serving(folder, cache) as server:
        for count in range(2):
            usage(server, turns(count, "one"), system=system)
        usage(server, turns(0, "once"), system=system)
        own, known = usage(server, turns(0, "two"), system=system)
        assert known > own / 2
    with serving(folder, cache) as server:
        assert usage(server, turns(0, "three"), system=system)[1] >= known - 64
        assert usage(server, turns(0, "four"), system=system)[1] >= known - 64
        assert usage(server, turns(2, "one"), system=system)[0] < 64, "its own file is whole"
        tools = [TOOL, {**TOOL, "name": "Other"}]
        assert usage(server, turns(0, "five"), system="x", tools=tools)[1] < 64


def test_temporary_hint_may_be_removed(folder: Path, tmp_path: Path) -> None:
    """Agents remove such hints, e.g. the date. After a restart the text before it isn't read
    again.
    """
    cache = tmp_path / "cache"

    def asked(server: Server, count: int, hint: int) -> int:
        said = turns(count)
        said[hint] = {"role": "user", "content": f"Today is the {hint}th. and {hint}"}
        return usage(server, said)[0]

    with serving(folder, cache) as server:
        for count in range(2):  # otherwise all requests with the same tools would share this prefix
            usage(server, turns(count, "another"))
        asked(server, 2, 4)
    with serving(folder, cache) as server:
        assert asked(server, 3, 6) < 200
        assert asked(server, 3, 6) < 64
        assert asked(server, 2, 4) < 200, "what others have begun with stays as it is"


def test_idle_session_is_written_while_it_stays(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(conversations, "WRITE_AFTER_IDLE_S", 0.2)
    cache = tmp_path / "cache"
    with serving(folder, cache) as server:
        usage(server, turns(0))
        usage(server, turns(1))
        until(lambda: len(list(cache.glob("clients/*.safetensors"))) == 1)
        (file,) = cache.glob("clients/*.safetensors")
        before = file.stat().st_mtime_ns
        read, known = usage(server, turns(2))
        assert read < 64 < known, "it goes on from memory"
        until(lambda: file.stat().st_mtime_ns > before)
        copy = tmp_path / "copy"
        shutil.copytree(cache, copy)  # simulates a kill at this point
        with serving(folder, copy) as other:
            read, known = usage(other, turns(3))
            assert read < 0.05 * known
        answer = usage(server, turns(3))
        assert answer[0] < 64


def test_restored_session_gives_same_answers(
    tmp_path: Path, model_folder: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Files written while the session stays open are copies, so the next reply doesn't change."""
    monkeypatch.setattr(conversations, "WRITE_AFTER_IDLE_S", 0.0)
    said: list[dict[str, Any]] = [{"role": "user", "content": "word " * 200}]
    asked: dict[str, Any] = {"max_tokens": 24, "temperature": 0, "logit_bias": {"2": -100}}
    found = []
    for cache in (None, tmp_path / "cache"):
        with (
            Engine(cache_dir=cache) as engine,
            Server(engine, [engine.load(model_folder("plain"))], 0, keeps_caches=True) as server,
        ):
            messages = list(said)
            texts = []
            for number in range(4):
                answer = ask(
                    server, "POST", "/v1/chat/completions", {"messages": messages, **asked}
                )
                texts.append(answer.text)
                messages += [
                    {"role": "assistant", "content": answer.text},
                    {"role": "user", "content": f"go on {number}"},
                ]
                server.conversations.save_idle()
            found.append(texts)
    assert found[0] == found[1]


def test_kill_9_leaves_conversations(folder: Path, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    script = f"""
import sys, time
sys.path.insert(0, {str(Path.cwd())!r})
from pathlib import Path
from engine.serve import conversations
from engine.serve.auth import Keys
from tests import checked
from tests.engine.serve.test_serve_restart import *
checked.once()
with serving(Path({str(folder)!r}), Path({str(cache)!r})) as server:
    for count in range(3):
        usage(server, turns(count))
    conversations.WRITE_AFTER_IDLE_S = 0.1
    until(lambda: list(Path({str(cache)!r}).glob("clients/*.safetensors")))
    print("ready", flush=True)
    time.sleep(60)
"""
    command = [sys.executable, "-c", script]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as child:
        try:
            assert child.stdout is not None
            assert child.stdout.readline() == "ready\n"
        finally:
            os.kill(child.pid, signal.SIGKILL)
    with serving(folder, cache) as server:
        read, known = usage(server, turns(3))
        assert read < 0.05 * known


def test_damaged_cache_files_only_cost_a_prefill(folder: Path, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    with serving(folder, cache) as server:
        usage(server, turns(0))
        usage(server, turns(1))
    for file in cache.glob("clients/*.safetensors"):
        file.write_bytes(file.read_bytes()[:-100])
    with serving(folder, cache) as server:
        assert usage(server, turns(2))[0] > 500
        assert usage(server, turns(3))[0] < 64


def test_invalid_cache_folder_only_loses_caching(folder: Path, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    cache.mkdir()
    (cache / CLIENT_PREFIX).write_text("somebody's")
    with serving(folder, cache) as server:
        usage(server, turns(0))
        assert usage(server, turns(1))[0] < 64
    assert (cache / CLIENT_PREFIX).read_text() == "somebody's"
    (cache / CLIENT_PREFIX).unlink()
    (cache / CLIENT_PREFIX).mkdir()
    os.mkfifo(cache / CLIENT_PREFIX / f"{'a' * 40}.safetensors")  # a pipe without a reader
    with serving(folder, cache) as server:
        usage(server, turns(0))


def test_removed_cache_folder_is_created_again(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(conversations, "WRITE_AFTER_IDLE_S", 0.0)
    cache = tmp_path / "cache"
    with serving(folder, cache) as server:
        usage(server, turns(0))
        usage(server, turns(1))
        until(lambda: list(cache.glob("clients/*.safetensors")))
        shutil.rmtree(cache)
        usage(server, turns(2))
    assert stat.S_IMODE((cache / CLIENT_PREFIX).stat().st_mode) == 0o700
    with serving(folder, cache) as server:
        assert usage(server, turns(3))[0] < 64


@pytest.mark.parametrize("when", ["before", "after"])
def test_revoked_key_has_nothing_on_disk_after_restart(
    folder: Path, tmp_path: Path, when: str
) -> None:
    keys = Keys(tmp_path / "keys.json")
    headers = {name: bearer(keys.make(name)) for name in ("a", "b")}
    cache = tmp_path / "cache"

    def caches() -> int:
        return len(list((cache / CLIENT_PREFIX).glob("*.safetensors")))

    def asked(server: Server, who: str, count: int) -> Answer:
        said = {"max_tokens": 40, "messages": turns(count, who), "tools": [TOOL]}
        return ask(server, "POST", PATH, said, **headers[who])

    with serving(folder, cache, keys=keys) as server:
        for who in "ab":
            for count in range(2):
                assert asked(server, who, count).status == 200
    assert caches() == 2
    if when == "before":
        keys.revoke("a")
    with serving(folder, cache, keys=keys) as server:
        assert asked(server, "b", 2).json["usage"]["cache_read_input_tokens"] > 64
        if when == "after":
            keys.revoke("a")
        until(lambda: caches() == 1)
        assert asked(server, "b", 3).json["usage"]["cache_read_input_tokens"] > 64
    with serving(folder, cache, keys=keys) as server:
        assert asked(server, "b", 4).json["usage"]["cache_read_input_tokens"] > 64


def test_files_without_a_known_owner_go_with_a_revoked_key(folder: Path, tmp_path: Path) -> None:
    keys = Keys(tmp_path / "keys.json")
    cache, key = tmp_path / "cache", bearer(keys.make("a"))
    with serving(folder, cache, keys=keys) as server:
        for count in range(2):
            asked = {"max_tokens": 40, "messages": turns(count), "tools": [TOOL]}
            ask(server, "POST", PATH, asked, **key)
    (whole,) = cache.glob("clients/*.safetensors")
    (cache / CLIENT_PREFIX / f"{'a' * 40}.safetensors").write_bytes(whole.read_bytes()[:-100_000])
    offload = Offload(cache, 2**30)
    assert offload.names_of("guest another") == [f"{CLIENT_PREFIX}{'a' * 40}"]
    domain = keys.all()[0].id
    assert len(offload.names_of(f"guest {domain}")) == 2


def test_key_does_not_start_from_another_keys_file(folder: Path, tmp_path: Path) -> None:
    keys = Keys(tmp_path / "keys.json")
    headers = {name: bearer(keys.make(name)) for name in ("a", "b")}
    cache = tmp_path / "cache"

    def known(server: Server, who: str, count: int) -> int:
        asked = {"max_tokens": 40, "messages": turns(count), "tools": [TOOL]}
        answer = ask(server, "POST", PATH, asked, **headers[who])
        return int(answer.json["usage"]["cache_read_input_tokens"])

    with serving(folder, cache, keys=keys) as server:
        for count in range(2):
            known(server, "a", count)
    with serving(folder, cache, keys=keys) as server:
        assert known(server, "b", 2) == 0
        assert known(server, "a", 2) > 500


def test_conversation_keeps_its_file_after_restarts(folder: Path, tmp_path: Path) -> None:
    """Older versions named files differently, and their index of conversations is ignored."""
    cache = tmp_path / "cache"
    with serving(folder, cache) as server:
        for count in range(2):
            usage(server, turns(count))
    (file,) = cache.glob("clients/*.safetensors")
    renamed = file.rename(file.with_stem("0" * 40))
    (cache / CLIENT_PREFIX / "conversations").write_text("by an older version")
    for count in (2, 3):
        with serving(folder, cache) as server:
            assert usage(server, turns(count))[0] < 64
    assert list(cache.glob("clients/*.safetensors")) == [renamed]


def test_two_servers_may_have_one_folder(folder: Path, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    with serving(folder, cache) as server:
        usage(server, turns(0))
        usage(server, turns(1))
    with subprocess.Popen([sys.executable, "-c", ""]) as gone:
        gone.wait()
    halves = [cache / CLIENT_PREFIX / f"{'a' * 40}.{pid}.part" for pid in (1, gone.pid)]
    for half in halves:
        half.write_text("half")
    with serving(folder, cache) as one, serving(folder, cache) as other:
        assert [half.exists() for half in halves] == [True, False]
        for server in (one, other):
            assert usage(server, turns(2))[0] < 64
    with serving(folder, cache) as server:
        assert usage(server, turns(3))[0] < 64


def test_folder_of_caches_is_limited(folder: Path, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    with serving(folder, cache, limit=3_000_000) as server:
        for who in "abcdef":
            usage(server, turns(0, who))
            usage(server, turns(1, who))
    assert sum(file.stat().st_size for file in cache.glob("clients/*.safetensors")) <= 3_000_000


def test_the_folder_is_emptied_on_request(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    cache = tmp_path / "cache"
    options = ["serve", "--cache", str(cache), "--forget"]
    assert main(options) == 0
    assert stat.S_IMODE(cache.stat().st_mode) == 0o700
    there = cache / CLIENT_PREFIX
    for name in (f"{'a' * 40}.safetensors", f"{'b' * 40}.part", "conversations"):
        (there / name).write_text("x")
    assert main(options) == 0
    assert not list(there.iterdir())
    assert "caches deleted" in capsys.readouterr().out
    (there / "index").write_text("of a newer version")
    assert main(options) == 0
    assert (there / "index").exists()
    (there / "model.safetensors").write_text("somebody's weights")
    assert main(options) == 2
    assert main(options[:-1]) == 2
    assert "it has model.safetensors" in capsys.readouterr().err
    assert (there / "model.safetensors").exists()


def test_only_an_explicit_folder_must_be_usable(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    strange = tmp_path / "file" / "cache"
    assert main(["serve", "--cache", str(strange), "--forget"]) == 2
    monkeypatch.setattr("engine.cli.serve.cache_dir", lambda _: strange)
    assert main(["serve", "--forget"]) == 0
    assert "Conversations are not kept" in capsys.readouterr().err
