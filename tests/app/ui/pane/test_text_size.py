from __future__ import annotations

from PySide6.QtCore import QObject, Qt
from PySide6.QtWidgets import QApplication

from app.chats.turn import Event
from app.settings.settings import ZOOM
from app.ui.style import motion
from app.ui.style.theme import theme
from tests.app.conftest import Run, Start

CTRL = Qt.KeyboardModifier.ControlModifier
KEY = Qt.Key


def test_text_size_shortcuts_are_saved(start: Start):
    run = start().ready()
    run.ask("think")
    field = run.pane.composer.field
    before = field.font().pixelSize()
    header = run.pane.header.height()
    sidebar = run.window.sidebar.width()
    for _ in range(4):
        run.qtbot.keyClick(field, KEY.Key_Plus, CTRL)
    assert run.app.settings.zoom == theme().zoom == 175
    assert field.font().pixelSize() == round(before * 1.75)
    assert QApplication.font().pixelSize() == round(13 * 1.75)
    assert run.pane.header.height() > header
    assert run.window.sidebar.width() > sidebar
    for _ in range(2):
        run.qtbot.keyClick(field, KEY.Key_Plus, CTRL)
    run.qtbot.keyClick(field, KEY.Key_Minus, CTRL)
    run.end()
    run = start().ready()
    assert theme().zoom == 175
    run.qtbot.keyClick(run.pane.composer.field, KEY.Key_0, CTRL)
    assert run.pane.composer.field.font().pixelSize() == before
    assert run.pane.header.height() == header
    for _ in range(4):
        run.window.commands["text_smaller"].trigger()
    assert run.app.settings.zoom == ZOOM[0]


def test_reduced_motion_follows_desktop_or_setting(qtbot):
    parent = QObject()
    wanted = motion.Motion("system", parent)
    assert not wanted.is_reduced
    wanted.apply_setting("org.freedesktop.appearance", "reduced-motion", 1)
    wanted.apply_setting("org.gnome.desktop.interface", "enable-animations", False)
    wanted.apply_setting("org.freedesktop.appearance", "reduced-motion", 0)
    wanted.apply_setting("org.freedesktop.appearance", "color-scheme", 1)
    assert wanted.is_reduced
    wanted.apply_setting("org.gnome.desktop.interface", "enable-animations", True)
    assert not wanted.is_reduced
    wanted.set_preference("less")
    assert wanted.is_reduced
    wanted.apply_setting("org.freedesktop.appearance", "reduced-motion", 1)
    wanted.set_preference("full")
    assert not wanted.is_reduced


def test_reduced_motion_stops_pulsing_dots(run: Run):
    run.window.settings_commands.show_settings()
    run.settings.pages.build_all()
    run.settings.pages.fields["motion"].choose("less")
    run.settings.close()
    assert run.app.settings.motion == "less"
    beats: list[int] = []
    pulse = run.window._dot_animation
    pulse.opacity_changed.connect(beats.append)
    run.say("hold 2")
    run.until(lambda: run.pane.chat.reply.is_active)
    run.until(lambda: beats)
    assert not pulse._timer.isActive()
    assert set(beats) == {pulse.STILL}
    run.pane.chat.turn.handle(Event.STOP)
    run.answered()


def test_draft_has_text_size_after_reopening(start: Start):
    run = start()
    run.app.settings.set(zoom=150)
    run.end()
    run = start().ready()
    first = run.pane
    run.qtbot.keyClick(first.composer.field, KEY.Key_0, CTRL)
    run.window.chats.new()
    run.window.workspace.activate(first)
    for part in (first.composer.field, first.composer.field.viewport()):
        assert part.font().pixelSize() == theme().body_px
