"""``stretto --self-test``: the installed program tries itself out, in a profile of its own.

It goes the way a person goes: the window opens on the Guide, two panes ask at once, both answers
come, the window is drawn, and after the end everything is found in the store again. Made for the
frozen program, where what is missing shows only once it is used: what rests on files that nothing
imports, on a native library or on a process of its own is tried alone.
"""

from __future__ import annotations

import json
import logging
import os
import platform
import tempfile
import time
import traceback
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from msgspec import Struct, field, to_builtins
from msgspec.structs import replace

from app import __version__
from app.settings.paths import Paths
from app.system.crash import versions

WORDS = "The lighthouse keeps its lamp in a blue box"  # what the document says that is read


def document(driver: Any, folder: Path) -> str:
    """Attach a PDF to the pane's message, which a child process reads, have it drawn as an image,
    and take it off again.
    """
    from PySide6.QtGui import QFont, QPainter, QPdfWriter

    folder.mkdir(parents=True, exist_ok=True)
    file = folder / "a page.pdf"
    writer = QPdfWriter(str(file))
    painter = QPainter(writer)
    painter.setFont(QFont("Inter", 12))
    painter.drawText(800, 1200, WORDS)
    painter.end()
    attaching = driver.pane.chat.attaching
    refused: list[str] = []
    attaching.refused.connect(refused.append)
    attaching.add([file])
    driver.until(lambda: refused or attaching.files, 60)
    if refused:
        raise RuntimeError(refused[0])
    (attachment,) = attaching.files
    store = driver.application.store
    text = store.texts.get(attachment.hash) if store is not None else None
    attaching.draw(attachment, ())
    driver.until(lambda: refused or attaching.files[0].is_image, 60)
    drawn = attaching.files[0]
    attaching.remove(drawn)
    if refused:
        raise RuntimeError(refused[0])
    if text is None or WORDS not in " ".join(" ".join(text.pages).split()):
        raise RuntimeError("the text of a PDF is not what was written into it")
    size = f"{drawn.width} x {drawn.height} pixels"
    return f"{len(text.pages)} page of a PDF, {attachment.characters} characters, {size}"


def tool() -> str:
    """Call a tool of an MCP server that is this program itself, over stdio."""
    from app.tools.host import ToolHost
    from app.tools.servers import ServerConfig
    from engine.sandbox.process import own_command

    command, *arguments = own_command("mcp")
    host = ToolHost()
    try:
        host.set_servers([ServerConfig("stretto", command, tuple(arguments), cwd=str(Path.cwd()))])
        tools = {each.name: each for each in host.tools("stretto").result(90)}
        result = host.call(tools["ask"], {"prompt": "Hello"}).result(90)
    finally:
        host.shut_down()
    if result.error or not result.text.strip():
        raise RuntimeError(f"the tool says {result.text!r}")
    return f"{', '.join(sorted(tools))} over stdio: {result.text[:40]!r}"


def formula() -> str:
    """Set a formula: its fonts and tables lie in files that nothing imports."""
    from app.markdown import tex

    made = tex.formula(r"\sum_{i=1}^n \frac{1}{i^2}", True)
    if made is None:
        raise RuntimeError("a formula could not be set")
    return f"{made.width:.0f} x {made.height:.0f} pixels"


def signature() -> str:
    """Check a signature, as of the file that says which version is the newest."""
    import base64

    from nacl.signing import SigningKey

    from app.system.updates import read

    secret = SigningKey.generate()
    said = json.dumps({"version": __version__, "page": "https://localhost"})
    signature = base64.b64encode(secret.sign(said.encode()).signature).decode()
    document = json.dumps({"signed": said, "signature": signature}).encode()
    return f"of version {read(document, bytes(secret.verify_key)).version}"


def licences() -> str:
    """Find the texts of all licences."""
    from app.system.licences import components

    parts = components()
    missing = [part.name for part in parts if len(part.text) < 100]
    if missing or "PySide6_Essentials" not in [part.name for part in parts]:
        raise RuntimeError(f"no text for {', '.join(missing) or 'PySide6'}")
    return f"of {len(parts)} parts"


