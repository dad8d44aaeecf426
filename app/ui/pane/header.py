from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QRectF, QSize, Qt, QTimer, Slot
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter, QPaintEvent, QPen, QResizeEvent
from PySide6.QtWidgets import QMenu, QWidget

from app.chats.answer import Phase
from app.chats.chat import Chat
from app.chats.chat_model import ChatModel
from app.chats.tool_call import activity_of
from app.models.loading import LoadState
from app.remote.address import KINDS, Remote
from app.remote.remote_session import RemoteModel
from app.settings.language import counted, mark, number, percent, tr
from app.ui.pane.sampling_form import MORE
from app.ui.style import tokens as t
from app.ui.style.figures import activity_line, phase_line, seconds
from app.ui.style.theme import scale_height, scaled, theme, ui_font
from app.ui.widgets.buttons import IconButton, PaintedButton
from app.ui.widgets.menus import make_menu, pop_below
from app.ui.widgets.row_painter import RowPainter
from app.ui.widgets.widget_behavior import mirror_area, mirror_children


def remote_state(remote: Remote, *, short: bool) -> str:
    if short:
        return tr("Remote", "of a model that answers on another machine")
    return tr("On this computer") if remote.is_local else tr("On another computer")


def waiting_line(remote: Remote, silent_s: float, *, short: bool) -> str:
    host = tr("this computer") if remote.is_local else remote.host
    if silent_s < 3:
        return tr("Waiting") if short else tr("Waiting for {host}", host=host)
    time = seconds(round(silent_s))
    return time if short else tr("Waiting for {host}, {time}", host=host, time=time)


def destination_note(remotes: Sequence[Remote]) -> str:
    away = list(dict.fromkeys(remote.host for remote in remotes if not remote.is_local))
    local_hosts = list(dict.fromkeys(remote.host for remote in remotes if remote.is_local))
    if away:
        return tr("Messages go to {host}.", host=", ".join(away + local_hosts))
    hosts = ", ".join(local_hosts)
    return tr("Messages go to {host} on this computer.", host=hosts) if local_hosts else ""


def introduction(remote: Remote) -> str:
    if remote.is_local:
        text = mark("{host} replies, on this computer.")
    else:
        text = mark("A remote model. What you send in this chat goes to {host}.")
    return tr(text, host=remote.host)


def tools_note(chat: Chat) -> str:
    model, remote = chat.model.status.model, chat.model.remote
    if remote is not None:
        text = mark("Tool results are sent to {host}.")
        return tr(text, host=remote.host)
    none = model is not None and not model.tool_format
    return tr("{name} can’t call tools.", name=chat.model.status.name) if none else ""


def has_own_settings(chat: Chat) -> bool:
    return bool(chat.record.system or chat.options.to_params().keys() - {"tools", "seed"})


def unused_settings_note(chat: Chat) -> str:
    """Return which settings have no effect for the chat's remote model, or "".

    The KV cache and context settings only exist in our own engine.
    """
    if (remote := chat.model.remote) is None:
        return ""
    model = chat.model.status.model
    kind = KINDS[model.remote.kind if isinstance(model, RemoteModel) else remote.kind]
    names = [tr(field.words) for field in MORE if field.name not in kind.sampling]
    names += [tr("KV cache"), tr("Context")]
    return tr(
        "{host} doesn’t support {names}. Token counts follow each reply.",
        host=remote.host,
        names=", ".join(names),
    )


def state_line(chat: Chat, *, short: bool) -> str:
    """Return the state of a chat's reply, or else of its model."""
    reply, tools, model = chat.reply, chat.tools, chat.model
    if reply.silent_s is not None and reply.remote is not None:
        return waiting_line(reply.remote, reply.silent_s, short=short)
    at_work = activity_of(tools.calls.values(), tools.step, tools.tokens)
    if reply.phase is Phase.CALLING and at_work is not None and at_work.running:
        return activity_line(at_work, short=short)
    return phase_line(reply.phase, reply.progress, short=short) or _model_state(model, short=short)


