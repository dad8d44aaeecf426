"""`python -m engine launch AGENT`: start a coding agent that uses a local model.

Each agent has a row in `AGENTS`. The agent is configured by environment variables, arguments, or
files in one of Stretto's folders. The user's configuration of the agent isn't changed.
"""

from __future__ import annotations

import argparse
import contextlib
import http.client
import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from string import Template
from typing import Any
from urllib.parse import urlsplit

import platformdirs
from msgspec import Struct, field

from engine.cli.arguments import GUIDE
from engine.files import replace_text
from engine.hub.names import clean_name
from engine.serve.auth import Keys, default_file

SERVER_TIMEOUT_S = 10.0  # timeout for listing models
_MAX_ANSWER_TOKENS = 8192
_MAX_RESPONSE_BYTES = 2**20


class AgentSetup(Struct, frozen=True):
    """Configuration of an agent for a given server.

    In all strings, $url, $key, $model, $folder and token counts are filled in. $context is the
    whole context, divided into $prompt and $answer. $recent is the part of a conversation that
    compaction keeps. $window is the context size for Qwen Code.

    Attributes:
        environment: variables to set. Empty values unset them.
        arguments: inserted before the user's arguments.
        files: JSON files in its folder. Anything else in them is kept.
        min_context: tokens needed for its instructions, tools and a short task.
    """

    program: str
    install: str
    environment: Mapping[str, str] = field(default_factory=dict)
    arguments: Sequence[str] = ()
    files: Mapping[str, Any] = field(default_factory=dict)
    min_context: int = 16_000
    calls_tools: bool = True


def _npm_command(package: str) -> str:
    return f"npm install -g {package}"


