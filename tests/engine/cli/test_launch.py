"""`launch`: the settings it passes to agents, and user settings it leaves alone."""

from __future__ import annotations

import io
import json
import os
import re
import socket
import stat
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from engine.cli import launch
from engine.cli.launch import AGENTS
from engine.cli.main import main
from engine.serve.auth import Keys
from engine.serve.server import Server
from tests.engine.serving import ask

TELLS = """#!{python}
import json, os, sys
files = dict()
for folder, _, names in os.walk(os.environ["TOLD_FOLDER"]):
    for name in names:
        path = os.path.join(folder, name)
        files[name] = (oct(os.stat(path).st_mode & 0o777), open(path).read())
told = dict(environment=dict(os.environ), arguments=sys.argv[1:], files=files)
open(os.environ["TOLD"], "w").write(json.dumps(told))
sys.exit(7)
"""


class Stage:
    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self._told = folder / "told.json"
        self.home = folder / "home"
        self.data = folder / "data"
        programs = folder / "programs"
        for path in (self.home, programs):
            path.mkdir()
        for agent in AGENTS.values():
            program = programs / agent.program
            program.write_text(TELLS.format(python=sys.executable))
            program.chmod(0o755)
        self.programs = programs
        monkeypatch.setenv("PATH", str(programs))
        monkeypatch.setenv("HOME", str(self.home))
        monkeypatch.setenv("XDG_DATA_HOME", str(self.data))
        monkeypatch.setenv("TOLD", str(self._told))
        monkeypatch.setenv("TOLD_FOLDER", str(self.data))

    @property
    def told(self) -> Any:
        return json.loads(self._told.read_text())

    @property
    def was_started(self) -> bool:
        return self._told.exists()


@pytest.fixture
def stage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Stage:
    return Stage(tmp_path, monkeypatch)


def launched(server: Server, *arguments: str) -> int:
    url = f"http://127.0.0.1:{server.port}"
    return main(["launch", "--url", url, *arguments])


@pytest.mark.parametrize("name", AGENTS)
def test_agent_gets_address_and_model(server: Server, stage: Stage, name: str) -> None:
    assert launched(server, name, "--model", "scripted", "--", "-p", "hi") == 7
    told = stage.told
    assert told["arguments"][-2:] == ["-p", "hi"]
    files = "".join(text for _, text in told["files"].values())
    # Agents require a key, so the server's name is used as a dummy.
    assert name in [*told["environment"].values(), *re.findall(r'"apiKey": "(.*)"', files)]
    known = json.dumps([told["environment"], told["arguments"]]) + files
    assert f"http://127.0.0.1:{server.port}" in known
    assert "scripted" in known
    assert "$" not in files
    assert {mode for mode, _ in told["files"].values()} <= {"0o600"}
    assert not list(stage.home.iterdir())


def test_answer_tokens_leave_room_for_prompt(server: Server, stage: Stage) -> None:
    """Regression test: opencode reserved the whole context for the answer and compacted forever."""
    launched(server, "opencode", "--model", "scripted")
    ((_, text),) = stage.told["files"].values()
    (limit,) = [m["limit"] for m in json.loads(text)["provider"]["stretto"]["models"].values()]
    assert limit["output"] == limit["context"] // 4


@pytest.mark.parametrize(("context", "window"), [(32768, 32768), (40960, 33000), (65536, 65536)])
def test_qwen_window_leaves_room_for_work(
    server: Server, stage: Stage, monkeypatch: pytest.MonkeyPatch, context: int, window: int
) -> None:
    told = {"data": [{"id": "scripted", "context_length": context}]}
    monkeypatch.setattr(launch, "_get_json", lambda *_: told)
    launched(server, "qwen")
    ((_, text),) = stage.told["files"].values()
    assert json.loads(text)["model"]["generationConfig"]["contextWindowSize"] == window


@pytest.mark.parametrize(("context", "kept"), [(16384, 2048), (200_000, 20_000)])
def test_pi_settings_fit_context_and_keep_user_values(
    server: Server, stage: Stage, monkeypatch: pytest.MonkeyPatch, context: int, kept: int
) -> None:
    """Regression test: pi always kept 20,000 tokens, so in a small context nothing could be
    compacted.
    """
    told = {"data": [{"id": "scripted", "context_length": context}]}
    monkeypatch.setattr(launch, "_get_json", lambda *_: told)
    launched(server, "pi")
    (file,) = stage.data.rglob("settings.json")
    compaction = json.loads(file.read_text())["compaction"]
    assert compaction["keepRecentTokens"] == kept
    assert kept + compaction["reserveTokens"] < context // 2
    file.write_text(json.dumps({"theme": "light", "compaction": {}}))
    launched(server, "pi")
    assert json.loads(file.read_text()) == {"theme": "light", "compaction": compaction}
    file.write_text("half of")
    launched(server, "pi")
    assert json.loads(file.read_text()) == {"compaction": compaction}


def test_empty_variables_are_unset(
    server: Server, stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "theirs")
    monkeypatch.setenv("EDITOR", "ed")
    launched(server, "claude")
    assert "ANTHROPIC_API_KEY" not in stage.told["environment"]
    assert stage.told["environment"]["EDITOR"] == "ed"