def _model_state(model: ChatModel, *, short: bool) -> str:
    match model.status.state:
        case LoadState.READY if model.remote is not None:
            return remote_state(model.remote, short=short)
        case LoadState.READY:
            return tr("Ready")
        case LoadState.FAILED:
            return tr("Not loaded")
        case LoadState.LOADING:
            return tr("Loading…")
        case LoadState.UNLOADED:
            return tr("Unloaded") if short else tr("Unloaded, loads when you send")
    return ""


def _short_model_name(chat: Chat) -> str:
    remote = chat.model.remote
    return remote.short_name if remote is not None else chat.model.status.name


def placeholder_and_note(
    chat: Chat, receivers: int, other_remotes: Sequence[Remote]
) -> tuple[str, str]:
    """Return the composer's placeholder and the note below its text.

    ``receivers`` is the number of chats that get the message, or 0 for this chat only.
    ``other_remotes`` are the remote models of the other chats.
    """
    placeholder = (
        counted("Message %n chat…", "Message %n chats…", receivers)
        if receivers > 1
        else tr("Message {name}…", name=_short_model_name(chat))
    )
    is_ready = chat.model.status.state is LoadState.READY  # a removed model receives no messages
    chat_remote = (chat.model.remote,) if chat.model.remote is not None and is_ready else ()
    return placeholder, destination_note((*chat_remote, *other_remotes))


class ContextMeter(QWidget):
    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.share = 0.0  # fraction of the context used after the last turn
        self.words = ""  # used and available tokens, for the tooltip
        self.setAccessibleName(tr("Context"))
        self.setFixedSize(28, 28)
        self.hide()

    def show_context(self, used: int, reused: int, limit: int) -> None:
        """Show the usage of the last turn. ``reused`` is the number of cached tokens."""
        self.share, self.words = 0.0, ""
        if used <= 0 or limit <= 0:
            return
        self.share = min(1.0, used / limit)
        figures = {"used": number(used), "limit": number(limit)}
        self.words = counted(
            "{used} of {limit} tokens", "{used} of {limit} tokens", limit, **figures
        )
        words = counted(
            "{used} of {limit} tokens of context",
            "{used} of {limit} tokens of context",
            limit,
            **figures,
        )
        if reused:
            words = tr("{context}, {count} cached", context=words, count=number(reused))
        if self.share > 0.9:
            words = tr(
                "{context}. Nearly full. Start a new chat, or leave out the oldest messages.",
                context=words,
            )
        self.setToolTip(words)
        self.setAccessibleName(tr("Context: {words}", words=words))
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        tokens = theme().tokens
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        ring = QRectF(7, 7, 14, 14)
        painter.setPen(QPen(QColor(tokens.divider), 2.2))
        painter.drawEllipse(ring)
        color = QColor(tokens.danger if self.share > 0.9 else tokens.accent)
        painter.setPen(QPen(color, 2.2, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap))
        painter.drawArc(ring, 90 * 16, -round(max(0.03, self.share) * 360 * 16))


MUCH = 0.5  # share of the context above which the ring is shown

LEAST_NAME, LEAST_BESIDE = 84, 120
"""Minimum widths of a long model name in pixels: alone, and with the state next to it."""

DOT, STEP = 24, 32
"""Gap between name and state, and the step to which their width is rounded, in pixels."""

MODEL_TIP = mark("Choose Model…")
OPTIONS_TIP = mark("Chat Settings")
CHANGED_TIP = mark("Chat Settings (changed)")


