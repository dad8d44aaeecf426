"""Repeating an answer with its seed and settings."""

from __future__ import annotations

from msgspec.structs import replace
from PySide6.QtCore import Qt

from app.chats.options import ChatOptions
from app.program.application import make_engine
from app.store import Message, Store, new_id
from app.ui.pane.options_popover import OptionsPopover
from app.ui.style.figures import figures_line
from engine.bench.random_models import write_model
from tests.app.conftest import Run, Start
from tests.engine.families import FAMILIES

BOTH = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier


def same_again_by_key(run: Run):
    run.qtbot.keyClick(run.window, Qt.Key.Key_R, BOTH)


def last(run: Run) -> Message:
    message = run.pane.chat.transcript.last("assistant")
    assert message is not None
    return message


def test_repetition_uses_settings_of_the_reply(run: Run):
    chat = run.pane.chat
    chat.set_options(ChatOptions(temperature=0.9, top_k=30, reasoning=False), "")
    run.ask("say one")
    first = run.engine.sent[-1].params
    now = ChatOptions(temperature=0.1, seed=5)
    chat.set_options(now, "Be brief.")
    same_again_by_key(run)
    run.until(lambda: len(run.engine.sent) == 2)
    run.answered()
    again = run.engine.sent[-1]
    assert again.params == first
    assert again.session.options["reasoning"] is False
    assert again.turns[0] == {"role": "system", "content": "Be brief."}
    assert chat.options == now
    assert chat.transcript.alternatives(last(run).id)[1:] == [last(run).id]
    assert figures_line(last(run).stats).endswith("identical")
    same_again_by_key(run)  # repeats the repetition
    run.until(lambda: len(run.engine.sent) == 3)
    run.answered()
    assert run.engine.sent[-1].params == first


def test_regenerate_button_repeats_an_older_answer(run: Run):
    run.ask("say one")
    pane, older = run.pane, last(run)
    run.ask("say two")
    row = pane.transcript.row(older.id)
    assert row._same.isEnabled()
    run.until(row._same.isVisible)
    run.qtbot.mouseClick(row._same, Qt.MouseButton.LeftButton)
    run.until(lambda: len(run.engine.sent) == 3)
    run.answered()
    assert run.engine.sent[2].params == run.engine.sent[0].params
    assert [m.content for m in pane.chat.transcript.path] == ["say one", "one "]
    assert len(pane.chat.transcript.alternatives(older.id)) == 2


def test_old_replies_without_seed_or_settings(start: Start, profile):
    run = start().ready()
    run.ask("say one")
    chat_id, answer = run.pane.chat.id, last(run)
    run.end()
    with Store.open(profile / "chats.db") as store:
        store.save_message(replace(answer, stats={}))  # as saved by the first versions
    run = start().ready()
    pane = run.pane
    assert pane.chat.id == chat_id
    run.until(lambda: pane.transcript.row(answer.id))
    assert not pane.transcript.row(answer.id)._same.isEnabled()
    same_again_by_key(run)
    assert run.window.toast.isVisible()
    assert run.engine.sent == []

    # If only the seed was stored, the current settings are used.
    run.end()
    with Store.open(profile / "chats.db") as store:
        store.save_message(replace(answer, id=new_id(), stats={"seed": 7}), as_leaf=True)
    run = start().ready()
    run.pane.chat.set_options(ChatOptions(temperature=0.3), "")
    same_again_by_key(run)
    run.until(lambda: run.engine.sent)
    run.answered()
    assert (run.engine.sent[0].params.seed, run.engine.sent[0].params.temperature) == (7, 0.3)


