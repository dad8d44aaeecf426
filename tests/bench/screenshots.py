"""Screenshots and an animation of the real program: ``python -m tests.bench.screenshots OUTDIR``.

``streaming.webp`` is the README's animation. The numbered screenshots show everyday use first, then
the other screens, each in light and in dark. ``--part screens`` captures every screen in the given
language and looks; see `tests.bench.screens`.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from PySide6.QtWidgets import QApplication, QDialog, QWidget

from app.chats.options import ChatOptions
from app.models.downloads import Download, DownloadState
from app.settings import translation
from app.settings.paths import GUIDE, Paths
from app.ui.compare.compare_dialog import ComparisonColumn
from app.ui.dialogs.about import LicencesWindow
from app.ui.models.get_model import GetModelDialog
from app.ui.pane.options_popover import OptionsPopover
from app.ui.pane.pane import ChatPane
from app.ui.style.theme import theme
from engine.hub import HubFacts, HubFile, HubModel
from tests.bench import samples, screens
from tests.bench.moving_picture import SIZE, answering, ask, film
from tests.driving import Driver, program_in

PARTS = ("moving", "daily", "others")

Shoot = Callable[[str, QWidget], None]

_CARD = """# What it is

A model of **nine billion** parameters in four bits, for reasoning, code and tools.