QUESTIONS = ("Tell me a long story", "Write a long answer about trees")
"""Their answers are long enough that both are being given at once."""
LONGEST = 160
"""Tokens of such an answer: enough to be given at once, and no minute's wait on a slow machine."""
FAMILIES = 100  # at least so many architectures must run; some want Metal or a package of their own
COLOURS = 20  # a window that was drawn shows at least so many; an empty one shows two or three


class Check(Struct):
    """One thing tried; ``detail`` is the error where it did not go well."""

    name: str
    ok: bool
    detail: str
    seconds: float


class Report(Struct):
    """What was found."""

    machine: dict[str, Any] = field(default_factory=dict)  # system, versions and devices
    # in the order in which they were done; what follows a failure may be missing
    checks: list[Check] = field(default_factory=list)

    @property
    def ok(self) -> bool:
        return bool(self.checks) and all(check.ok for check in self.checks)

    def do(self, name: str, action: Callable[[], str]) -> None:
        """Note how ``action`` goes. Raises what it raises, once that is noted."""
        began = time.perf_counter()
        try:
            detail = action()
        except Exception as error:
            detail = f"{type(error).__name__}: {error}"
            self.checks.append(Check(name, False, detail, time.perf_counter() - began))
            raise
        self.checks.append(Check(name, True, detail, time.perf_counter() - began))

    def text(self) -> str:
        lines = [f"Stretto {__version__}"]
        lines += [f"  {name}: {value}" for name, value in self.machine.items()]
        for check in self.checks:
            mark = "ok  " if check.ok else "FAIL"
            lines.append(f"{mark} {check.name} ({check.seconds:.1f} s): {check.detail}")
        lines.append("Everything works." if self.ok else "Something does not work.")
        return "\n".join(lines)

    def as_dict(self) -> dict[str, Any]:
        return {
            "version": __version__,
            "ok": self.ok,
            "machine": self.machine,
            "checks": [to_builtins(check) for check in self.checks],
        }


def run(
    json_to: Path | None = None,
    picture_to: Path | None = None,
    thorough: bool = False,
    from_hub: str = "",
) -> int:
    """Try everything, print the report, write it as JSON where asked; 0 when all is well.

    ``thorough`` takes some minutes more: every tokenizer class, every family of models.
    ``from_hub`` is a model that is downloaded and answers, from the hub that HF_ENDPOINT names.
    """
    # Under Xvfb or on a real screen the caller says so; by default nothing is shown.
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    report = Report(machine=_machine())
    trouble = _Trouble()
    logging.getLogger().addHandler(trouble)
    with tempfile.TemporaryDirectory(prefix="stretto-self-test-") as folder:
        try:
            _try_out(report, Paths.in_profile(Path(folder)), picture_to)
            if from_hub:
                report.do("hub", lambda: download(from_hub, Path(folder) / "hub"))
            if thorough:
                report.do("tokenizers", _tokenizers)
                report.do("families", _families)
            report.do("log", trouble.look)
        except Exception:
            traceback.print_exc()
    logging.getLogger().removeHandler(trouble)
    print(report.text())
    if json_to is not None:
        json_to.write_text(json.dumps(report.as_dict(), indent=1), encoding="utf-8")
    return 0 if report.ok else 1


def _try_out(report: Report, paths: Paths, picture_to: Path | None) -> None:
    from app.program.driving import Driver, program_in

    with ExitStack() as stack:
        drivers: list[Driver] = []

        def start() -> str:
            drivers.append(stack.enter_context(program_in(paths, size=(1280, 800))))
            return "the window is open, the Guide is loaded"

        report.do("start", start)
        driver = drivers[0]
        engine = driver.application.loader.engine
        if engine is not None:
            report.machine["backend"] = engine.stats()["backend"]
        report.do("answers", lambda: _two_answers(driver))
        report.do("picture", lambda: _picture(driver, picture_to))
        report.do("document", lambda: document(driver, paths.cache))
    report.do("store", lambda: _stored(paths))
    report.do("tool", tool)
    report.do("formula", formula)
    report.do("signature", signature)
    report.do("licences", licences)


