"""Whole sessions of coding agents that use OpenAI's APIs, for `tests.torture agents`.

They are started by `python -m engine launch`, which is tested this way too.
"""

from __future__ import annotations

import itertools
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from tokenizers import Tokenizer

from engine.cache.ledger import common_bytes
from tests.engine.scripted import call
from tests.environments import pip_install
from tests.torture import ROOT
from tests.torture.agents import (
    MODEL,
    MOST_SECONDS,
    PACKAGES,
    Agents,
    Exchange,
    Here,
    figures,
    installed,
)

FILL = "seq -s ' ' {n}0001 {n}1660"
"""Ten thousand tokens of our model, or a half to a quarter of that for other tokenizers. The
numbers differ each time, because agents stop a model that repeats itself.
"""
WORDS = "yes 'All of these {n} files were read, and none of them calls that parser.' | head -n 500"
FILL_SECONDS, ABORT_SECONDS = 300.0, 12.0
RESTS_SECONDS = 12.0
"""Delay before an idle conversation is written to disk."""


@dataclass(frozen=True)
class Client:
    """An agent: its package, its command line, and its tools.

    Attributes:
        asked: its arguments, with PROMPT as a placeholder.
        shell: a call of its shell tool.
        write: a call that writes "two" into two.txt; None without such a tool.
        resumed: arguments that continue its last session; empty if that needs a terminal.
        helper: a call of a sub-agent with the prompt [[part]]; None without sub-agents.
        context: context of the model in tokens, which a few tool results can fill.
        fill: shell command whose output fills it, with {n} for a digit.
        beside: packages required in addition to its own.
    """

    package: str
    program: str
    asked: Sequence[str]
    shell: Callable[[str], str]
    write: str | None = None
    resumed: Sequence[str] = ()
    helper: str | None = None
    context: int = 40_000
    fill: str = FILL
    beside: Sequence[str] = ()

    @property
    def scripts(self) -> dict[str, list[str]]:
        write = self.write or self.shell("echo two > two.txt")
        tools = [self.shell("echo one > one.txt"), write, self.shell("cat one.txt two.txt")]
        # Some agents don't wait for their sub-agents, and write the last message themselves.
        last = [self.shell("sleep 8"), "The part is done."]
        helped = {"help": [self.helper, *last]} if self.helper else {}
        return {
            **helped,
            "tools": [*tools, "All are done."],
            "fill": [*(self.shell(self.fill.format(n=n)) for n in range(1, 7)), "It is full."],
            "long": ["and so on …"],
            "wait": [self.shell(f"sleep {3 * RESTS_SECONDS:g}"), "It goes on."],
            "part": [self.shell("echo part > part.txt"), "That was my part."],
        }


