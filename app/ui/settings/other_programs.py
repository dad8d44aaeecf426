"""The page of settings for other programs: the door, its keys, its limits, how to reach it."""

from __future__ import annotations

import sys
from collections.abc import Callable

from PySide6.QtCore import QCoreApplication, QObject, Qt, Slot
from PySide6.QtWidgets import (
    QApplication,
    QCheckBox,
    QFormLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QSpinBox,
    QSystemTrayIcon,
    QVBoxLayout,
    QWidget,
)

from app import flows
from app.serving import Door, Serving
from app.settings.language import counted, mark, tr
from app.settings.options import PORTS, SERVE_LIMITS, Settings
from app.ui.settings.form_page import FormPage
from app.ui.style.figures import date_line
from app.ui.widgets import asking
from app.ui.widgets.sheet import Sheet


class DoorLimits(QObject):
    """Rows that are folded away under a button.

    Args:
        choose: changes settings, and lets the door follow them.

    Attributes:
        more: the button that folds and unfolds them.
    """

    def __init__(
        self,
        page: FormPage,
        form: QFormLayout,
        settings: Settings,
        choose: Callable[..., object],
    ) -> None:
        super().__init__(page)
        self._page, self._form, self._settings, self._choose = page, form, settings, choose
        self.more = QPushButton(tr("More"), page)
        self.more.setCheckable(True)
        self.more.setAutoDefault(False)
        self.more.setFixedWidth(max(120, self.more.sizeHint().width()))
        self.more.toggled.connect(self._on_more)
        page.row(form, "", self.more)
        self._rows: list[QWidget | QHBoxLayout] = []
        self.origins = QLineEdit(settings.serve_origins, page)
        self.origins.setAccessibleName(tr("Web pages that may ask"))
        self.origins.setPlaceholderText(tr("none", "no web page"))
        self.origins.setToolTip(tr("As https://example.org, several with blanks between them"))
        self.origins.setFixedWidth(320)
        self.origins.editingFinished.connect(self._on_origins)
        self._row(mark("Web pages"), self.origins)
        self.sessions = self._number("serve_sessions", tr("Sessions"), "", tr("none", "no session"))
        self.evict = QCheckBox(tr("One more takes the place of the longest unused"), page)
        self.evict.setChecked(settings.serve_evict)
        self.evict.toggled.connect(lambda on: choose(serve_evict=on))
        self._row(mark("Sessions"), self.sessions)
        self._row("", self.evict)
        self.per_key = self._number(
            "serve_per_key", tr("Requests at once"), tr(" at once"), tr("any at once")
        )
        self.per_minute = self._number(
            "serve_per_minute", tr("Requests a minute"), tr(" a minute"), tr("any a minute")
        )
        pair = QHBoxLayout()
        pair.setSpacing(8)
        for box in (self.per_key, self.per_minute):
            pair.addWidget(box)
        pair.addStretch(1)
        self._row(mark("Each key"), pair)
        self.unload = self._number(
            "serve_unload_min", tr("Unload idle models"), tr(" min"), tr("never")
        )
        self.unload.setToolTip(tr("Models that no chat here uses are unloaded after so long"))
        self._row(mark("Unload after"), self.unload)
        self._on_more(False)

    def _row(self, words: str, field: QWidget | QHBoxLayout) -> None:
        self._page.row(self._form, words, field)
        self._rows.append(field)

    def _number(self, option: str, name: str, suffix: str, nothing: str) -> QSpinBox:
        box = QSpinBox(self._page)
        box.setButtonSymbols(QSpinBox.ButtonSymbols.NoButtons)
        box.setRange(0, SERVE_LIMITS[option])
        box.setSuffix(suffix)
        box.setSpecialValueText(nothing)
        box.setFixedWidth(max(156, box.sizeHint().width()))
        box.setKeyboardTracking(False)  # not at each digit
        box.setValue(getattr(self._settings, option))
        box.setAccessibleName(name)
        box.valueChanged.connect(lambda value: self._choose(**{option: value}))
        return box

    @Slot()
    def _on_origins(self) -> None:
        origins = " ".join(self.origins.text().replace(",", " ").split())
        if origins != self._settings.serve_origins:
            self._choose(serve_origins=origins)

    @Slot(bool)
    def _on_more(self, on: bool) -> None:
        self.more.setText(tr("Less") if on else tr("More"))
        for field in self._rows:
            self._form.setRowVisible(field, on)