AGENTS = {
    "claude": AgentSetup(
        "claude",
        _npm_command("@anthropic-ai/claude-code"),
        {
            "ANTHROPIC_BASE_URL": "$url",
            "ANTHROPIC_AUTH_TOKEN": "$key",
            "ANTHROPIC_API_KEY": "",
            "ANTHROPIC_MODEL": "$model",
            "ANTHROPIC_DEFAULT_OPUS_MODEL": "$model",
            "ANTHROPIC_DEFAULT_SONNET_MODEL": "$model",
            "ANTHROPIC_DEFAULT_HAIKU_MODEL": "$model",
            "CLAUDE_CODE_MAX_CONTEXT_TOKENS": "$context",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        },
        min_context=24_000,
    ),
    "codex": AgentSetup(
        "codex",
        _npm_command("@openai/codex"),
        {"STRETTO_API_KEY": "$key"},
        [
            *("-c", 'model_provider="stretto"', "-c", "model=$quoted"),
            *("-c", 'model_providers.stretto.name="Stretto"'),
            *("-c", 'model_providers.stretto.base_url="$url/v1"'),
            *("-c", 'model_providers.stretto.env_key="STRETTO_API_KEY"'),
            *("-c", 'model_providers.stretto.wire_api="responses"'),
            *("-c", "model_context_window=$context"),
        ],
    ),
    "opencode": AgentSetup(
        "opencode",
        _npm_command("opencode-ai"),
        {"OPENCODE_CONFIG": "$folder/opencode.json"},
        files={
            "opencode.json": {
                "model": "stretto/$model",
                "small_model": "stretto/$model",
                "provider": {
                    "stretto": {
                        "npm": "@ai-sdk/openai-compatible",
                        "name": "Stretto",
                        "options": {"baseURL": "$url/v1", "apiKey": "$key"},
                        "models": {
                            "$model": {"limit": {"context": "$context", "output": "$answer"}}
                        },
                    }
                },
            }
        },
    ),
    "qwen": AgentSetup(
        "qwen",
        _npm_command("@qwen-code/qwen-code"),
        {
            "OPENAI_BASE_URL": "$url/v1",
            "OPENAI_API_KEY": "$key",
            "OPENAI_MODEL": "$model",
            # The user's own settings override these.
            "QWEN_CODE_SYSTEM_DEFAULTS_PATH": "$folder/defaults.json",
        },
        ["--auth-type", "openai", "--model", "$model"],
        {"defaults.json": {"model": {"generationConfig": {"contextWindowSize": "$window"}}}},
    ),
    "copilot": AgentSetup(
        "copilot",
        _npm_command("@github/copilot"),
        {
            "COPILOT_PROVIDER_BASE_URL": "$url/v1",
            "COPILOT_PROVIDER_API_KEY": "$key",
            "COPILOT_MODEL": "$model",
            "COPILOT_PROVIDER_MAX_PROMPT_TOKENS": "$prompt",
            "COPILOT_PROVIDER_MAX_OUTPUT_TOKENS": "$answer",
        },
        min_context=24_000,
    ),
    "pi": AgentSetup(
        "pi",
        _npm_command("@earendil-works/pi-coding-agent"),
        {"PI_CODING_AGENT_DIR": "$folder"},
        ["--provider", "stretto", "--model", "$model"],
        {
            "models.json": {
                "providers": {
                    "stretto": {
                        "baseUrl": "$url/v1",
                        "api": "openai-completions",
                        "apiKey": "$key",
                        # Keep the same session id after compaction.
                        "compat": {"sendSessionAffinityHeaders": True},
                        "models": [
                            {"id": "$model", "contextWindow": "$context", "maxTokens": "$answer"}
                        ],
                    }
                }
            },
            # The defaults are meant for 200,000 tokens. With a smaller context, compaction would
            # keep everything.
            "settings.json": {
                "compaction": {"reserveTokens": "$answer", "keepRecentTokens": "$recent"}
            },
        },
        min_context=8_000,
    ),
    "cline": AgentSetup(
        "cline",
        _npm_command("cline"),
        arguments=["--data-dir", "$folder", "-P", "openai-compatible", "-m", "$model"],
        files={
            "settings/providers.json": {
                "version": 1,
                "lastUsedProvider": "openai-compatible",
                "providers": {
                    "openai-compatible": {
                        "settings": {
                            "provider": "openai-compatible",
                            "apiKey": "$key",
                            "model": "$model",
                            "baseUrl": "$url/v1",
                            "contextWindow": "$context",
                        },
                        "updatedAt": "2026-01-01T00:00:00.000Z",
                        "tokenSource": "manual",
                    }
                },
            }
        },
    ),
    "aider": AgentSetup(
        "aider",
        "python -m pip install aider-chat",
        {"OPENAI_API_BASE": "$url/v1", "OPENAI_API_KEY": "$key"},
        [
            *("--model", "openai/$model", "--model-metadata-file", "$folder/models.json"),
            "--no-show-model-warnings",
        ],
        {
            "models.json": {
                "openai/$model": {
                    "max_tokens": "$answer",
                    "max_input_tokens": "$context",
                    "max_output_tokens": "$answer",
                    "litellm_provider": "openai",
                    "mode": "chat",
                }
            }
        },
        min_context=8_000,
        calls_tools=False,
    ),
    "continue": AgentSetup(
        "cn",
        _npm_command("@continuedev/cli"),
        arguments=["--config", "$folder/config.yaml"],
        files={
            "config.yaml": {
                "name": "Stretto",
                "version": "1.0.0",
                "schema": "v1",
                "models": [
                    {
                        "name": "$model",
                        "provider": "openai",
                        "model": "$model",
                        "apiBase": "$url/v1",
                        "apiKey": "$key",
                        "roles": ["chat", "edit", "apply"],
                        "capabilities": ["tool_use"],
                        "defaultCompletionOptions": {"contextLength": "$context"},
                    }
                ],
            }
        },
    ),
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("agent", choices=list(AGENTS), help="coding agent to start")
    add(
        "rest",
        nargs=argparse.REMAINDER,
        metavar="…",
        help="options of this command and of the agent; everything after -- is the agent's",
    )
    _add_options(parser)


def _add_options(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("--model", metavar="NAME", help="model of the server (default: its first one)")
    default_url = "http://127.0.0.1:8080"
    add("--url", default=default_url, help="address of the server (default: %(default)s)")
    add("--folder", type=Path, help="folder in which the agent works (default: the current one)")
    add("--keys", type=Path, metavar="FILE", help="the server's keys (default: in the profile)")
    add("--print", action="store_true", help="only print the settings and the command")


def _split_options(options: argparse.Namespace) -> argparse.Namespace:
    """Parse the command's options after the agent's name. All other options are for the agent."""
    separator = options.rest.index("--") if "--" in options.rest else len(options.rest)
    parser = argparse.ArgumentParser(prog="launch", allow_abbrev=False, add_help=False)
    _add_options(parser)
    for name in ("model", "url", "folder", "keys", "print"):
        parser.set_defaults(**{name: getattr(options, name)})
    parsed, agent_options = parser.parse_known_args(options.rest[:separator])
    parsed.agent, parsed.rest = options.agent, agent_options + options.rest[separator + 1 :]
    return parsed


def main(options: argparse.Namespace) -> int:
    options = _split_options(options)
    agent: AgentSetup = AGENTS[options.agent]
    program = shutil.which(agent.program)
    if program is None and not options.print:
        print(
            f"launch: {agent.program} is not installed. Install it with: {agent.install}",
            file=sys.stderr,
        )
        return 2
    folder = _agent_folder(options.agent)
    try:
        key = _agent_key(options.agent, folder, options.keys or default_file(), not options.print)
        with _start_or_find_server(options) as (url, started):
            values = _model_values(url, key, options.model)
            values |= {"url": url, "key": key, "folder": str(folder)}
            if not _confirm(_collect_warnings(options.agent, values), ask=not options.print):
                return 2
            command = [program or agent.program, *_fill_in(list(agent.arguments), values)]
            command += options.rest
            variables = _fill_in(dict(agent.environment), values)
            if options.print:
                _print_setup(agent, variables, command, values, folder)
                return 0
            _write_files(agent, values, folder)
            if started:
                print(f"launch: {values['model']} runs until {options.agent} ends", flush=True)
            return _run(command, variables, options.folder)
    except (OSError, ValueError) as error:
        print(f"launch: {error}", file=sys.stderr)
        return 2


def _agent_folder(name: str) -> Path:
    return platformdirs.user_data_path("Stretto", appauthor=False) / "agents" / name


def _agent_key(name: str, folder: Path, file: Path, make: bool) -> str:
    """Return a key for the agent. If the server requires keys, a missing or revoked key is
    replaced.
    """
    keys, key_file = Keys(file), folder / "key"
    if all(key.revoked for key in keys.all()):
        # Creating the first key would lock out clients that work without a key. Most agents require
        # a key, though, and this value tells the server which agent is connecting.
        return name
    if key_file.exists() and keys.owner(stored_key := key_file.read_text().strip()):
        return stored_key
    if not make:
        return "(a new key)"
    key = keys.make(name)
    _write_private(key_file, key)
    return key


def _write_private(file: Path, text: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    replace_text(file, text)


@contextlib.contextmanager
def _start_or_find_server(options: argparse.Namespace) -> Iterator[tuple[str, bool]]:
    """Yield the server's address, and True if it was started for this agent."""
    url = options.url.rstrip("/").removesuffix("/v1")
    if options.print or _get_json(url, "/health", "") is not None:
        yield url, False
        return
    frozen = getattr(sys, "frozen", False)
    command = [sys.executable, *([] if frozen else ["-m", "engine"]), "serve"]
    command += [options.model or str(GUIDE), "--port", "0", "--quiet", "--for-a-program"]
    print("launch: no server answers; starting one …", file=sys.stderr, flush=True)
    pipes: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    # Use a new session, because Ctrl+C is meant for the agent. The server exits when its stdin is
    # closed.
    with subprocess.Popen(command, start_new_session=True, **pipes) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        try:
            line = server.stdout.readline()
            if not line:
                raise ValueError("the server did not start; see its messages above")
            options.model = json.loads(line)["model"]
            yield f"http://127.0.0.1:{json.loads(line)['port']}", True
        finally:
            server.stdin.close()


def _get_json(url: str, path: str, key: str) -> Any:
    """Return JSON from a server, or None if it doesn't respond."""
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ValueError(f"invalid address {url!r}; write it as http://127.0.0.1:8080")
    kind = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
    connection = kind(parts.hostname, parts.port, timeout=SERVER_TIMEOUT_S)
    try:
        connection.request("GET", path, headers={"Authorization": f"Bearer {key}"} if key else {})
        answer = connection.getresponse()
        value = json.loads(answer.read(_MAX_RESPONSE_BYTES))
    except (OSError, http.client.HTTPException, ValueError):
        return None
    finally:
        connection.close()
    if answer.status == 401:
        raise ValueError(f"{url} does not accept this program's key; set its file with --keys")
    return value


def _model_values(url: str, key: str, name: str | None) -> dict[str, Any]:
    """Return the values to fill in for the chosen model."""
    model_list = _get_json(url, "/v1/models", key)
    models = model_list.get("data") if isinstance(model_list, dict) else None
    if not isinstance(models, list) or not models:
        raise ValueError(f"no server answers at {url}")
    entry = next((m for m in models if name in (None, m.get("id"))), None)
    if entry is None:
        names = ", ".join(str(m.get("id")) for m in models)
        raise ValueError(f"unknown model {name!r} at {url}; available models: {names}")
    model = clean_name(str(entry["id"]))
    context = int(entry.get("context_length") or 32768)
    # The answer is part of the context, and agents reserve its tokens.
    answer = min(_MAX_ANSWER_TOKENS, context // 4)
    # Qwen Code reserves 33,000 tokens of a larger context for summaries.
    window = 33_000 if 33_000 < context < 60_000 else context
    prompt = context - answer
    # pi assumes four characters per token, but tables of numbers have one token per character.
    recent = min(20_000, context // 8)
    numbers = {"context": context, "window": window, "prompt": prompt, "answer": answer}
    supported = entry.get("supported_parameters")  # missing on older servers
    tools = not isinstance(supported, list) or "tools" in supported
    contexts = {clean_name(str(m.get("id"))): int(m.get("context_length") or 0) for m in models}
    return {
        "model": model,
        "contexts": contexts,  # context length of each model by name
        "quoted": json.dumps(model),
        "recent": recent,
        "tools": tools,
        **numbers,
    }


def _collect_warnings(name: str, values: Mapping[str, Any]) -> list[str]:
    agent, warnings = AGENTS[name], list[str]()
    if values["context"] < agent.min_context:
        longer = [model_id for model_id, n in values["contexts"].items() if n >= agent.min_context]
        example = f", such as {longer[0]}" if longer else ""
        warnings.append(
            f"{values['model']} has a context of {values['context']:,} tokens, but {name} needs "
            f"about {agent.min_context:,}. Choose a model with a longer context with --model"
            f"{example}."
        )
    if agent.calls_tools and not values["tools"]:
        warnings.append(
            f"{values['model']} cannot call tools, but {name} needs them. Choose another "
            "model with --model."
        )
    return warnings


def _confirm(doubts: list[str], ask: bool) -> bool:
    for doubt in doubts:
        print(f"launch: {doubt}", file=sys.stderr, flush=True)
    if not doubts or not ask or not (sys.stdin.isatty() and sys.stderr.isatty()):
        return True
    print("Start it anyway? [y/N] ", end="", file=sys.stderr, flush=True)
    return sys.stdin.readline().strip().lower() in ("y", "yes")


def _fill_in(form: Any, values: Mapping[str, Any]) -> Any:
    """Fill in $names. A string that is only the name of a number becomes that number."""
    if isinstance(form, str):
        number = form in ("$context", "$window", "$prompt", "$answer", "$recent")
        return values[form[1:]] if number else Template(form).safe_substitute(values)
    if isinstance(form, Mapping):
        return {_fill_in(name, values): _fill_in(value, values) for name, value in form.items()}
    return [_fill_in(item, values) for item in form] if isinstance(form, (list, tuple)) else form


def _write_files(agent: AgentSetup, values: Mapping[str, Any], folder: Path) -> None:
    for name, content in agent.files.items():
        try:
            before = json.loads((folder / name).read_text())
        except (OSError, ValueError):
            before = None
        settings = before if isinstance(before, dict) else {}
        _write_private(folder / name, json.dumps(settings | _fill_in(content, values), indent=2))


def _print_setup(
    agent: AgentSetup,
    variables: Mapping[str, Any],
    command: Sequence[str],
    values: Mapping[str, Any],
    folder: Path,
) -> None:
    for name, content in agent.files.items():
        print(f"# {folder / name}\n{json.dumps(_fill_in(content, values), indent=2)}\n")
    for name, value in variables.items():
        print(f"export {name}={shlex.quote(str(value))}" if value != "" else f"unset {name}")
    print(shlex.join(command))


def _run(command: Sequence[str], variables: Mapping[str, Any], folder: Path | None) -> int:
    environment = {**os.environ, **{name: str(value) for name, value in variables.items()}}
    environment = {k: v for k, v in environment.items() if v or k not in variables}
    # Child processes would inherit an ignored signal, but not a handler.
    before = signal.signal(signal.SIGINT, lambda *_: None)
    try:
        return subprocess.call(command, env=environment, cwd=folder)
    finally:
        signal.signal(signal.SIGINT, before)
