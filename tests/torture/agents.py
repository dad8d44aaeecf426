"""Real coding agents with a real server, from their packages.

Each agent is installed from its package into `build/agents` and runs without a window or network.
The model plays a script (`tests/engine/scripted.py`) with tool calls, sub-agents, an overflow and
an abort. A proxy between agent and server counts the prefilled tokens.
"""

from __future__ import annotations

import argparse
import http.client
import json
import os
import re
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from engine import Engine
from engine.serve.server import Server
from tests.engine.scripted import call, write_agent
from tests.environments import npm_install
from tests.torture import ROOT

PACKAGES = ROOT / "build" / "agents"
MODEL = "agent"
MOST_SECONDS = 600.0


@dataclass
class Exchange:
    """Request of an agent, and its result.

    Attributes:
        read: prompt tokens that were prefilled.
        known: prompt tokens found in a cache.
    """

    method: str
    path: str
    headers: dict[str, str]
    body: dict[str, Any]
    status: int = 0
    answer: str = ""
    read: int = 0
    known: int = 0


@dataclass
class Recorder:
    """Proxy in front of the server. Its exchanges are in order of arrival."""

    port: int
    exchanges: list[Exchange] = field(default_factory=list)

    @property
    def failed(self) -> list[Exchange]:
        # These errors are expected.
        told = ("too long", "context_length_exceeded", "agent_stopped")
        return [
            e for e in self.exchanges if e.status >= 400 and not any(t in e.answer for t in told)
        ]

    def since(self, place: int) -> list[Exchange]:
        return [e for e in self.exchanges[place:] if e.read or e.known]


_FIGURES = {
    "read": re.compile(r'"input_tokens": ?(\d+)'),
    "known": re.compile(r'"(?:cache_read_input_tokens|cached_tokens)": ?(\d+)'),
    "prompt": re.compile(r'"prompt_tokens": ?(\d+)'),
}


@contextmanager
def recorded(port: int) -> Iterator[Recorder]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_: object) -> None:
            pass

        def _pass(self) -> None:
            raw = self.rfile.read(int(self.headers.get("content-length") or 0))
            try:
                body = json.loads(raw)
            except ValueError:
                body = {}
            exchange = Exchange(self.command, self.path, dict(self.headers), body)
            recorder.exchanges.append(exchange)
            headers = {k: v for k, v in self.headers.items() if k.lower() not in _HOP}
            there = http.client.HTTPConnection("127.0.0.1", port, timeout=600)
            try:
                there.request(self.command, self.path, raw or None, headers)
                self._answer(there.getresponse(), exchange)
            except OSError:  # the agent or the server has disconnected
                self.close_connection = True
            finally:
                there.close()

        def _answer(self, response: http.client.HTTPResponse, exchange: Exchange) -> None:
            exchange.status = response.status
            self.send_response(response.status)
            for name, value in response.getheaders():
                if name.lower() not in _HOP:
                    self.send_header(name, value)
            self.send_header("Connection", "close")
            self.end_headers()
            self.close_connection = True
            pieces = []
            try:
                while piece := response.read1(65536):
                    pieces.append(piece)
                    self.wfile.write(piece)
                    self.wfile.flush()
            finally:
                exchange.answer = b"".join(pieces).decode(errors="replace")
                # The last usage counts, because the first chunk doesn't include reused tokens yet.
                figures = {
                    name: int([0, *pattern.findall(exchange.answer)][-1])
                    for name, pattern in _FIGURES.items()
                }
                exchange.known = figures["known"]
                anthropic = exchange.path.startswith("/v1/messages")
                whole = figures["prompt"] or figures["read"]
                exchange.read = whole if anthropic else whole - exchange.known

        do_GET = do_POST = do_HEAD = do_DELETE = _pass  # noqa: N815

    recorder = Recorder(0)
    proxy = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    recorder.port = proxy.server_address[1]
    thread = threading.Thread(target=proxy.serve_forever)
    thread.start()
    try:
        yield recorder
    finally:
        proxy.shutdown()
        proxy.server_close()
        thread.join()


_HOP = ("host", "connection", "content-length", "transfer-encoding", "accept-encoding")


