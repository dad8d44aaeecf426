"""Local tabs, tabs on two ranks and remote tabs side by side, and the cost of turns.

`window`: on a virtual screen (Xvfb), three tabs stream at the same time: with the Guide, with a
model on two ranks behind `serve --ranks 2`, and with a scripted server. After a rank is killed, its
tab ends with a message and keeps its text, the others continue, and the next question in it gets an
answer. Screenshots are saved in `--out`. `turns`: many chats of several turns with one `serve`,
with and without sessions, and the numbers of prefilled tokens and bytes sent.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.app.remote.scripted import Asked, Scripted, Writer, delta, events, head
from tests.screen import xvfb
from tests.torture import ROOT

if TYPE_CHECKING:
    from app.ui.pane.pane import ChatPane
    from tests.driving import Driver

SCREEN = "1500x950x24"
ENDS_S = 20.0
"""Seconds until the tab of a killed rank must have ended, on a busy machine."""


@contextlib.contextmanager
def screen() -> Iterator[None]:
    """Use a virtual screen if Xvfb is installed. Otherwise render offscreen."""
    if shutil.which("Xvfb") is None:
        print("no Xvfb: drawn without a screen")
        os.environ["QT_QPA_PLATFORM"] = "offscreen"
        yield
        return
    with xvfb(SCREEN) as name:
        os.environ["DISPLAY"] = name
        os.environ["QT_QPA_PLATFORM"] = "xcb"
        yield


@contextlib.contextmanager
def serving(folder: Path, *options: str) -> Iterator[tuple[str, int]]:
    """Run `serve` as a process without a disk cache, and yield its base URL and process id.

    A disk cache would carry results over from an earlier run.
    """
    command = [sys.executable, "-m", "engine", "serve", str(folder), "--port", "0", "--quiet"]
    own = ["--keys", str(folder.parent / "keys.json"), "--cache-gb", "0"]
    process = subprocess.Popen(
        [*command, *own, *options], cwd=ROOT, stdout=subprocess.PIPE, text=True
    )
    try:
        assert process.stdout is not None
        line = process.stdout.readline()
        assert " at http://" in line, line
        yield line.partition(" at ")[2].split(" ")[0].rstrip(","), process.pid
    finally:
        process.send_signal(signal.SIGINT)
        try:
            process.wait(60)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def ranks_of(parent: int) -> list[int]:
    """Return the process ids of the ranks started by a process, in order."""
    found = []
    for entry in Path("/proc").iterdir():
        if not entry.name.isdecimal():
            continue
        with contextlib.suppress(OSError):
            above = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
            if above == parent and b"engine.cluster" in (entry / "cmdline").read_bytes():
                found.append(int(entry.name))
    return sorted(found)


async def endless(asked: Asked, writer: Writer) -> None:
    """Stream words forever."""
    if asked.method == "GET":
        writer.write(head(kind="application/json") + b'{"data": [{"id": "far"}]}')
        await writer.drain()
        return
    writer.write(head())
    for number in range(100_000):
        word = "far away " if number % 9 else "\n\n"
        writer.write(events(delta(word), done=False))
        await writer.drain()
        await asyncio.sleep(0.1)


class Window:
    """The three tabs and their faults."""

    def __init__(self, driver: Driver, out: Path) -> None:
        self.driver = driver
        self.out = out
        self.panes: dict[str, ChatPane] = {}
        self.wrong: list[str] = []

    def said(self, name: str) -> int:
        """Return the total number of characters in the tab's answers."""
        chat = self.panes[name].chat
        answers = [m for m in chat.transcript.path if m.role == "assistant"]
        return sum(len(chat.reply.message(m.id).content) for m in answers)

    def keep_busy(self, *names: str) -> None:
        """Send a question in each tab whose answer has ended."""
        from tests.bench.moving_picture import ask

        for name in names:
            if not self.panes[name].chat.reply.is_active:
                ask(self.driver, self.panes[name], "Tell me a long story")

    def until_all_grow(self, *names: str, by: int, seconds: float) -> bool:
        """Return True if each tab gets `by` more characters within the time."""
        before = {name: self.said(name) for name in names}
        end = time.monotonic() + seconds
        while any(self.said(name) < before[name] + by for name in names):
            if time.monotonic() > end:
                return False
            self.keep_busy(*names)
            self.driver.wait(0.3)
        return True

    def picture(self, name: str) -> None:
        from app.ui.style.theme import theme

        for look in ("light", "dark"):
            theme().set_appearance(look)
            self.driver.wait(0.5)
            self.driver.window.grab().save(str(self.out / f"{name}-{look}.png"))
        theme().set_appearance("light")

    def check(self, good: bool, words: str) -> None:
        print(("held: " if good else "WRONG: ") + words, flush=True)
        if not good:
            self.wrong.append(words)