CLIENTS = {
    "codex": Client(
        "@openai/codex",
        "codex",
        [
            *("exec", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox"),
            "PROMPT",
        ],
        lambda line: call("exec_command", cmd=line),
        resumed=[
            *("exec", "resume", "--last", "--skip-git-repo-check"),
            *("--dangerously-bypass-approvals-and-sandbox", "PROMPT"),
        ],
        helper=call("multi_agent_v1.spawn_agent", message="[[part]]"),
    ),
    "opencode": Client(
        "opencode-ai",
        "opencode",
        ["run", "PROMPT"],
        lambda line: call("bash", command=line, description="x"),
        call("write", filePath="@/two.txt", content="two"),
        ["run", "--continue", "PROMPT"],
        call("task", description="A part", prompt="[[part]]", subagent_type="general"),
    ),
    "qwen": Client(
        "@qwen-code/qwen-code",
        "qwen",
        ["-y", "-p", "PROMPT"],
        lambda line: call("run_shell_command", command=line, is_background=False),
        call("write_file", file_path="@/two.txt", content="two"),
        ["-y", "--continue", "-p", "PROMPT"],
        call("agent", description="A part", prompt="[[part]]", subagent_type="general-purpose"),
        2**16,
    ),
    "copilot": Client(
        "@github/copilot",
        "copilot",
        ["-p", "PROMPT", "--allow-all-tools"],
        lambda line: call("bash", command=line, description="x"),
        call("create", path="@/two.txt", file_text="two"),
        ["--continue", "-p", "PROMPT", "--allow-all-tools"],
        call("task", name="part", description="A part", prompt="[[part]]", agent_type="task"),
    ),
    "pi": Client(
        "@earendil-works/pi-coding-agent",
        "pi",
        ["-p", "PROMPT"],
        lambda line: call("bash", command=line),
        call("write", path="@/two.txt", content="two"),
        ["--continue", "-p", "PROMPT"],
        beside=["node@22"],  # requires at least this version
    ),
    "cline": Client(
        "cline",
        "cline",
        ["PROMPT"],
        lambda line: call("run_commands", commands=[line]),
        helper=call("spawn_agent", systemPrompt="You help.", task="[[part]]"),
    ),
    "continue": Client(
        "@continuedev/cli",
        "cn",
        ["-p", "PROMPT", "--auto"],
        lambda line: call("Bash", command=line),
        call("Write", filepath="@/two.txt", content="two"),
        ["-p", "PROMPT", "--auto", "--resume"],
        # This agent only trusts its own token count.
        fill=WORDS,
    ),
}


class Session:
    def __init__(self, here: Here, name: str, program: Path, asked: Sequence[str]) -> None:
        self._here, self._asked = here, asked
        launch = [sys.executable, "-m", "engine", "launch", name, "--url", here.url]
        self._command = [*launch, "--model", MODEL, "--"]
        path = os.pathsep.join((str(program.parent), os.environ["PATH"]))
        data = here.folder.parent / "data"
        self._environment = {"PATH": path, "PYTHONPATH": str(ROOT), "XDG_DATA_HOME": str(data)}

    def begun(self, prompt: str) -> subprocess.Popen[str]:
        asked = [prompt if word == "PROMPT" else word for word in self._asked]
        return self._here.begun([*self._command, *asked], self._environment)

    def __call__(
        self, prompt: str, how: Sequence[str] = (), most: float = MOST_SECONDS
    ) -> tuple[str, list[Exchange]]:
        """Return the output and the requests for a prompt.

        Args:
            how: arguments, if different from the usual.
            most: timeout in seconds.
        """
        place = len(self._here.recorder.exchanges)
        asked = [prompt if word == "PROMPT" else word for word in how or self._asked]
        _, printed = self._here.run([*self._command, *asked], self._environment, most)
        return printed, self._here.recorder.since(place)


def _new(here: Here, place: int, turns: Sequence[Exchange]) -> int:
    """Estimate the tokens in these requests that follow text already sent before `place`."""
    tokenizer = Tokenizer.from_file(str(here.folder.parent / MODEL / "tokenizer.json"))
    before = [_told(e) for e in here.recorder.exchanges[:place]]
    found = 0
    for exchange in turns:
        told = _told(exchange)
        common = max((common_bytes(told, one) for one in before), default=0)
        found += len(tokenizer.encode(told[common:].decode(errors="ignore")).ids)
        before.append(told)
    return found


def _told(exchange: Exchange) -> bytes:
    """Return the tools and messages of a request in the model's reading order."""
    body = exchange.body
    said = body.get("messages", body.get("input"))
    parts = (body.get("instructions"), body.get("tools"), said)
    return json.dumps(parts, ensure_ascii=False).encode()


def _restarted(here: Here, ask: Session) -> list[Exchange]:
    """Restart the server while an agent runs a tool, and return the agent's requests."""
    place = len(here.recorder.exchanges)
    process = ask.begun("[[wait]] please")
    give_up = time.monotonic() + MOST_SECONDS
    while not here.recorder.since(place) and time.monotonic() < give_up:
        time.sleep(0.1)
    time.sleep(RESTS_SECONDS)
    here.server.again()
    process.communicate(timeout=MOST_SECONDS)
    return here.recorder.since(place)


def _run(name: str, here: Here) -> None:
    """Test four turns with tools, an overflow, an abort, and continuing after it."""
    client = CLIENTS[name]
    program = installed(client.package, client.program, client.beside)
    ask = Session(here, name, program, client.asked)
    said, turns = ask("[[tools]] please")
    written = all((here.folder / file).exists() for file in ("one.txt", "two.txt"))
    here.found("four turns with tools", written and "All are done" in said, figures(turns))
    if not written:
        print(said[-1000:])
        return
    if client.resumed:
        place = len(here.recorder.exchanges)
        said, turns = ask("and on", client.resumed)
        new = _new(here, place, turns)
        # Files written in the meantime may appear in its first message, which shifts what follows.
        here.found(
            "a second process goes on",
            bool(turns) and sum(e.read for e in turns) <= new + 64 * len(turns),
            f"{figures(turns)}, {new} new",
        )
        time.sleep(RESTS_SECONDS)
        here.server.again()
        said, turns = ask("and further", client.resumed)
        kept = bool(turns) and turns[0].read < 0.05 * turns[0].known
        here.found("goes on after a restart of the server", kept, figures(turns))
    else:
        turns = _restarted(here, ask)
        kept = len(turns) > 1 and turns[-1].read < 0.05 * turns[-1].known
        here.found("goes on after a restart within a tool", kept, figures(turns))
    if client.helper:
        said, turns = ask("[[help]] please")
        done = (here.folder / "part.txt").exists()
        # If it runs in parallel with its parent, its end is reported in a separate turn.
        told = any(last in said for last in ("part is done", "Done."))
        here.found("a sub-agent", done and told, f"{said[-40:]!r} {figures(turns)}")
    place = len(here.recorder.exchanges)
    said, _ = ask("[[fill]] please", most=FILL_SECONDS)
    filled = here.recorder.exchanges[place:]
    sizes = [len(json.dumps(e.body)) for e in filled if e.body.get("tools")]
    shorter = any(after < 0.9 * before for before, after in itertools.pairwise(sizes))
    whole = "full" in said or "Done" in said
    here.found(
        "more than its context holds",
        shorter and whole,
        f"{len(filled)} requests, {sum(e.status >= 400 for e in filled)} refused; "
        + ("made it shorter, " if shorter else "")
        + ("went on to the end" if whole else f"ended before: {said[-300:]!r}"),
    )
    _aborted(ask, "[[long]] please")
    said, turns = ask("[[tools]] after the abort")
    here.found("an abort, and on", "All are done" in said, figures(turns))


def _aborted(ask: Session, prompt: str) -> None:
    process = ask.begun(prompt)
    time.sleep(ABORT_SECONDS)
    os.killpg(process.pid, signal.SIGINT)
    try:
        process.communicate(timeout=30)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()


AIDER_SCRIPTS = {
    "plain-edit": [
        "So it is:\n\nnotes.txt\n```\n<<<<<<< SEARCH\none\n=======\ntwo\n>>>>>>> REPLACE\n```\n"
    ],
    "plain-long": ["and so on …"],
}


def _aider(here: Here) -> None:
    """Test aider, which has no tools: it puts files into the prompt and parses edits from
    answers.
    """
    folder = PACKAGES / "aider"
    pip_install(folder, "aider-chat")
    print(next(folder.glob("lib/*/site-packages/aider_chat-*")).name, flush=True)
    quiet = ["--yes-always", "--no-git", "--no-check-update", "--analytics-disable"]
    asked = ["--message", "PROMPT", *quiet, "--no-show-release-notes"]
    ask = Session(here, "aider", folder / "bin" / "aider", asked)
    said, _ = ask("hello")
    here.found("a question", "Done." in said, said[-60:])
    # Only non-streamed responses report the number of prefilled tokens.
    whole = [*asked, "--no-stream"]
    said, turns = ask("and again", whole)
    here.found("a question without a stream", "Done." in said, figures(turns))
    on = [*whole, "--restore-chat-history"]
    place = len(here.recorder.exchanges)
    said, turns = ask("and on", on)
    new = _new(here, place, turns)
    read = sum(e.read for e in turns)
    worked = bool(turns) and read <= new + 64 * len(turns)
    here.found("a second process goes on", worked, f"{figures(turns)}, {new} new")
    time.sleep(RESTS_SECONDS)
    here.server.again()
    place = len(here.recorder.exchanges)
    said, turns = ask("and further", on)
    new = _new(here, place, turns)
    kept = bool(turns) and turns[0].read <= new + 0.05 * turns[0].known
    here.found("goes on after a restart of the server", kept, f"{figures(turns)}, {new} new")
    file = here.folder / "notes.txt"
    file.write_text("zero\none\n")
    said, turns = ask("[[plain-edit]] please", [*whole, "--edit-format", "diff", file.name])
    here.found("an edit of a file", file.read_text() == "zero\ntwo\n", figures(turns))
    (here.folder / "large.txt").write_text(" ".join(map(str, range(12_000))))
    said, _ = ask("hello", [*asked, "large.txt"])
    refused = sum(e.status >= 400 for e in here.recorder.exchanges)
    # With nothing to shorten, it explains the options to the user.
    told = refused > 0 and "token limit" in said
    here.found("more than its context holds", told, f"{refused} refused; {said[-300:]!r}")
    _aborted(ask, "[[plain-long]] please")
    said, turns = ask("after the abort", whole)
    here.found("an abort, and on", "Done." in said, figures(turns))


def agents() -> Agents:
    found: Agents = {
        name: (client.scripts, partial(_run, name), client.context)
        for name, client in CLIENTS.items()
    }
    return {**found, "aider": (AIDER_SCRIPTS, _aider, Client.context)}