@dataclass
class Here:
    """Environment of a running agent.

    Attributes:
        folder: its project; the agent's home folder is next to it.
        url: address of the proxy.
        rows: name, success and details of each check.
        server: server behind the proxy.
    """

    agent: str
    folder: Path
    recorder: Recorder
    rows: list[tuple[str, str, bool, str]]
    server: Serving

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.recorder.port}"

    def found(self, what: str, worked: bool, how: object = "") -> None:
        self.rows.append((self.agent, what, worked, str(how)))
        print(f"  {'works ' if worked else 'FAILED'}  {what}  {how}", flush=True)

    def environment(self, more: Mapping[str, str]) -> dict[str, str]:
        """Return an environment with our PATH, but none of our keys, settings or home folder."""
        home = self.folder.parent / "home"
        home.mkdir(exist_ok=True)
        quiet = {"DO_NOT_TRACK": "1", "CI": "1", "TERM": "dumb", "LANG": "C.UTF-8"}
        return {"PATH": os.environ["PATH"], "HOME": str(home), **quiet, **more}

    def begun(self, command: Sequence[str], more: Mapping[str, str]) -> subprocess.Popen[str]:
        return subprocess.Popen(
            command,
            cwd=self.folder,
            env=self.environment(more),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )

    def run(
        self, command: Sequence[str], more: Mapping[str, str], most: float = MOST_SECONDS
    ) -> tuple[int, str]:
        """Run a command and return its status and output. It is killed after `most` seconds."""
        process = self.begun(command, more)
        try:
            printed, _ = process.communicate(timeout=most)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            printed, _ = process.communicate()
        return process.returncode, printed


def installed(package: str, program: str, beside: Sequence[str] = ()) -> Path:
    """Return a program from npm, installing its package and those `beside` it if needed."""
    folder = PACKAGES / package.replace("/", "+")
    # Without a tag, npm picks an older version if the latest needs a newer Node.
    npm_install(folder, f"{package}@latest", *beside)
    told = json.loads((folder / "node_modules" / package / "package.json").read_text())
    print(f"{package} {told['version']}", flush=True)
    return folder / "node_modules" / ".bin" / program


CLAUDE_SCRIPTS = {
    "claude-tools": [
        call("Bash", command="echo one > one.txt", description="Write a file"),
        call("Read", file_path="@/one.txt"),
        call("Write", file_path="@/two.txt", content="two"),
        "All four are done.",
    ],
    "claude-parts": [
        call("Agent", description="A part", prompt="[[claude-part]]", subagent_type="Explore"),
        "The part is done.",
    ],
    "claude-part": [call("Bash", command="echo part > part.txt"), "That was my part."],
    "claude-six": [
        "\n".join(
            call(
                "Agent",
                description="A part",
                prompt=f"[[claude-part]] {n}",
                subagent_type="Explore",
            )
            for n in range(6)
        ),
        "All six are done.",
    ],
    "claude-search": [
        call("ToolSearch", query="select:WebFetch", max_results=3),
        call("Bash", command="echo found > found.txt"),
        "Found.",
    ],
    "claude-fill": [*[call("Bash", command=f"seq {n}0000 {n}4500") for n in range(1, 9)], "Full."],
    "claude-long": ["and so on …"],
}


def figures(exchanges: Sequence[Exchange]) -> str:
    return "read " + ", ".join(f"{e.read}/{e.read + e.known}" for e in exchanges)


def claude_of(here: Here) -> tuple[Path, dict[str, str]]:
    program = installed("@anthropic-ai/claude-code", "claude")
    native = list(program.parents[1].glob("@anthropic-ai/claude-code-*/claude"))
    environment = {
        "ANTHROPIC_BASE_URL": here.url,
        "ANTHROPIC_AUTH_TOKEN": "none",
        "ANTHROPIC_MODEL": MODEL,
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "DISABLE_AUTOUPDATER": "1",
        "BASH_DEFAULT_TIMEOUT_MS": "60000",
    }
    return native[0] if native else program, environment


CLAUDE_TOOLS = ("--allowedTools", "Bash,Read,Write,Agent,Task")


