"""Dozens of random user actions. `tests.torture.person` can run thousands.

The actions are the same in every run, so a failure here comes from a change.
"""

from __future__ import annotations

from pathlib import Path

import hypothesis
import pytest
from hypothesis import HealthCheck, Phase
from hypothesis.stateful import run_state_machine_as_test
from PySide6.QtWidgets import QApplication

from app.models.names import model_location
from app.settings.paths import GUIDE
from tests.torture.person import Actions, Person, RealActions


def work(machine: type, examples: int, steps: int) -> None:
    settings = hypothesis.settings(
        max_examples=examples,
        stateful_step_count=steps,
        derandomize=True,
        deadline=None,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    run_state_machine_as_test(machine, settings=settings)


def test_after_each_random_action_screen_store_and_engine_agree(qapp: QApplication):
    work(Actions, 2, 40)


def test_restored_paste_is_there_before_next_action(qapp: QApplication):
    """Regression test: the text is read on a thread, and one check in six came too early."""
    person = Person(qapp)
    try:
        for _ in range(6):
            person.act("new", lambda: person.command("new"))
            person.act("paste", lambda: person.write("word " * 1_000))
            person.act("undo", lambda: person.command("undo_close"))
            person.act("fault: engine", person.break_engine)
    finally:
        person.go_home()


@pytest.mark.skipif(
    not (Path(model_location(GUIDE)) / "model.safetensors").exists(),
    reason="the Guide has not been trained here (resources/guide)",
)
def test_they_agree_with_the_real_engine_too(qapp: QApplication):
    work(RealActions, 1, 20)
