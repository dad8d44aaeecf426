"""Rows by message."""

from __future__ import annotations

from tests.app.conftest import Start


def test_row_lookup_follows_the_path(start: Start):
    run = start().ready()
    run.ask("say one")
    transcript = run.pane.transcript
    ids = [place.message_id for place in transcript.places]
    assert [transcript.row(i).message.id for i in ids] == ids
    run.ask("say two")
    transcript.lay_out()
    last = run.pane.chat.transcript.last("assistant").id
    assert transcript.row(last).message.id == last
    run.window.commands["regenerate"].trigger()
    run.answered()
    assert transcript.row(last) is None, "it is on another branch"
