"""Photographs of the real program: ``python -m app.bench.screenshots OUTDIR``."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from app.bench.drive import Driver, program
from app.paths import GUIDE
from app.ui.theme import theme


def take(folder: Path, model: str) -> list[Path]:
    """Take all of them; returns the files."""
    folder.mkdir(parents=True, exist_ok=True)
    taken: list[Path] = []
    with program(model, size=(1280, 800)) as driver:

        def shoot(name: str) -> None:
            driver.wait(0.2)
            path = folder / f"{name}.png"
            driver.window.grab().save(str(path))
            taken.append(path)

        shoot("1-first-start")
        _two_streaming(driver)
        shoot("2-two-panes-streaming")
        _three_panes(driver)
        shoot("3-three-panes")
        theme().set_appearance("dark")
        shoot("4-dark")
    return taken


def _two_streaming(driver: Driver) -> None:
    left = driver.pane
    left.controller.send("Tell me a long story")
    driver.window.split("right")
    right = driver.pane
    right.controller.send("Write a long answer about trees")

    def well_on() -> bool:
        return all(
            not pane.controller.answering
            or len(pane.controller.message(pane.controller.answering_id or "").content) > 320
            for pane in (left, right)
        )

    driver.until(well_on, 60)


def _three_panes(driver: Driver) -> None:
    for pane in driver.window.workspace.panes():
        pane.controller.stop()
    idle = driver.window.workspace.panes
    driver.until(lambda: not any(pane.controller.answering for pane in idle()), 30)
    before = idle()
    driver.window.new_chat()
    driver.pane.controller.send("Show me a table about animals")
    for pane in before:
        driver.window.workspace.close_pane(pane)
    driver.window.split("right")
    driver.pane.controller.send("Write some Python code")
    driver.window.split("down")
    driver.pane.controller.send("Make a nested list of groceries")
    driver.window.toast.hide()
    driver.until(lambda: not any(pane.controller.answering for pane in idle()), 90)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m app.bench.screenshots", description=__doc__)
    parser.add_argument("folder", type=Path, metavar="OUTDIR")
    parser.add_argument("--model", default=GUIDE, help="another model's folder")
    options = parser.parse_args()
    for path in take(options.folder, options.model):
        print(path)
    return 0


if __name__ == "__main__":
    sys.exit(main())
