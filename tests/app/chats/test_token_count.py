"""Token counts while typing, with a warning at the limit."""

from __future__ import annotations

from concurrent.futures import Future

from msgspec.structs import replace
from PySide6.QtCore import Qt

from app.chats.token_count import CountedTokens
from tests.app.conftest import Run


def counted(run: Run) -> CountedTokens | None:
    return run.pane.composer._count


def write(run: Run, text: str) -> None:
    run.pane.composer.set_text(text)


def test_count_includes_conversation_and_shows_from_half(run: Run):
    composer = run.pane.composer
    write(run, "four words and more")
    run.until(lambda: counted(run) is not None)
    assert counted(run) == CountedTokens(4 + 3, 2048)
    assert composer.foot == ""
    assert "7 of 2,048 tokens" in composer.button.toolTip()
    height = composer.height()
    write(run, "word " * 1_100)
    run.until(lambda: composer.foot)
    assert composer.foot == "1,103 of 2,048 tokens"
    assert composer.field.accessibleDescription() == composer.foot
    assert composer.height() > height
    composer.grab()  # paints without an error
    write(run, "")
    run.until(lambda: counted(run) is None)
    assert composer.foot == ""
    run.ask("say one two")
    write(run, "more")
    run.until(lambda: counted(run) is not None)
    assert counted(run) == CountedTokens((3 + 3) + (2 + 3) + (1 + 3), 2048)


def test_too_long_message_is_reported_and_kept(run: Run):
    composer = run.pane.composer
    write(run, "word " * 2_100)
    run.until(lambda: composer.foot)
    assert not counted(run).fits
    slide(run)  # doesn't help, since there are no older turns
    assert not counted(run).fits
    assert "56" in composer.foot
    assert composer.button.isEnabled()  # the engine decides
    assert composer.text == "word " * 2_100


def slide(run: Run) -> None:
    chat = run.pane.chat
    chat.set_options(replace(chat.options, slide=True), chat.record.system)
    run.pane.composer._count = None
    chat.count.request_count()
    run.until(lambda: counted(run) is not None)


def test_sliding_chat_counts_sent_turns(run: Run):
    run.pane.chat.turn.send("say one " + "word " * 1_200)
    run.answered()
    write(run, "word " * 900)
    run.until(lambda: counted(run) is not None)
    assert not counted(run).fits
    slide(run)
    assert counted(run) == CountedTokens(903, 2048, slid=True)
    assert "903" in run.pane.composer.foot
    write(run, "word " * 2_100)
    run.until(lambda: "56" in run.pane.composer.foot)


def test_too_long_message_is_not_counted_later(run: Run):
    run.ask("say one")
    run.pane.chat.turn.send("toolong " + "word " * 2_100)
    run.answered()
    write(run, "short now")
    run.until(lambda: counted(run) is not None)
    assert counted(run) == CountedTokens((2 + 3) + (1 + 3) + (2 + 3), 2048)
    run.pane.composer.set_text("")
    run.ask("say two")
    run.qtbot.keyClick(run.pane.composer.field, Qt.Key.Key_Up)
    run.until(lambda: counted(run) is not None)
    assert counted(run) == CountedTokens((2 + 3) + (1 + 3) + (2 + 3), 2048)


def test_only_latest_text_is_counted(run: Run):
    waiting: list[Future[int]] = []
    asked: list[str] = []

    def later(model: object, turns: list[dict[str, str]], reasoning: object = None) -> Future[int]:
        asked.append(turns[-1]["content"])
        waiting.append(Future())
        return waiting[-1]

    run.engine.count_later = later
    count = run.pane.chat.count
    write(run, "first")
    count.request_count()
    run.until(lambda: asked)
    write(run, "second")
    count.request_count()
    run.qtbot.wait(20)
    assert asked == ["first"]
    waiting[0].set_result(900)
    run.until(lambda: len(waiting) == 2)
    assert counted(run) is None
    waiting[1].set_exception(ValueError("a template that refuses it"))
    run.until(lambda: not count._asking.running)
    assert counted(run) is None
    assert asked == ["first", "second"]
