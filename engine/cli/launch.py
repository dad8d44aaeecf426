"""`python -m engine launch AGENT`: starts a coding agent that works with a model of this computer.

An agent is a row of `AGENTS`. What it has to be told stands in its environment, its arguments, or a
file in a folder of our own; what the person has set up for it elsewhere is not touched.
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
from engine.hub.names import clean_name
from engine.serve.auth import Keys, standard_file

ANSWER_SECONDS = 10.0  # how long a server may take to say which models it has
_LONGEST_ANSWER = 8192
_MOST = 2**20


class Agent(Struct, frozen=True):
    """How an agent is told of a server.

    In all texts $url, $key, $model, $folder and numbers of tokens stand for what is so: $context
    for all, $prompt and $answer for its parts, $recent for the end of a conversation that stays
    when the rest is made shorter, $window for what Qwen Code is told.
    """

    program: str  # what it is called on the command line
    install: str  # the command that installs it
    # its variables. What is empty is taken away.
    environment: Mapping[str, str] = field(default_factory=dict)
    arguments: Sequence[str] = ()  # before those of the person
    # in its folder, each as JSON. What else it keeps in them is left there.
    files: Mapping[str, Any] = field(default_factory=dict)
    # about how many tokens its instructions and tools and a short task take
    least_context: int = 16_000
    calls_tools: bool = True


def _npm(package: str) -> str:
    return f"npm install -g {package}"


AGENTS = {
    "claude": Agent(
        "claude",
        _npm("@anthropic-ai/claude-code"),
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
        least_context=24_000,
    ),
    "codex": Agent(
        "codex",
        _npm("@openai/codex"),
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
    "opencode": Agent(
        "opencode",
        _npm("opencode-ai"),
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
    "qwen": Agent(
        "qwen",
        _npm("@qwen-code/qwen-code"),
        {
            "OPENAI_BASE_URL": "$url/v1",
            "OPENAI_API_KEY": "$key",
            "OPENAI_MODEL": "$model",
            # What a person has set stands above these.
            "QWEN_CODE_SYSTEM_DEFAULTS_PATH": "$folder/defaults.json",
        },
        ["--auth-type", "openai", "--model", "$model"],
        {"defaults.json": {"model": {"generationConfig": {"contextWindowSize": "$window"}}}},
    ),
    "copilot": Agent(
        "copilot",
        _npm("@github/copilot"),
        {
            "COPILOT_PROVIDER_BASE_URL": "$url/v1",
            "COPILOT_PROVIDER_API_KEY": "$key",
            "COPILOT_MODEL": "$model",
            "COPILOT_PROVIDER_MAX_PROMPT_TOKENS": "$prompt",
            "COPILOT_PROVIDER_MAX_OUTPUT_TOKENS": "$answer",
        },
        least_context=24_000,
    ),
    "pi": Agent(
        "pi",
        _npm("@earendil-works/pi-coding-agent"),
        {"PI_CODING_AGENT_DIR": "$folder"},
        ["--provider", "stretto", "--model", "$model"],
        {
            "models.json": {
                "providers": {
                    "stretto": {
                        "baseUrl": "$url/v1",
                        "api": "openai-completions",
                        "apiKey": "$key",
                        # By which a session stays one when its beginning is made shorter.
                        "compat": {"sendSessionAffinityHeaders": True},
                        "models": [
                            {"id": "$model", "contextWindow": "$context", "maxTokens": "$answer"}
                        ],
                    }
                }
            },
            # Its own numbers are for 200,000 tokens: of fewer it would keep all, and give up.
            "settings.json": {
                "compaction": {"reserveTokens": "$answer", "keepRecentTokens": "$recent"}
            },
        },
        least_context=8_000,
    ),
    "cline": Agent(
        "cline",
        _npm("cline"),
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
    "aider": Agent(
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
        least_context=8_000,
        calls_tools=False,
    ),
    "continue": Agent(
        "cn",
        _npm("@continuedev/cli"),
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
    add("agent", choices=list(AGENTS), help="the coding agent to start")
    add(
        "rest",
        nargs=argparse.REMAINDER,
        metavar="…",
        help="options of this command, and what the agent is given; behind -- all is the agent's",
    )
    _add_options(parser)


def _add_options(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("--model", metavar="NAME", help="of those that the server has (its first one)")
    usual = "http://127.0.0.1:8080"
    add("--url", default=usual, help="where serve or Stretto answers (%(default)s)")
    add("--folder", type=Path, help="where the agent works (the current one)")
    add("--keys", type=Path, metavar="FILE", help="where the server's keys lie (in the profile)")
    add("--print", action="store_true", help="only show what would be set and started")


def _whole(options: argparse.Namespace) -> argparse.Namespace:
    """The options with those that stand behind the agent's name; the rest is the agent's."""
    place = options.rest.index("--") if "--" in options.rest else len(options.rest)
    parser = argparse.ArgumentParser(prog="launch", allow_abbrev=False, add_help=False)
    _add_options(parser)
    for name in ("model", "url", "folder", "keys", "print"):
        parser.set_defaults(**{name: getattr(options, name)})
    own, more = parser.parse_known_args(options.rest[:place])
    own.agent, own.rest = options.agent, more + options.rest[place + 1 :]
    return own


def main(options: argparse.Namespace) -> int:
    options = _whole(options)
    agent: Agent = AGENTS[options.agent]
    program = shutil.which(agent.program)
    if program is None and not options.print:
        print(
            f"launch: {agent.program} is not installed. Install it by: {agent.install}",
            file=sys.stderr,
        )
        return 2
    folder = _folder(options.agent)
    try:
        key = _key(options.agent, folder, options.keys or standard_file(), not options.print)
        with _serving(options) as (url, started):
            known = _known(url, key, options.model)
            known |= {"url": url, "key": key, "folder": str(folder)}
            if not _is_accepted(_doubts(options.agent, known), ask=not options.print):
                return 2
            command = [program or agent.program, *_filled(list(agent.arguments), known)]
            command += options.rest
            variables = _filled(dict(agent.environment), known)
            if options.print:
                _show(agent, variables, command, known, folder)
                return 0
            _write(agent, known, folder)
            if started:
                print(f"launch: {known['model']} answers until {options.agent} ends", flush=True)
            return _run(command, variables, options.folder)
    except (OSError, ValueError) as error:
        print(f"launch: {error}", file=sys.stderr)
        return 2


def _folder(name: str) -> Path:
    return platformdirs.user_data_path("Stretto", appauthor=False) / "agents" / name


def _key(name: str, folder: Path, file: Path, make: bool) -> str:
    """The agent's own key; made where the server asks for keys and this one is not good any more.

    Raises:
        OSError, ValueError: the keys cannot be read, or this one not be kept.
    """
    keys, kept = Keys(file), folder / "key"
    if all(key.revoked for key in keys.all()):
        # The first key would shut out who needs none today. Most agents want something, and a
        # server tells by this which one it is.
        return name
    if kept.exists() and keys.owner(known := kept.read_text().strip()):
        return known
    if not make:
        return "(a key of its own)"
    key = keys.make(name)
    _private(kept, key)
    return key


def _private(file: Path, text: str) -> None:
    """Write a file that only its owner can read."""
    file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    part = file.with_name(f".{file.name}.{os.getpid()}")
    with os.fdopen(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as out:
        out.write(text)
    os.replace(part, file)


@contextlib.contextmanager
def _serving(options: argparse.Namespace) -> Iterator[tuple[str, bool]]:
    """Where a server answers, and whether it was started for this.

    Raises:
        ValueError: none can be started.
    """
    url = options.url.rstrip("/").removesuffix("/v1")
    if options.print or _asked(url, "/health", "") is not None:
        yield url, False
        return
    frozen = getattr(sys, "frozen", False)
    command = [sys.executable, *([] if frozen else ["-m", "engine"]), "serve"]
    command += [options.model or str(GUIDE), "--port", "0", "--quiet", "--for-a-program"]
    print("launch: no server answers; starting one …", file=sys.stderr, flush=True)
    pipes: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    # Ctrl+C is the agent's: the server ends when this program lets it go.
    with subprocess.Popen(command, start_new_session=True, **pipes) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        try:
            line = server.stdout.readline()
            if not line:
                raise ValueError("the server did not start; its words are above")
            options.model = json.loads(line)["model"]
            yield f"http://127.0.0.1:{json.loads(line)['port']}", True
        finally:
            server.stdin.close()


def _asked(url: str, path: str, key: str) -> Any:
    """What a server says there; None where none answers.

    Raises:
        ValueError: the address is none, or the server refuses.
    """
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ValueError(f"an address is written as http://127.0.0.1:8080, not {url!r}")
    kind = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
    connection = kind(parts.hostname, parts.port, timeout=ANSWER_SECONDS)
    try:
        connection.request("GET", path, headers={"Authorization": f"Bearer {key}"} if key else {})
        answer = connection.getresponse()
        found = json.loads(answer.read(_MOST))
    except (OSError, http.client.HTTPException, ValueError):
        return None
    finally:
        connection.close()
    if answer.status == 401:
        raise ValueError(f"{url} knows no key of this program: name its file by --keys")
    return found


def _known(url: str, key: str, name: str | None) -> dict[str, Any]:
    """The model that was chosen, and its context.

    Raises:
        ValueError: the server does not tell, or has no such model.
    """
    found = _asked(url, "/v1/models", key)
    models = found.get("data") if isinstance(found, dict) else None
    if not isinstance(models, list) or not models:
        raise ValueError(f"no server answers at {url}")
    chosen = next((m for m in models if name in (None, m.get("id"))), None)
    if chosen is None:
        names = ", ".join(str(m.get("id")) for m in models)
        raise ValueError(f"there is no model {name!r} at {url}, but {names}")
    model = clean_name(str(chosen["id"]))
    context = int(chosen.get("context_length") or 32768)
    # What agents leave for an answer they take from the context: all of it would leave nothing.
    answer = min(_LONGEST_ANSWER, context // 4)
    # Qwen Code keeps 33,000 of a larger window for its summaries, which may leave it nothing.
    window = 33_000 if 33_000 < context < 60_000 else context
    prompt = context - answer
    # pi takes four letters for a token, and tables of figures have one a letter.
    recent = min(20_000, context // 8)
    numbers = {"context": context, "window": window, "prompt": prompt, "answer": answer}
    supported = chosen.get("supported_parameters")  # absent from older servers
    tools = not isinstance(supported, list) or "tools" in supported
    contexts = {clean_name(str(m.get("id"))): int(m.get("context_length") or 0) for m in models}
    return {
        "model": model,
        "contexts": contexts,  # of all models, by name
        "quoted": json.dumps(model),
        "recent": recent,
        "tools": tools,
        **numbers,
    }


def _doubts(name: str, known: Mapping[str, Any]) -> list[str]:
    """Why an agent will not get far with the model, a sentence each."""
    agent, found = AGENTS[name], list[str]()
    if known["context"] < agent.least_context:
        longer = [each for each, n in known["contexts"].items() if n >= agent.least_context]
        such_as = f", such as {longer[0]}" if longer else ""
        found.append(
            f"{known['model']} has a context of {known['context']:,} tokens, and {name} needs "
            f"about {agent.least_context:,}. Name a model with a longer context by --model"
            f"{such_as}."
        )
    if agent.calls_tools and not known["tools"]:
        found.append(
            f"{known['model']} cannot call tools, and {name} works with tools only. Name another "
            "model by --model."
        )
    return found


def _is_accepted(doubts: list[str], ask: bool) -> bool:
    """Print the doubts. In a terminal, return whether the user wants to start the agent anyway."""
    for doubt in doubts:
        print(f"launch: {doubt}", file=sys.stderr, flush=True)
    if not doubts or not ask or not (sys.stdin.isatty() and sys.stderr.isatty()):
        return True
    print("Start it anyway? [y/N] ", end="", file=sys.stderr, flush=True)
    return sys.stdin.readline().strip().lower() in ("y", "yes")


def _filled(what: Any, known: Mapping[str, Any]) -> Any:
    """The same with what is known in its texts. A text that is one name becomes what is known."""
    if isinstance(what, str):
        number = what in ("$context", "$window", "$prompt", "$answer", "$recent")
        return known[what[1:]] if number else Template(what).safe_substitute(known)
    if isinstance(what, Mapping):
        return {_filled(name, known): _filled(value, known) for name, value in what.items()}
    return [_filled(one, known) for one in what] if isinstance(what, (list, tuple)) else what


def _write(agent: Agent, known: Mapping[str, Any], folder: Path) -> None:
    for name, content in agent.files.items():
        try:
            before = json.loads((folder / name).read_text())
        except (OSError, ValueError):
            before = None
        kept = before if isinstance(before, dict) else {}
        _private(folder / name, json.dumps(kept | _filled(content, known), indent=2))


def _show(
    agent: Agent,
    variables: Mapping[str, Any],
    command: Sequence[str],
    known: Mapping[str, Any],
    folder: Path,
) -> None:
    for name, content in agent.files.items():
        print(f"# {folder / name}\n{json.dumps(_filled(content, known), indent=2)}\n")
    for name, value in variables.items():
        print(f"export {name}={shlex.quote(str(value))}" if value != "" else f"unset {name}")
    print(shlex.join(command))


def _run(command: Sequence[str], variables: Mapping[str, Any], folder: Path | None) -> int:
    """Run the agent in this terminal; its status. Ctrl+C is its own."""
    environment = {**os.environ, **{name: str(value) for name, value in variables.items()}}
    environment = {k: v for k, v in environment.items() if v or k not in variables}
    # A handler is not inherited, as ignoring a signal would be.
    before = signal.signal(signal.SIGINT, lambda *_: None)
    try:
        return subprocess.call(command, env=environment, cwd=folder)
    finally:
        signal.signal(signal.SIGINT, before)