def window(options: argparse.Namespace) -> int:
    """Run three tabs together and kill a rank."""
    from engine.bench.random_models import write_model
    from engine.bench.small_configs import small_config

    out = Path(options.out)
    out.mkdir(parents=True, exist_ok=True)
    with contextlib.ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="stretto-")))
        write_model(folder / "spread", small_config("llama"), scale=3.0)
        url, process = stack.enter_context(serving(folder / "spread", "--ranks", "2"))
        far = Scripted(endless)
        stack.callback(far.close)
        stack.enter_context(screen())
        from tests.bench.drive import program

        driver = stack.enter_context(program(size=(1480, 920)))
        shown = Window(driver, out)
        _play(shown, url, far.address, process)
    print(f"{len(shown.wrong)} wrong; pictures in {out}")
    return len(shown.wrong)


def _play(shown: Window, url: str, far: str, process: int) -> None:
    from app.chats.options import ChatOptions
    from app.remote.address import Remote

    driver = shown.driver
    loader = driver.application.loader
    (listed,) = loader.remotes.models_at(url, None).result(60)
    spread = Remote(url, listed.model, listed.kind, listed.context)
    shown.panes["here"] = driver.pane
    for name, remote in (("spread", spread), ("far", Remote(far, "far"))):
        loader.add_remote(remote, "")
        driver.window.chats.split("right")
        shown.panes[name] = driver.pane
        driver.pane.chat.model.set(remote.ref)
    shown.panes["spread"].chat.set_options(ChatOptions(temperature=0.0, max_tokens=6000), "")
    driver.window.toggle_score()
    all_of_them = ("here", "spread", "far")
    shown.keep_busy(*all_of_them)
    shown.check(shown.until_all_grow(*all_of_them, by=60, seconds=180), "three tabs stream")
    shown.keep_busy(*all_of_them)
    driver.wait(1.5)
    lanes = {lane.chat_id: lane for lane in driver.window.score.feed.lanes}
    lane = lanes.get(shown.panes["spread"].chat.id)
    told = bool(lane and lane.kv_tokens and lane.host in url)
    shown.check(told, "the score shows the tab on two ranks")
    shown.picture("1-three-at-once")
    _kill(shown, process)
    shown.picture("2-a-rank-was-killed")
    shown.keep_busy("spread")
    again = shown.until_all_grow("spread", by=20, seconds=180)
    shown.check(again, "the next question there is answered, on ranks that were started again")
    shown.picture("3-answered-again")


