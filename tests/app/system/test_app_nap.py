"""App Nap during replies."""

import pytest

from app.system.app_nap import NapPrevention
from tests.app.conftest import Run


def test_app_nap_is_blocked_during_replies(run: Run):
    told: list[str] = []

    def begin():
        told.append("begin")
        return lambda: told.append("end")

    awake = NapPrevention(run.window._library, run.window.downloads, run.window, begin)
    run.say("hold 3")
    run.until(lambda: told == ["begin"])
    first = run.pane
    run.window.chats.split("right")
    run.ready()
    run.ask("say one")
    assert told == ["begin"]
    run.engine.release()
    run.answered(first)
    run.until(lambda: told == ["begin", "end"])
    run.ask("say two")
    assert told == ["begin", "end"] * 2
    awake.deleteLater()


def test_refused_activity_does_not_affect_replies(run: Run):
    def begin():
        raise OSError("no such library")

    awake = NapPrevention(run.window._library, run.window.downloads, run.window, begin)
    run.say("say one")
    assert run.answered() == "one "
    awake.deleteLater()


@pytest.mark.skipif("sys.platform != 'darwin'")
def test_macos_accepts_the_activity():
    from app.system.app_nap import _begin_on_mac

    _begin_on_mac()()