class ModelButton(PaintedButton):
    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setToolTip(tr(MODEL_TIP))

    def sizeHint(self) -> QSize:
        metrics = QFontMetrics(ui_font(t.UI_PX, QFont.Weight.Medium))
        return QSize(
            metrics.horizontalAdvance(self.text()) + 20 + scaled(12), max(28, scale_height(28))
        )

    def paintEvent(self, event: QPaintEvent) -> None:
        row, tokens = RowPainter.for_widget(self, 8, 8), theme().tokens
        row.ground(self.rect(), tokens.hover if self.underMouse() or self.isDown() else "")
        row.ground(row.inner(), ring=self.hasFocus())
        row.caret(tokens.muted, 2, unfolded=True, end=True)
        # In very little space, elide on the right, because a few letters at both ends would be
        # unreadable.
        short = row.line.width() < scale_height(90)
        elide = Qt.TextElideMode.ElideRight if short else Qt.TextElideMode.ElideMiddle
        row.text(self.text(), tokens.text, font=ui_font(t.UI_PX, QFont.Weight.Medium), elide=elide)


class PaneHeader(QWidget):
    """Model, state and buttons of a chat, above the conversation or next to the tabs."""

    HEIGHT = 36

    def __init__(self, chat: Chat, pane: QWidget) -> None:
        super().__init__(pane)
        self.pane = pane
        # Updates the displayed seconds without a response.
        self._silence_timer = QTimer(self, singleShot=True, interval=1_000)
        self._silence_timer.timeout.connect(self.refresh)
        self._chat = chat
        self.state = ""
        self.displayed_state = ""  # as much of the state as fits
        self._shows_state = True
        self._buttons_left = 0
        self._hint = QSize()
        self._metered = False
        self.in_row = False
        self._fill_more: Callable[[QMenu], None] | None = None
        self._share = 0.0
        self.model_button = ModelButton(self)
        self.cancel = IconButton("x", tr("Cancel loading"), self, side=24)
        self.meter = ContextMeter(self)
        self.options_button = IconButton("sliders", tr(OPTIONS_TIP), self)
        self.tools_button = IconButton("wrench", tr("Tools for This Chat"), self)
        self.more = IconButton("dots-three", tr("More"), self)
        self.more.clicked.connect(self._on_more)
        self.more.hide()
        chat.phase_changed.connect(self.refresh)
        chat.chat_changed.connect(self.refresh)
        theme().changed.connect(self.refresh)
        self.refresh()

    def set_revealed(self, revealed: bool) -> None:
        """Show or hide the icons that are only needed while the user is in this pane."""
        for button in (self.tools_button, self.options_button, self.more):
            button.set_revealed(revealed)

    def set_in_row(self, in_row: bool) -> None:
        self.in_row = in_row
        self.set_menu(None)
        self.refresh()

    def set_menu(self, fill: Callable[[QMenu], None] | None) -> None:
        """Move the buttons into a menu that ``fill`` can add to. None moves them back."""
        if (fill is None) != (self._fill_more is None):
            self._fill_more = fill
            self._update_geometry()
        self._fill_more = fill

    def preferred_width(self, *, folded: bool) -> int:
        buttons = () if folded else self._foldable_buttons()
        used = sum(button.width() + 2 for is_wanted, button in buttons if is_wanted)
        return 24 + self.options_button.width() + self.model_button.sizeHint().width() + used

    def shortest_width(self, *, folded: bool) -> int:
        """Return the preferred width with a long model name elided."""
        elided = self.model_button.sizeHint().width() - scaled(LEAST_NAME)
        return self.preferred_width(folded=folded) - max(0, elided)

    def sizeHint(self) -> QSize:
        width = self.preferred_width(folded=self._fill_more is not None)
        return QSize(width + self._state_width, 0)

    def minimumSizeHint(self) -> QSize:
        return QSize(8 + LEAST_NAME + 16 + self.more.width(), 0)

    @property
    def progress_fraction(self) -> float:
        progress = self._chat.reply.progress
        reading = self._chat.reply.phase in {Phase.READING, Phase.QUEUED}
        if reading and progress is not None and progress.total:
            return progress.done / progress.total
        return self._share if self._share >= 0.01 else 0.0

    @property
    def last_button(self) -> IconButton:
        return self.more if self.is_folded else self.options_button

    @property
    def is_folded(self) -> bool:
        return not self.more.isHidden()

    @Slot()
    def refresh(self) -> None:
        chat = self._chat
        model_status = chat.model.status
        short = self.width() < t.NARROW
        full_name = model_status.name
        name = _short_model_name(chat) if short else full_name
        if self.model_button.text() != name:
            self.model_button.setText(name)
            self.model_button.setAccessibleName(tr("Model: {name}", name=full_name))
        changed = has_own_settings(chat)
        self.options_button.set_marked(changed)
        self.options_button.setToolTip(tr(CHANGED_TIP if changed else OPTIONS_TIP))
        loading = chat.reply.phase is Phase.LOADING or model_status.state is LoadState.LOADING
        self._share = model_status.share if loading else 0.0
        if chat.reply.silent_s is not None:
            self._silence_timer.start()
        self.state = state_line(chat, short=short)
        if self._share >= 0.01:
            self.state = tr("Loading {share}", share=percent(min(0.99, self._share)))
        self.cancel.setVisible(loading)
        at_rest = chat.reply.phase is Phase.IDLE and model_status.state is LoadState.READY
        # The state of an idle local model would only be "Ready".
        self._shows_state = not at_rest or chat.model.remote is not None
        self.meter.show_context(*chat.model.context)
        self._metered = self.meter.share > MUCH
        spoken = f"{full_name}, {self.state}"
        if self.accessibleName() != spoken:
            self.setAccessibleName(spoken)
        tip = "\n".join(filter(None, (spoken, self.meter.words)))
        if self.toolTip() != tip:
            self.setToolTip(tip)
        self._update_geometry()
        self.update()

    def resizeEvent(self, event: QResizeEvent) -> None:
        self.refresh()

    @property
    def _state_width(self) -> int:
        """Return the space for the state, rounded up so that it rarely changes."""
        if not self._shows_state or not self.state:
            return 0
        width = DOT + QFontMetrics(ui_font(t.SMALL_PX)).horizontalAdvance(self.state)
        if self.cancel.isVisibleTo(self):
            width += self.cancel.width() + 4
        return -(-width // STEP) * STEP

    def _update_geometry(self) -> None:
        if (hint := self.sizeHint()) != self._hint:
            self._hint = hint
            self.updateGeometry()
        height = max(self.HEIGHT, scale_height(self.HEIGHT)) - (1 if self.in_row else 0)
        if height != self.height():
            self.setFixedHeight(height)
        top = (height - self.options_button.height()) // 2
        right = self.width() - 8 - self.options_button.width()
        self.options_button.move(right, top)
        self.more.move(right, top)
        self._fold_buttons()
        if not self.tools_button.isHidden():
            right -= self.tools_button.width() + 2
            self.tools_button.move(right, top)
        if not self.meter.isHidden():
            right -= self.meter.width() + 2
            self.meter.move(right, top)
        self._buttons_left = right
        metrics = QFontMetrics(ui_font(t.SMALL_PX))
        hint = self.model_button.sizeHint()
        room, loads = right - 16, self.cancel.isVisibleTo(self)
        if loads:
            room -= self.cancel.width() + 4
        # Hide the state if the chat is idle or the state doesn't fit, because the tooltip always
        # shows it. In a narrow pane the name is more important, since the tab has a dot for
        # activity. Loading takes priority over the name, because the tab doesn't show it.
        rests = self._chat.reply.phase is Phase.IDLE or self.width() < t.NARROW
        min_width = LEAST_NAME if loads else scaled(LEAST_BESIDE)
        beside = hint.width() if rests and not loads else min(hint.width(), min_width)
        self.displayed_state = ""
        for words in (self.state, *([tr("Loading…")] if loads else ())):
            available = room - DOT - metrics.horizontalAdvance(words)
            if self._shows_state and available >= beside:
                self.displayed_state, room = words, available
                break
        at = (height - hint.height()) // 2
        name = min(hint.width(), max(LEAST_NAME, room))
        self.model_button.setGeometry(8, at, name, hint.height())
        after = (
            self.model_button.geometry().right()
            + 26
            + metrics.horizontalAdvance(self.displayed_state)
        )
        x = min(after, right - self.cancel.width())
        self.cancel.move(x, (height - self.cancel.height()) // 2)
        if x < self.model_button.geometry().right() + 18:  # would cover the dot or name
            self.cancel.hide()
        buttons = (self.options_button, self.more, self.tools_button, self.meter)
        mirror_children(self, self.model_button, self.cancel, *buttons)

    def _foldable_buttons(self) -> tuple[tuple[bool, QWidget], ...]:
        return (self._metered, self.meter), (True, self.tools_button)

    def _fold_buttons(self) -> None:
        room = self.width() - 24 - self.options_button.width()
        buttons = self._foldable_buttons()
        buttons_width = sum(button.width() + 2 for is_wanted, button in buttons if is_wanted)
        folded = room - buttons_width < self.model_button.sizeHint().width()
        if self.in_row:
            folded = self._fill_more is not None  # the tab bar decided this with `set_menu`
        had_keys = any(b.hasFocus() for b in (self.options_button, self.tools_button))
        for is_wanted, button in buttons:
            button.setVisible(is_wanted and not folded)
        self.more.setVisible(folded)
        self.options_button.setVisible(not folded)
        if folded and had_keys:
            self.more.setFocus()

    @Slot()
    def _on_more(self) -> None:
        menu = make_menu(self)
        if self.meter.words:
            menu.addAction(self.meter.words).setEnabled(False)
        menu.addAction(tr("Tools for This Chat…"), self.tools_button.click)
        menu.addAction(tr("Chat Settings…"), self.options_button.click)
        if self._fill_more is not None:
            menu.addSeparator()
            self._fill_more(menu)
        pop_below(menu, self.more)

    def paintEvent(self, event: QPaintEvent) -> None:
        tokens = theme().tokens
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        x = mirror_area(self, QRectF(self.model_button.geometry())).right() + 9
        phase = self._chat.reply.phase
        failed = self._chat.model.status.state is LoadState.FAILED
        if (phase is not Phase.IDLE or failed) and x + 6 <= self._buttons_left:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(tokens.danger if failed else tokens.accent))
            dot = QRectF(x, self.height() / 2 - 3, 6, 6)
            painter.drawEllipse(mirror_area(self, dot))
            x += 12
        painter.setFont(ui_font(t.SMALL_PX))
        painter.setPen(QColor(tokens.danger if failed else tokens.muted))
        area = QRectF(x, 0, max(0, self._buttons_left - x), self.height())
        painter.drawText(
            mirror_area(self, area), Qt.AlignmentFlag.AlignVCenter, self.displayed_state
        )
        if not self.in_row:
            line = QRectF(0, self.height() - 1, self.width(), 1)
            painter.fillRect(line, QColor(tokens.border))
            bar = QRectF(0, self.height() - 2, self.width() * self.progress_fraction, 2)
            painter.fillRect(mirror_area(self, bar), QColor(tokens.accent))


class ReadLine(QWidget):
    """Progress bar at the top of a pane whose header is next to the tabs."""

    def __init__(self, header: PaneHeader, chat: Chat, pane: QWidget) -> None:
        super().__init__(pane)
        self._header = header
        self.setAccessibleName(tr("Reading…"))
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        chat.phase_changed.connect(self.refresh)
        chat.chat_changed.connect(self.refresh)
        self.hide()

    @Slot()
    def refresh(self) -> None:
        is_visible = self._header.in_row and self._header.progress_fraction > 0
        if is_visible is self.isHidden():
            self.setVisible(is_visible)
            self.raise_()
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        bar = QRectF(0, 0, self.width() * self._header.progress_fraction, self.height())
        QPainter(self).fillRect(mirror_area(self, bar), theme().color("accent"))