def _kill(shown: Window, process: int) -> None:
    chat, before = shown.panes["spread"].chat, shown.said("spread")
    shown.keep_busy("spread", "here", "far")
    shown.driver.wait(1.0)
    ranks = ranks_of(process)
    shown.check(len(ranks) == 2, f"{len(ranks)} ranks run")
    os.kill(ranks[-1], signal.SIGKILL)
    began = time.monotonic()
    try:
        shown.driver.until(lambda: not chat.reply.is_active, ENDS_S)
    except TimeoutError:
        shown.check(False, "the tab of the killed rank ends")
        return
    took = time.monotonic() - began
    last = chat.transcript.last("assistant")
    assert last is not None
    shown.check(last.status == "error", f"its tab ended after {took:.1f} s: {last.error}")
    shown.check(shown.said("spread") >= before, "its text is kept")
    others = shown.until_all_grow("here", "far", by=40, seconds=120)
    shown.check(others, "the others go on")


# The cost of turns.


def turns(options: argparse.Namespace) -> int:
    """Run chats of several turns in random order, with and without sessions."""
    from engine.bench.random_models import write_model
    from engine.bench.small_configs import small_config

    with contextlib.ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="stretto-")))
        write_model(folder / "tiny", small_config("llama"), scale=3.0)
        for chats in options.chats:
            for kind in ("stretto", ""):
                with serving(folder / "tiny") as (url, _):
                    _converse(url, kind, chats, options)
    return 0


def _converse(url: str, kind: str, chats: int, options: argparse.Namespace) -> None:
    from app.remote import client
    from app.remote.address import Remote
    from app.remote.remotes import Remotes
    from engine import SamplingParams
    from tests.app.remote.conftest import Heard

    sent, plain = [0], client.stream_reply

    def counted(remote: Any, key: str, body: Any, *more: Any) -> Any:
        sent[0] += len(json.dumps(body, ensure_ascii=False).encode())
        return plain(remote, key, body, *more)

    remotes, drawn = Remotes(), random.Random(options.seed)
    (listed,) = remotes.models_at(url, None).result(60)
    remote = Remote(url, listed.model, kind, listed.context)
    remotes.add(remote, "")
    model = remotes.model(remote.ref)
    assert model is not None
    chosen = {"max_tokens": 16, "temperature": 0.0}
    sessions = [remotes.session(model, f"chat {n}", chosen) for n in range(chats)]
    texts: list[list[dict[str, str]]] = [[] for _ in sessions]
    order = [n for n in range(chats) for _ in range(options.turns)]
    drawn.shuffle(order)
    prompt = read = 0
    client.stream_reply = counted  # type: ignore[assignment]
    try:
        for number in order:
            words = " ".join(drawn.choices(("one", "two", "three", "four"), k=40))
            said = [*texts[number], {"role": "user", "content": f"{number} {words}"}]
            heard = Heard()
            sessions[number].send(said, SamplingParams(seed=1), heard)
            stats = heard.last.stats  # type: ignore[union-attr]
            prompt += stats.prompt_tokens
            read += stats.prompt_tokens - stats.reused_tokens
            texts[number] = [*said, {"role": "assistant", "content": heard.text()}]
    finally:
        client.stream_reply = plain
        for session in sessions:
            session.close()
        remotes.shut_down()
    count, how = len(order), "in sessions" if kind else "without sessions"
    print(
        f"{chats} chats of {options.turns} turns, {how}: {prompt / count:.0f} tokens of a prompt, "
        f"{read / count:.0f} read, {sent[0] / count:.0f} bytes sent a turn",
        flush=True,
    )


def main(arguments: list[str]) -> int:
    """Run the chosen parts and return 1 if one of them failed."""
    parser = argparse.ArgumentParser(prog="tests.torture elsewhere", description=__doc__)
    parser.add_argument("--parts", nargs="+", choices=("window", "turns"), help="both")
    parser.add_argument("--out", default="build/elsewhere", help="where pictures go")
    parser.add_argument("--chats", type=int, nargs="+", default=[4, 24], help="(4 and 24)")
    parser.add_argument("--turns", type=int, default=6, help="of each chat (6)")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args(arguments)
    parts = options.parts or ["window", "turns"]
    wrong = sum({"window": window, "turns": turns}[part](options) for part in parts)
    return 1 if wrong else 0