class Reach:
    """The section "From elsewhere"."""

    def __init__(self, page: FormPage, settings: Settings, put: Callable[..., object]) -> None:
        form = page.section(mark("From elsewhere"))
        mac = sys.platform == "darwin"
        self.tray = QCheckBox(tr("In the menu bar") if mac else tr("In the system’s tray"), page)
        self.tray.setChecked(settings.tray)
        self.tray.toggled.connect(lambda on: put(tray=on))
        if not QSystemTrayIcon.isSystemTrayAvailable():
            self.tray.setEnabled(settings.tray)  # what is on can be switched off
            self.tray.setToolTip(tr("This desktop has no tray."))
        page.row(form, mark("Icon"), self.tray)
        words = tr(
            "Quick Question opens a small window. For a key that is heard everywhere, let your "
            "system’s keyboard settings start the command “{command}”: a program cannot take such "
            "a key by itself on every system.",
            command=ask_command(),
        )
        if mac:
            words = tr(
                "Quick Question opens a small window. For a key that is heard everywhere, let your "
                "Shortcuts app start the command “{command}”: a program cannot take such a key by "
                "itself on every system.",
                command=ask_command(),
            )
        page.note(words)


def ask_command() -> str:
    """What opens the small window from outside."""
    frozen = bool(getattr(sys, "frozen", False))
    program = QCoreApplication.applicationFilePath() if frozen else "stretto"
    return f'"{program}" --ask' if " " in program else f"{program} --ask"


CURL = """\
curl {address}/v1/chat/completions -H "Content-Type: application/json"{header} \\
  -d '{{"messages": [{{"role": "user", "content": "Hello"}}]}}'"""
PYTHON = """\
from openai import OpenAI

client = OpenAI(base_url="{address}/v1", api_key="{key}")
answer = client.chat.completions.create(
    model="{model}", messages=[{{"role": "user", "content": "Hello"}}]
)
print(answer.choices[0].message.content)"""
EDITORS = """\
OPENAI_BASE_URL={address}/v1
OPENAI_API_KEY={key}
ANTHROPIC_BASE_URL={address}
ANTHROPIC_API_KEY={key}"""
PASTES = (
    ("curl", CURL, mark("A line for a terminal")),
    ("Python", PYTHON, mark("A few lines for OpenAI's library")),
    (mark("Editors"), EDITORS, mark("What editors and agents look for in their environment")),
)
YOUR_KEY = "your-key"