def test_repetition_needs_idle_chat(run: Run):
    same_again_by_key(run)
    assert run.window.toast.isVisible()
    assert run.engine.sent == []
    run.say("hold 2")
    run.until(lambda: run.answer(run.pane))
    same_again_by_key(run)
    run.engine.release()
    run.answered()
    assert len(run.engine.sent) == 1

    # Regenerating afterwards uses a random seed.
    same_again_by_key(run)
    run.until(lambda: len(run.engine.sent) == 2)
    run.answered()
    run.qtbot.keyClick(run.window, Qt.Key.Key_R, Qt.KeyboardModifier.ControlModifier)
    run.until(lambda: len(run.engine.sent) == 3)
    run.answered()
    first, again, anew = (reply.params.seed for reply in run.engine.sent)
    assert first == again != anew
    assert "same" not in last(run).stats

    # A single key press replaces a fixed seed with a random seed.
    chat = run.pane.chat
    chat.set_options(ChatOptions(seed=5), "")
    panel = OptionsPopover(chat, run.window)
    panel.show()
    assert not panel.same.isVisible()
    run.qtbot.mouseClick(panel.random, Qt.MouseButton.LeftButton)
    assert not panel.random.isVisible()
    assert panel.same.isVisible()
    panel.close()
    assert chat.options.seed is None


def test_continuation_keeps_seed_without_limits(run: Run):
    chat = run.pane.chat
    chat.set_options(ChatOptions(temperature=0.9, max_tokens=10), "")
    run.ask("cut")
    chat.set_options(ChatOptions(temperature=0.1, max_tokens=99, slide=True), "")
    assert chat.continue_answer(last(run).id)
    run.answered()
    first, rest = (reply.params for reply in run.engine.sent)
    assert (rest.seed, rest.temperature, rest.max_tokens) == (first.seed, 0.9, 99)
    assert run.engine.sent[-1].session.options["on_overflow"] == "slide"


def test_engine_repeats_unless_system_prompt_differs(start: Start, tmp_path):
    run = start(engine_factory=make_engine)
    folder = write_model(tmp_path / "Random", FAMILIES["plain"], scale=3.0)
    run.window.chats.use_model(str(folder))
    run.qtbot.waitUntil(lambda: run.pane.header.state == "Ready", timeout=60_000)
    chat = run.pane.chat
    chat.set_options(ChatOptions(temperature=1.0, max_tokens=24), "")

    def ended():
        run.qtbot.waitUntil(lambda: not chat.reply.is_active, timeout=60_000)
        return last(run)

    run.say("go")
    first = ended()
    assert first.content
    assert chat.repeat_answer()
    again = ended()
    assert (again.content, again.stats["same"]) == (first.content, True)
    chat.set_options(chat.options, "Say it in another way.")
    assert chat.repeat_answer(first.id)
    other = ended()
    assert other.content != first.content
    # If it ended for another reason, no comparison is shown.
    assert other.stats.get("same") is not True
    assert chat.regenerate()
    assert ended().stats["seed"] != first.stats["seed"]


def test_repetition_uses_the_answers_model(run: Run):
    chat = run.pane.chat
    run.ask("say one")
    first = run.engine.sent[-1].session.model
    chat.model.set("/models/other")
    run.ready()
    run.ask("say two")
    assert run.engine.sent[-1].session.model is not first
    answer = chat.transcript.path[1]
    chat.repeat_answer(answer.id)
    run.until(lambda: len(run.engine.sent) == 3)
    run.answered()
    assert run.engine.sent[-1].session.model is first
    assert last(run).model == answer.model
    assert chat.record.model == "/models/other"
    run.ask("say three")
    assert run.engine.sent[-1].session.model is not first


def test_repetition_loads_its_model(start: Start):
    run = start().ready()
    run.pane.chat.model.set("/models/other")
    run.ready()
    run.ask("say one")
    given = last(run).model
    run.end()
    again = start()
    again.ready()
    chat = again.pane.chat
    chat.model.set("guide")
    again.app.library.loader.mark_all_unloaded()
    assert chat.repeat_answer()
    again.until(lambda: again.engine.sent)
    again.answered()
    assert last(again).status == "complete"
    assert last(again).model == given