def _two_answers(driver: Any) -> str:
    """Ask in two panes at once and wait for both answers."""
    left = driver.pane.chat
    driver.window.chats.split("right")
    right = driver.pane.chat
    for chat, question in zip((left, right), QUESTIONS, strict=True):
        chat.set_options(replace(chat.options, max_tokens=LONGEST), chat.record.system)
        chat.send(question)
    both = (left, right)
    driver.until(
        lambda: all(c.answering_id and c.message(c.answering_id).content for c in both), 60
    )
    driver.until(lambda: not any(c.answering for c in both), 120)
    texts = [c.transcript.path[-1] for c in both]
    for message in texts:
        if message.status != "complete" or not message.content.strip():
            raise RuntimeError(f"an answer is {message.status}: {message.error or 'empty'}")
    return "two chats answered at once: " + " / ".join(repr(m.content[:40]) for m in texts)


def _picture(driver: Any, picture_to: Path | None) -> str:
    """Draw the window and see that there is something on it."""
    driver.wait(0.3)
    pixmap = driver.window.grab()
    if picture_to is not None:
        pixmap.save(str(picture_to))
    image = pixmap.toImage()
    colours = {
        image.pixel(x, y) for x in range(0, image.width(), 3) for y in range(0, image.height(), 3)
    }
    if len(colours) < COLOURS:
        raise RuntimeError(f"the window shows {len(colours)} colours: nothing was drawn")
    return f"{image.width()} x {image.height()} pixels, {len(colours)} colours"


def _stored(paths: Paths) -> str:
    """Read the chats again, as the next start would."""
    from app.store import Store

    with Store.open(paths.chats) as store:
        asked = {
            message.content: len(store.path(chat.id))
            for chat in store.chats()
            for message in store.messages(chat.id)
            if message.role == "user"
        }
    for question in QUESTIONS:
        if asked.get(question, 0) < 2:
            raise RuntimeError(f"{question!r} and its answer are not in the store")
    return f"{len(asked)} chats written and read"


def download(name: str, cache: Path) -> str:
    """Download a model into a folder of its own, and have it answer."""
    from huggingface_hub import constants

    from engine import Engine, SamplingParams, hub

    kept, constants.HF_HUB_CACHE = constants.HF_HUB_CACHE, str(cache)
    try:
        model = hub.look_up(name)
        folder = hub.download(model)
        with Engine() as engine:
            chat = engine.open_session(engine.load(folder))
            answer = chat.send("Hello", SamplingParams(max_tokens=16, seed=1)).text(60)
    finally:
        constants.HF_HUB_CACHE = kept
    if not answer.strip():
        raise RuntimeError(f"{name} was downloaded and says nothing")
    return f"{model.size / 1e6:.1f} MB from {constants.ENDPOINT}: {answer[:40]!r}"


def _tokenizers() -> str:
    """Import every class of tokenizer that a model folder can ask for by its name."""
    from transformers.models.auto import tokenization_auto as known

    names: set[str] = set()
    for named in known.TOKENIZER_MAPPING_NAMES.values():
        names |= {n for n in ([named] if isinstance(named, str) else named or ()) if n}
    missing = [n for n in sorted(names) if known.tokenizer_class_from_name(n) is None]
    if missing:
        raise RuntimeError(f"no {', '.join(missing)}")
    return f"{len(names)} classes"


def _families() -> str:
    """Load a tiny model of every architecture that mlx-lm has, and give it a few tokens."""
    from engine.model import backend

    backend.start()  # before MLX is imported
    from engine.bench.families import findings_of
    from engine.bench.small_configs import architectures

    found = list(findings_of(architectures()))
    ran = [f for f in found if f.step and not f.why]
    lacking = [f"{f.architecture}: {f.why}" for f in found if "No module named" in f.why]
    if lacking or len(ran) < FAMILIES:
        raise RuntimeError(f"{len(ran)} of {len(found)} run; {'; '.join(lacking)}")
    return f"{len(ran)} of {len(found)} architectures run"


class _Trouble(logging.Handler):
    """Notes what the parts complain of: in a frozen program a module that is not there."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.found: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        text = record.getMessage()
        if record.exc_info is not None:
            text += f" ({record.exc_info[1]!r})"
        if record.levelno >= logging.ERROR or "No module named" in text:
            self.found.append(text)

    def look(self) -> str:
        if self.found:
            raise RuntimeError("; ".join(self.found))
        return "nothing in it"


def _machine() -> dict[str, Any]:
    from PySide6.QtCore import qVersion

    return {
        "system": platform.platform(),
        "python": platform.python_version(),
        "qt": qVersion(),
        **versions(),
    }