def claude(here: Here) -> None:
    """Test Claude Code: four turns with tools, a second process, a sub-agent and an abort."""
    program, environment = claude_of(here)

    def asked(prompt: str, *options: str) -> tuple[str, list[Exchange]]:
        place = len(here.recorder.exchanges)
        command = [str(program), "-p", prompt, "--output-format", "json", *CLAUDE_TOOLS, *options]
        _, printed = here.run(command, environment)
        try:
            said = str(json.loads(printed.strip().splitlines()[-1]).get("result"))
        except (ValueError, IndexError, AttributeError):
            said = printed[-300:]
        return said, here.recorder.since(place)

    said, turns = asked("[[claude-tools]] please")
    written = (here.folder / "one.txt").exists() and (here.folder / "two.txt").exists()
    here.found("four turns with tools", written and "All four" in said, figures(turns))
    if not written:
        print(said)
        return
    said, turns = asked("[[claude-tools]] once more")
    here.found("a second process", "All four" in said, figures(turns))
    said, turns = asked("[[claude-parts]] please")
    done = (here.folder / "part.txt").exists()
    # If sub-agents run in parallel with their parent, their end is reported in a separate turn.
    here.found("a sub-agent", done and said in ("The part is done.", "Done."), figures(turns))
    said, turns = asked("[[claude-six]] please")
    heads = [e for e in turns if "[[claude-part]]" in json.dumps(e.body.get("messages", [])[:2])]
    once = max((e.read + e.known for e in heads), default=0)
    shared = len(heads) >= 6 and sum(e.read for e in heads) < once + 64 * len(heads)
    here.found("six sub-agents read their head once", shared, figures(turns))
    environment["ENABLE_TOOL_SEARCH"] = "true"
    said, turns = asked("[[claude-search]] please")
    del environment["ENABLE_TOOL_SEARCH"]
    again = sum(e.read for e in turns[1:])
    worked = bool(turns) and "Found" in said and again < 3000
    here.found("a tool is found later", worked, f"{said[:60]} {figures(turns)}")
    said, turns = asked("[[claude-fill]] please")
    refused = [e for e in here.recorder.exchanges if "prompt is too long" in e.answer]
    compacted = [e for e in turns if "<summary>" in e.answer]
    worked = bool(refused and compacted) and "too long" not in said
    here.found("an overflow that compacts", worked, f"{said[:60]} {figures(turns)}")
    asked("[[claude-tools]] before the restart")
    time.sleep(12)  # idle conversations are written after a delay
    here.server.again()
    said, turns = asked("go on", "--continue")
    kept = bool(turns) and turns[0].read < 0.05 * turns[0].known
    here.found("goes on after a restart of the server", kept, figures(turns))
    process = here.begun([str(program), "-p", "[[claude-long]] please"], environment)
    time.sleep(15)
    os.killpg(process.pid, signal.SIGINT)
    process.communicate(timeout=60)
    said, turns = asked("[[claude-tools]] after the abort")
    here.found("an abort, and on", "All four" in said, figures(turns))


WriteModel = Callable[[Path, Path, int], Path]
"""Function that writes a model for a project's folder, with a context length, and returns its
folder.
"""

Agent = tuple[dict[str, list[str]] | WriteModel, Callable[[Here], None], int]
"""The scripts, with @ for the project's folder, the function that runs the agent, and the model's
context in tokens. Instead of scripts, a function can write the model.
"""
Agents = dict[str, Agent]


def agents() -> Agents:
    from tests.torture import agents_openai, agents_quotes

    return {
        "claude": (CLAUDE_SCRIPTS, claude, 2**16),
        **agents_openai.agents(),
        **agents_quotes.agents(),
    }


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="tests.torture agents", description=__doc__)
    names = ", ".join(name for name in agents() if ":" not in name)
    about = f"of {names}; NAME-quotes:NOTATION for a model of another notation"
    parser.add_argument("names", nargs="*", metavar="NAME", help=about)
    chosen = parser.parse_args(arguments)
    rows: list[tuple[str, str, bool, str]] = []
    known = agents()
    with tempfile.TemporaryDirectory() as root:
        for name in chosen.names or [name for name in known if ":" not in name]:
            _run(name, known[name], Path(root) / name, rows)
    print(f"\n{'agent':12} {'what':42} {'worked':7}")
    for agent, what, worked, how in rows:
        print(f"{agent:12} {what:42} {'yes' if worked else 'NO':7} {how}")
    return sum(not worked for _, _, worked, _ in rows)


def _run(name: str, agent: Agent, folder: Path, rows: list[tuple[str, str, bool, str]]) -> None:
    print(f"{name}:", flush=True)
    project = folder / "project"
    project.mkdir(parents=True)
    scripts, run, context = agent
    if isinstance(scripts, dict):
        laid = {k: [a.replace("@/", f"{project}/") for a in said] for k, said in scripts.items()}
        model = write_agent(folder / MODEL, laid, context)
    else:
        model = scripts(project, folder / MODEL, context)
    with Serving(model, folder / "cache") as server, recorded(server.port) as recorder:
        try:
            run(Here(name, project, recorder, rows, server))
        finally:
            for exchange in recorder.failed:
                told = f"{exchange.method} {exchange.path}: {exchange.status}"
                rows.append((name, told, False, exchange.answer[:200]))


class Serving:
    """`serve` in this process."""

    def __init__(self, model: Path, cache: Path) -> None:
        self._model, self._cache = model, cache
        self.port = 0

    def __enter__(self) -> Serving:
        self._engine = Engine(cache_dir=self._cache)
        self._engine.start()
        models = [self._engine.load(self._model)]
        self._server = Server(self._engine, models, self.port, keeps_caches=True)
        self._server.start()
        self.port = self._server.port
        return self

    def __exit__(self, *_: object) -> None:
        self._server.stop()
        self._engine.stop()

    def again(self) -> None:
        self.__exit__()
        self.__enter__()