class OtherPrograms(QObject):
    """Rows of the settings' page.

    Args:
        put: changes settings, and tells of it.
    """

    def __init__(
        self, page: FormPage, settings: Settings, serving: Serving, put: Callable[..., object]
    ) -> None:
        super().__init__(page)
        self._page, self._settings, self._serving, self._put = page, settings, serving, put
        form = page.section(mark("Other programs"))
        self.on = QCheckBox(tr("May ask the models here"), page)
        self.on.setToolTip(tr("Editors, scripts and agents, by OpenAI's and Anthropic's HTTP"))
        self.on.setChecked(settings.serve)
        self.on.toggled.connect(lambda on: self._choose(serve=on))
        page.row(form, mark("Programs"), self.on)
        self.port = QSpinBox(page)
        self.port.setButtonSymbols(QSpinBox.ButtonSymbols.NoButtons)
        self.port.setRange(*PORTS)
        self.port.setValue(settings.serve_port)
        self.port.setFixedWidth(132)
        self.port.setKeyboardTracking(False)  # not at each digit
        self.port.setAccessibleName(tr("Port"))
        self.port.valueChanged.connect(lambda port: self._choose(serve_port=port))
        page.row(form, mark("Port"), self.port)
        self.with_key = QCheckBox(tr("Only with a key"), page)
        self.with_key.setChecked(settings.serve_with_key)
        self.with_key.toggled.connect(lambda on: self._choose(serve_with_key=on))
        page.row(form, mark("Who may"), self.with_key)
        self.others = QCheckBox(tr("Also from other machines, with a key"), page)
        self.others.setChecked(settings.serve_others)
        self.others.toggled.connect(lambda on: self._choose(serve_others=on))
        page.row(form, "", self.others)
        self.state = page.quiet("")
        self.state.setWordWrap(True)
        self.state.setMinimumWidth(320)
        self.state.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        page.row(form, mark("Now"), self.state)
        pastes = QHBoxLayout()
        pastes.setSpacing(8)
        self.pastes: dict[str, QPushButton] = {}
        for name, _, about in PASTES:
            button = self.pastes[name] = QPushButton(tr(name), page)
            button.setAutoDefault(False)
            button.setToolTip(tr(about))
            button.setAccessibleName(tr("Copy for {name}", name=tr(name)))
            button.clicked.connect(lambda _checked=False, name=name: self._copy(name))
            pastes.addWidget(button)
        pastes.addStretch(1)
        page.row(form, mark("Copy for"), pastes)
        self._keys = QVBoxLayout()
        self._keys.setSpacing(6)
        row = QHBoxLayout()
        row.addLayout(self._keys)
        page.row(form, mark("Keys"), row)
        self.limits = DoorLimits(page, form, settings, self._choose)
        serving.changed.connect(self.show_state)
        serving.changed.connect(self.show_keys)
        serving.guests_changed.connect(self.show_state)
        self.show_state()
        self.show_keys()

    def _choose(self, **values: object) -> None:
        self._put(**values)
        self._serving.apply()

    @Slot()
    def show_state(self) -> None:
        """Say how the door stands."""
        serving, there = self._serving, self._serving.guests.connections
        address = f"{serving.address}/v1"
        how = counted(
            "Open at {address}, %n connected",
            "Open at {address}, %n connected",
            there,
            address=address,
        )
        if not there:
            how = tr("Open at {address}, nobody is connected", address=address)
        words = {
            Door.OFF: tr("Off. Nothing listens."),
            Door.STARTING: tr("Opening…"),
            Door.FAILED: serving.why,
            Door.OPEN: how,
        }
        self.state.setText(words[serving.door])
        for button in self.pastes.values():
            button.setEnabled(serving.door is Door.OPEN)

    @Slot()
    def show_keys(self) -> None:
        """List the keys that are good."""
        while (item := self._keys.takeAt(0)) is not None:
            widget = item.widget()
            if widget is not None:
                widget.hide()
                widget.deleteLater()
        try:
            keys = self._serving.keys()
        except (OSError, ValueError) as error:
            self._keys.addWidget(
                self._page.quiet(tr("The keys cannot be read: {error}.", error=error))
            )
            return
        for key in keys:
            self._keys.addWidget(self._key_row(key.id, key.name, key.made))
        new = QPushButton(tr("New Key…"), self._page)
        new.setAutoDefault(False)
        new.setFixedWidth(max(120, new.sizeHint().width()))
        new.clicked.connect(self._on_new)
        self._keys.addWidget(new)

    def _key_row(self, key_id: str, name: str, made: float) -> QWidget:
        row = QWidget(self._page)
        line = QHBoxLayout(row)
        line.setContentsMargins(0, 0, 0, 0)
        line.setSpacing(10)
        label = QLabel(name, row)
        label.setTextFormat(Qt.TextFormat.PlainText)
        date = date_line(made, tr("dd MMMM yyyy", "Qt's form of a date"))
        day = self._page.quiet(tr("since {date}", date=date))
        revoke = QPushButton(tr("Revoke"), row)
        revoke.setAutoDefault(False)
        revoke.setToolTip(tr("Nobody gets in with it any more. There is no way back"))
        revoke.setAccessibleName(tr("Revoke the key {name}", name=name))
        revoke.clicked.connect(lambda: self._changed(lambda: self._serving.revoke(key_id)))
        line.addWidget(label)
        line.addWidget(day)
        line.addStretch(1)
        line.addWidget(revoke)
        return row

    @Slot()
    def _on_new(self) -> None:
        flows.start(self._page, self._ask_for_name())

    async def _ask_for_name(self) -> None:
        name = await asking.line(self._page, tr("New Key"), tr("Who is it for?"))
        if name is not None and name.strip():
            self.make(name.strip())

    def make(self, name: str) -> None:
        """Make a key and show it, once."""
        made: list[str] = []
        self._changed(lambda: made.append(self._serving.make_key(name)))
        for key in made:
            NewKey(name, key, self._page.window()).open()

    def _changed(self, change: Callable[[], object]) -> None:
        try:
            change()
        except (OSError, ValueError) as error:
            self.state.setText(tr("That was not possible: {error}.", error=error))

    def _copy(self, name: str) -> None:
        words = next(paste for title, paste, _ in PASTES if title == name)
        guarded = self._settings.serve_others or self._settings.serve_with_key
        header = f' \\\n  -H "Authorization: Bearer {YOUR_KEY}"' if guarded else ""
        filled = words.format(
            address=self._serving.address,
            header=header,
            key=YOUR_KEY if guarded else "none",
            model=self._serving.first_model,
        )
        QApplication.clipboard().setText(filled)
        self.state.setText(tr("Copied.") if not guarded else tr("Copied. Put your key in."))


class NewKey(Sheet):
    """A key that was just made, to be copied."""

    def __init__(self, name: str, key: str, parent: QWidget) -> None:
        super().__init__("new-key", tr("New Key"), parent)
        words = tr("The key for “{name}”. It is shown now and never again.", name=name)
        self.key = QLineEdit(key, self)
        self.key.setReadOnly(True)
        self.key.setAccessibleName(tr("The new key"))
        self.key.selectAll()
        self.copy = self.button(tr("Copy"), lambda: QApplication.clipboard().setText(key))
        self.put(self.label(words, muted=False), self.key)
        self.put_foot(self.copy, out=tr("Close"))
        self.resize(480, self.sizeHint().height())