| Memory | Chats |
|---|---|
| 16 GB | 4 |
| 32 GB | 16 |
"""


def take(folder: Path, model: str, part: str) -> list[Path]:
    """Take the screenshots of one of the `PARTS` and return the files."""
    folder.mkdir(parents=True, exist_ok=True)
    taken: list[Path] = []

    def shoot(name: str, widget: QWidget) -> None:
        path = folder / f"{name}.png"
        widget.grab().save(str(path))
        taken.append(path)

    with tempfile.TemporaryDirectory(prefix="stretto-") as profile:
        paths = Paths.in_profile(Path(profile))
        paths.create()
        ids = samples.write(paths.chats) if part == "others" else {}
        size = SIZE if part == "moving" else (1280, 800)
        with program_in(paths, model, size) as driver:
            if part == "moving":
                taken.append(folder / "streaming.webp")
                film(driver, taken[0])
            elif ids:
                _other_screens(driver, shoot, ids)
            else:
                _daily(driver, shoot)
    return taken


def _daily(driver: Driver, shoot: Shoot) -> None:
    def window(name: str) -> None:
        driver.wait(0.2)
        shoot(name, driver.window)

    window("1-first-start")
    _two_streaming(driver)
    window("2-two-panes-streaming")
    _three_panes(driver)
    window("3-three-panes")
    theme().set_appearance("dark")
    window("4-dark")
    theme().set_appearance("light")


def _other_screens(driver: Driver, shoot: Shoot, ids: dict[str, str]) -> None:
    def both(name: str, widget: Callable[[], QWidget]) -> None:
        for look in ("light", "dark"):
            theme().set_appearance(look)
            driver.window.toast.hide()
            driver.wait(0.3)
            screens.colour(driver.window)
            shoot(f"{name}-{look}", widget())
        theme().set_appearance("light")

    window = driver.window
    for place, chat_id in zip(("tab", "right"), ids.values(), strict=True):
        window.chats.open(chat_id, place)
    both("5-formulas-and-code", lambda: window)

    for pane in window.workspace.panes():
        window.workspace.close_pane(pane)
    columns = [
        ComparisonColumn(GUIDE, ChatOptions(temperature=t, seed=4), f"Temperature {t:g}")
        for t in (0.0, 0.9)
    ]
    panes = window.chats.comparisons.begin(columns, "", "Tell me a short story about a river.")
    driver.until(lambda: not any(map(answering, panes)), 90)
    panes[0].header.differs.click()
    both("6-compare", lambda: window)
    panes[0].header.keep.click()

    window.toggle_score()
    _two_streaming(driver)
    both("7-score", lambda: window)
    window.toggle_score()
    _stop(window.workspace.panes())

    driver.pane.header.options_button.click()
    both("8-chat-settings", lambda: _shown(OptionsPopover))
    _shown(OptionsPopover).close()
    window.settings_commands.show_settings()
    both("9-settings", lambda: _dialog("settings"))
    _dialog("settings").close()
    _getting(driver)
    both("12-get-model", lambda: _dialog("get-model"))
    _dialog("get-model").close()
    window.commands["about"].trigger()
    both("10-about", lambda: _dialog("about"))
    licences = LicencesWindow(_dialog("about"))
    licences.show()
    both("11-licences", lambda: licences)
    _dialog("about").close()


def _getting(driver: Driver) -> None:
    """Show the dialog with a listed model and a running download, without network access."""
    window = driver.window
    file = HubFile("model.safetensors", 5_950_000_000, "0" * 64)
    facts = HubFacts(48_200, "2026-03-02", "Apache 2.0", reasoning=True, tools=True)
    shape = {"num_hidden_layers": 32, "num_attention_heads": 16, "num_key_value_heads": 4}
    config = {"model_type": "llama", "hidden_size": 4096, "head_dim": 128, **shape}
    kind = ("main", "0" * 40, (file,), "qwen3_5", True, 4, False, facts, 262_144, config)
    moving = Download("somebody/Second-3B-8bit", 1_310_000_000, 3_400_000_000)
    moving.state = DownloadState.RUNNING
    moving.samples.extend([(0.0, 1_204_000_000), (5.0, moving.done)])
    window.downloads_in_window.show()
    driver.wait(0.3)
    dialog = window.downloads_in_window.dialog
    if isinstance(dialog, GetModelDialog):
        found = HubModel("mlx-community/Qwen3.5-9B-4bit", *kind)
        refs = [entry.ref for entry in dialog.models.entries]
        dialog.models.choose(refs.index(found.repo) if found.repo in refs else -1)
        dialog.found.show_model(found, dialog.finding.fit(found))
        dialog.found.show_card(_CARD)
        window.downloads.items.append(moving)
        window.downloads.changed.emit(moving.ref)


def _shown(kind: type[QWidget]) -> QWidget:
    """Return the open window of this type."""
    return next(w for w in QApplication.topLevelWidgets() if type(w) is kind and w.isVisible())


def _dialog(name: str) -> QWidget:
    return next(
        w
        for w in QApplication.topLevelWidgets()
        if isinstance(w, QDialog) and w.objectName() == name and w.isVisible()
    )


def _two_streaming(driver: Driver) -> None:
    left = driver.pane
    ask(driver, left, "Tell me a long story")
    driver.window.chats.split("right")
    right = driver.pane
    ask(driver, right, "Write a long answer about trees")

    def well_on(pane: ChatPane) -> bool:
        """Return True if the answer is longer than the pane, or complete."""
        return pane.transcript.verticalScrollBar().maximum() > 0 or not answering(pane)

    driver.until(lambda: well_on(left) and well_on(right), 60)


def _three_panes(driver: Driver) -> None:
    idle = driver.window.workspace.panes
    _stop(idle())
    driver.until(lambda: not any(map(answering, idle())), 30)
    before = idle()
    driver.window.chats.new()
    ask(driver, driver.pane, "Show me a table about animals")
    for pane in before:
        driver.window.workspace.close_pane(pane)
    driver.window.chats.split("right")
    ask(driver, driver.pane, "Write some Python code")
    driver.window.chats.split("down")
    ask(driver, driver.pane, "Make a nested list of groceries")
    driver.window.toast.hide()
    driver.until(lambda: not any(map(answering, idle())), 90)


def _stop(panes: list[ChatPane]) -> None:
    for pane in panes:
        if answering(pane):
            pane.composer.button.click()


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.screenshots", description=__doc__)
    parser.add_argument("folder", type=Path, metavar="OUTDIR")
    parser.add_argument("--model", default=GUIDE, help="another model's folder")
    parser.add_argument("--part", choices=(*PARTS, "screens"), help="only these")
    parser.add_argument("--language", help="a code, or xx and ar-xx for texts that are made up")
    parser.add_argument(
        "--look", choices=screens.LOOKS, nargs="+", default=["light"], help="of --part screens"
    )
    options = parser.parse_args()
    if options.language:
        os.environ[translation.ENVIRONMENT] = options.language
    if options.part == "screens":
        tail = f"{options.language}-" if options.language else ""
        taken = screens.take(options.folder, options.look, tail)
        print(len(taken), "photographs in", options.folder)
        return 0
    if options.part is None:  # Qt allows a single application per process
        for part in PARTS:
            subprocess.run(
                [sys.executable, "-m", __spec__.name, *sys.argv[1:], "--part", part], check=True
            )
        return 0
    for path in take(options.folder, options.model, options.part):
        print(path)
    return 0


if __name__ == "__main__":
    sys.exit(main())
