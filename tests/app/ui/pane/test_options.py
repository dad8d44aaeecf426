"""Chat settings, presets, app settings, and the context meter."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot
from shiboken6 import isValid

from app.chats.options import ChatOptions
from app.ui.pane.options_popover import OptionsPopover, apply_preset, preset_of
from app.ui.pane.sampling_form import MORE, NumberBox
from tests.app.conftest import Run, Start


@pytest.fixture
def popover(start: Start):
    run = start().ready()
    run.ask("say one")
    made = OptionsPopover(run.pane.chat, run.window)
    yield run, made
    if isValid(made):
        made.close()


def test_options_reach_engine_and_are_restored(popover):
    run, panel = popover
    panel.show()
    boxes = {**panel._basic_form.boxes, **panel._more_form.boxes}
    chosen = {"temperature": 0.3, "top_p": 0.9, "top_k": 40, "min_p": 0.05, "max_tokens": 100}
    for name, value in chosen.items():
        boxes[name].set_number(value)
    panel.system.setPlainText("Be brief.")
    panel.stop.setPlainText("<|im_end|>\n\\n##")
    panel.slide.setChecked(True)
    panel.bits.setCurrentIndex(1)
    panel.close()
    run.ask("say two")
    sent = run.engine.sent[-1]
    assert {name: getattr(sent.params, name) for name in chosen} == chosen
    assert sent.params.stop == ("<|im_end|>", "\n##")
    assert sent.session.options["on_overflow"] == "slide"
    assert sent.session.options["kv_bits"] == 8
    assert sent.turns[0] == {"role": "system", "content": "Be brief."}
    again = OptionsPopover(run.pane.chat, run.window)
    assert again.values() == (run.pane.chat.options, "Be brief.")
    assert again.more.isChecked()  # expanded, because options in it are set
    again.close()


def test_unset_options_use_model_defaults(popover):
    run, panel = popover
    assert panel.values() == (ChatOptions(), "")
    assert panel._basic_form.boxes["temperature"].text() == "Default 0.5"  # the model's default
    assert panel._basic_form.boxes["max_tokens"].text() == "Default 2,048"
    assert not panel.more.isChecked()

    # Invalid presets change nothing.
    for spoilt in (
        {},
        {"params": 3},
        {"params": {"unknown": 1}, "system": None},
        {"params": {"max_tokens": 5.5, "seed": 1.5, "top_k": -1}},
        {"params": {"kv_bits": 5, "temperature": "hot", "stop": 3, "slide": "yes"}},
    ):
        apply_preset(panel, spoilt)
        assert panel.values()[0] == ChatOptions()

    # Escape discards what was typed.
    panel.show()
    panel.system.setPlainText("Not wanted")
    panel.seed.setText("7")
    run.qtbot.keyClick(panel.system, Qt.Key.Key_Escape)
    assert not isValid(panel) or not panel.isVisible()
    assert run.pane.chat.record.system == ""
    assert run.pane.chat.options == ChatOptions()


def test_numbers_are_optional_and_bounded(look, qtbot: QtBot):
    for number in MORE:
        box = NumberBox(number, None)
        qtbot.addWidget(box)
        box.set_default(number.engine)
        assert box.number is None or box.value() != box.minimum()
        box.set_number(None)
        assert box.number is None
        for value in (number.low, number.high, number.engine):
            box.set_number(value)
            if value != box.minimum():
                assert box.number == pytest.approx(value), number.name
        box.set_number(number.high * 10)
        assert box.number == pytest.approx(number.high), number.name


def test_last_seed_can_be_reused(popover):
    run, panel = popover
    used = run.engine.sent[-1].params.seed
    assert isinstance(used, int)
    panel.show()
    run.qtbot.mouseClick(panel.same, Qt.MouseButton.LeftButton)
    panel.close()
    run.pane.chat.regenerate()
    run.answered()
    assert run.engine.sent[-1].params.seed == used


def test_preset_is_saved_applied_deleted_and_restored(popover):
    run, panel = popover
    panel._basic_form.boxes["temperature"].set_number(1.3)
    panel.seed.setText("5")
    panel.system.setPlainText("Rhyme.")
    presets = run.window.pane_menus.presets
    presets.save("  My   poet ", preset_of(panel))
    assert run.app.settings.presets["My poet"]["params"] == {"temperature": 1.3}  # no seed
    panel.show_values(ChatOptions(), "")
    apply_preset(panel, run.app.settings.presets["My poet"])
    assert panel.values() == (ChatOptions(temperature=1.3), "Rhyme.")
    presets.delete("My poet")
    assert run.app.settings.presets == {}
    assert "My poet" in run.window.toast.text
    run.window.commands["undo_close"].trigger()
    assert list(run.app.settings.presets) == ["My poet"]


def test_thinking_is_left_to_the_model_or_switched(popover):
    run, _ = popover
    for choice in (None, True, False):
        panel = OptionsPopover(run.pane.chat, run.window)
        panel.show()
        panel.thinking.setCurrentIndex(panel.thinking.findData(choice))
        panel.close()
        run.ask("say two")
        assert run.engine.sent[-1].session.options["reasoning"] is choice


def fill_half(run: Run) -> None:
    run.pane.chat.set_options(ChatOptions(context=256), "")
    run.ask("count 160")


def test_the_meter_shows_how_full_the_context_is(run: Run):
    meter = run.pane.header.meter
    assert not meter.isVisible()
    run.ask("say one")
    run.until(lambda: "of 2,048 tokens" in run.pane.header.toolTip())
    assert not meter.isVisible()  # there is enough space
    fill_half(run)
    run.until(meter.isVisible)
    assert "of 256 tokens" in meter.toolTip()

    # The meter stays visible during the next reply.
    shown = run.pane.header.meter.share
    assert shown > 0
    run.say("hold 5")
    run.until(lambda: run.pane.chat.reply.is_active)
    assert run.pane.header.meter.share == shown
    assert run.pane.header.meter.isVisible()
    run.engine.release()
    run.answered()
    meter.show_context(2000, 1900, 2048)
    assert "Nearly full" in meter.toolTip()


def test_active_chat_has_priority(run: Run):
    first = run.say("say one")
    run.answered()
    run.window.chats.split("right")
    run.ask("say two")
    sessions = [reply.session for reply in run.engine.sent]
    assert [s.priority for s in sessions] == [0, 1]
    run.window.workspace.activate(first)
    assert [s.priority for s in sessions] == [1, 0]
    branched = run.app.library.branch(first.chat, first.chat.transcript.leaf_id)
    assert branched.reply.generator.session._session.priority == 0


def test_new_chats_use_default_options(run: Run):
    run.app.settings.set(new_chat={"top_k": 7, "of_a_later_version": 1, "temperature": 0.9})
    run.window.settings_commands.show_settings()
    window = run.settings
    window.slide.setChecked(True)
    window.numbers["temperature"].set_number(None)
    assert run.app.settings.new_chat == {"top_k": 7, "of_a_later_version": 1, "slide": True}
    window.numbers["temperature"].set_number(0.2)
    window.slide.setChecked(True)
    window.system.setPlainText("Be kind.")
    window.close()
    run.window.chats.new()
    run.ask("say one")
    sent = run.engine.sent[-1]
    assert sent.params.temperature == 0.2
    assert sent.session.options["on_overflow"] == "slide"
    assert sent.turns[0]["content"] == "Be kind."


def test_ctrl_enter_can_send(run: Run):
    run.window.settings_commands.show_settings()
    run.settings.send_key["ctrl_enter"].setChecked(True)
    run.settings.close()
    field = run.pane.composer.field
    run.qtbot.keyClicks(field, "say one")
    run.qtbot.keyClick(field, Qt.Key.Key_Return)
    assert field.toPlainText() == "say one\n"
    run.qtbot.keyClick(field, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    assert run.answered() == "one "
    run.window.settings_commands.show_settings()
    run.settings.send_key["enter"].setChecked(True)
