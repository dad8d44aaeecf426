"""Chats that cannot be opened: said plainly, with a way on."""

from __future__ import annotations

import threading

import pytest

from app.store import Store, StoreError
from app.ui.dialogs import WayOn


@pytest.fixture
def damaged(profile):
    profile.mkdir(parents=True)
    (profile / "chats.db").write_bytes(b"this is no database at all" * 100)
    return profile


def test_giving_up_ends_without_a_window(start, damaged):
    run = start(ask=lambda error: WayOn.QUIT)
    assert not run.started
    assert run.app.window is None
    assert (damaged / "chats.db").read_bytes().startswith(b"this is no database")


def test_set_aside_starts_fresh_and_keeps_the_old_file(start, damaged):
    asked = []

    def ask(error):
        asked.append(error.code)
        return WayOn.SET_ASIDE

    run = start(ask=ask)
    assert run.started
    assert asked == ["corrupt"]
    assert len(list(damaged.glob("chats.db.aside-*"))) == 1


def test_a_full_disk_while_running_is_said_and_the_chat_goes_on(start):
    run = start()
    run.ready()
    error = StoreError("full", "The disk is full. Free some space; Stretto tries again.")
    writer = threading.Thread(target=run.app.store.on_error, args=(error,))
    writer.start()
    writer.join()
    run.until(lambda: run.window.toast.text == error.message)
    run.say("say still here")
    assert run.answered() == "still here "


def test_try_again_after_the_file_was_put_right(start, damaged):
    def mend(error):
        (damaged / "chats.db").unlink()
        Store.open(damaged / "chats.db").close()
        return WayOn.RETRY

    assert start(ask=mend).started