def test_print_starts_no_agent(
    server: Server, stage: Stage, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, agent in AGENTS.items():
        assert launched(server, name, "--print") == 0
        shown = capsys.readouterr().out
        assert agent.program in shown.splitlines()[-1]
        assert f"http://127.0.0.1:{server.port}" in shown
    assert not stage.was_started
    assert not stage.data.exists()


def test_missing_agent_is_reported_with_install_command(
    server: Server, stage: Stage, capsys: pytest.CaptureFixture[str]
) -> None:
    (stage.programs / "codex").unlink()
    assert launched(server, "codex") == 2
    assert "npm install -g @openai/codex" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--url", "localhost"], "invalid address"),
        (["--model", "nothing"], "unknown model 'nothing'"),
    ],
)
def test_errors_are_reported(
    server: Server,
    stage: Stage,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    says: str,
) -> None:
    assert launched(server, "codex", *arguments) == 2
    assert says in capsys.readouterr().err
    assert not stage.was_started


@pytest.mark.parametrize("name", AGENTS)
def test_small_context_warns_with_required_size(
    server: Server,
    stage: Stage,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    name: str,
) -> None:
    least = AGENTS[name].min_context
    for context in (least - 1, least):
        told = {"data": [{"id": "scripted", "context_length": context}]}
        monkeypatch.setattr(launch, "_get_json", lambda *_, told=told: told)
        assert launched(server, name, "--print") == 0
        said = capsys.readouterr()
        words = f"scripted has a context of {context:,} tokens, but {name} needs about {least:,}."
        assert (words in said.err) == (context < least)
        assert "--model" not in said.err or context < least
        assert "needs about" not in said.out


def test_warning_suggests_model_with_longer_context(
    server: Server,
    stage: Stage,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    rows = [{"id": f"m{n}", "context_length": n} for n in (8_192, 16_384, 65_536)]
    monkeypatch.setattr(launch, "_get_json", lambda *_: {"data": rows})
    for name, longer in (("claude", "m65536"), ("codex", "m16384")):
        assert launched(server, name, "--print") == 0
        assert f"with --model, such as {longer}." in capsys.readouterr().err
    del rows[1:]
    assert launched(server, "claude", "--print") == 0
    assert "with --model." in capsys.readouterr().err


def test_model_without_tools_warns(
    server: Server,
    stage: Stage,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    row = {"id": "plain", "context_length": 100_000, "supported_parameters": ["seed"]}
    monkeypatch.setattr(launch, "_get_json", lambda *_: {"data": [row]})
    assert launched(server, "opencode") == 7
    assert "plain cannot call tools" in capsys.readouterr().err
    assert launched(server, "aider") == 7  # doesn't support tools
    row["supported_parameters"] = ["tools"]
    assert launched(server, "opencode") == 7
    assert "cannot call tools" not in capsys.readouterr().err


@pytest.mark.parametrize(("answer", "status"), [("y\n", 7), ("\n", 2), ("", 2)])
def test_terminal_asks_after_warning(
    server: Server,
    stage: Stage,
    monkeypatch: pytest.MonkeyPatch,
    answer: str,
    status: int,
) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    told = {"data": [{"id": "scripted", "context_length": 2048}]}
    monkeypatch.setattr(launch, "_get_json", lambda *_: told)
    monkeypatch.setattr(sys, "stdin", Terminal(answer))
    monkeypatch.setattr(sys, "stderr", Terminal())
    assert launched(server, "claude") == status
    assert stage.was_started == (status == 7)


def test_models_list_tool_support(server: Server) -> None:
    rows = ask(server, "GET", "/v1/models").json["data"]
    shown = {row["id"]: "tools" in row.get("supported_parameters", ()) for row in rows}
    assert set(shown.values()) == {True, False}
    for model in server.served.models:
        assert shown[model.name] == bool(model.tool_format)


def test_agent_gets_own_key_if_keys_are_required(
    model_folder: Callable[[str], Path], server: Server, stage: Stage, tmp_path: Path
) -> None:
    file = tmp_path / "keys.json"
    Keys(file).make("somebody")
    models = [server.served.models[0]]
    with Server(server.engine, models, 0, keys=Keys(file)) as guarded:
        for _ in range(2):
            assert launched(guarded, "codex", "--keys", str(file)) == 7
        key = stage.told["environment"]["STRETTO_API_KEY"]
        assert ask(guarded, "GET", "/v1/models").status == 401
        assert ask(guarded, "GET", "/v1/models", authorization=f"Bearer {key}").status == 200
        assert sorted(k.name for k in Keys(file).all()) == ["codex", "somebody"]
        Keys(file).revoke("codex")
        assert launched(guarded, "codex", "--keys", str(file)) == 7
        assert stage.told["environment"]["STRETTO_API_KEY"] != key
    (kept,) = stage.data.rglob("key")
    assert stat.S_IMODE(os.stat(kept).st_mode) == 0o600


def test_server_is_started_and_ends_with_agent(stage: Stage) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        url = f"http://127.0.0.1:{taken.getsockname()[1]}"
    assert main(["launch", "--url", url, "codex"]) == 7
    (base,) = [a for a in stage.told["arguments"] if "base_url" in a]
    address = base.partition('"')[2].removesuffix('/v1"')
    assert address != url
    assert launch._get_json(address, "/health", "") is None


@pytest.mark.parametrize(
    ("option", "value", "says"),
    [
        ("--share", "claude", "invalid share"),
        ("--share", "a=much", "invalid share"),
        ("--share", "a=120%", "100 in total"),
        ("--alias", "claude", "must look like"),
        ("--alias", "=x", "must look like"),
        ("--alias", "a=nothing", "nknown model"),
    ],
)
def test_invalid_option_is_reported(
    capsys: pytest.CaptureFixture[str], option: str, value: str, says: str
) -> None:
    assert main(["serve", "--quiet", "--port", "0", option, value]) == 2
    assert says in capsys.readouterr().err
