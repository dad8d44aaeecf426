from __future__ import annotations

from PySide6.QtCore import Qt, QUrl, Signal, Slot
from PySide6.QtGui import QDesktopServices, QFont, QKeyEvent
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QLabel,
    QLineEdit,
    QPushButton,
    QWidget,
)

from app.chats.tool_call import OpenQuestion
from app.settings.language import mark, tr
from app.tools.questions import (
    LONGEST_TEXT,
    Field,
    FieldError,
    FieldKind,
    QuestionAction,
    Response,
    Value,
)
from app.tools.tool import to_visible_line
from app.ui.style import tokens as t
from app.ui.style.theme import repolish
from app.ui.widgets.fields import make_code_field
from app.ui.widgets.labels import make_label
from app.ui.widgets.layout_helpers import SPRING, make_column_layout, make_row_layout, nest
from app.ui.widgets.standard_dialogs import describe_link
from app.ui.widgets.widget_behavior import WheelGuard

_HINTS = {
    "email": "name@example.org",
    "uri": "https://example.org",
    "date": "2026-05-31",
    "date-time": "2026-05-31T14:30:00Z",
}
_OPTIONAL = mark("{field} (optional)")


class QuestionField(QWidget):
    changed = Signal()

    def __init__(self, field: Field, value: Value | None, parent: QWidget) -> None:
        super().__init__(parent)
        self.field = field
        self.editors: list[QWidget] = []  # in tab order
        column = make_column_layout(of=self, spacing=4)
        optional = not field.required and field.kind is not FieldKind.BOOLEAN
        self._words = tr(_OPTIONAL, field=field.title) if optional else field.title
        if field.kind is not FieldKind.BOOLEAN:
            medium = QFont.Weight.Medium
            title = make_label(self, self._words, muted=False, px=t.UI_PX, weight=medium)
            column.addWidget(title)
        make = {
            FieldKind.BOOLEAN: self._make_box,
            FieldKind.CHOICE: self._make_list,
            FieldKind.CHOICES: self._make_boxes,
        }
        make.get(field.kind, self._make_line)(value)
        for editor in self.editors:
            column.addWidget(editor)
        if field.about and field.about != field.title:
            column.addWidget(make_label(self, field.about, px=t.SMALL_PX))

    @property
    def value(self) -> Value | None:
        """Return the entered value, as text even for numbers, or None if empty."""
        first = self.editors[0]
        if isinstance(first, QLineEdit):
            return first.text() or None
        if isinstance(first, QComboBox):
            selection = first.currentData()
            return selection if isinstance(selection, str) else None
        boxes = [editor for editor in self.editors if isinstance(editor, QCheckBox)]
        if self.field.kind is FieldKind.BOOLEAN:
            return boxes[0].isChecked()
        pairs = zip(boxes, self.field.choices, strict=True)
        return [value for box, (value, _) in pairs if box.isChecked()]

    def set_wrong(self, words: str) -> None:
        for editor in self.editors:
            editor.setAccessibleDescription(words or self.field.about)
            if bool(editor.property("wrong")) != bool(words):
                editor.setProperty("wrong", bool(words))
                repolish(editor)

    def _make_line(self, value: Value | None) -> None:
        line = QLineEdit(self)
        line.setMinimumHeight(30)
        line.setMaxLength(LONGEST_TEXT)
        line.setText("" if value is None else str(value))
        line.setPlaceholderText(_HINTS.get(self.field.format, self._range()))
        line.textChanged.connect(self.changed)
        self._add_editor(line, self._words)

    def _make_box(self, value: Value | None) -> None:
        box = QCheckBox(self.field.title.replace("&", "&&"), self)
        box.setChecked(value is True)
        box.toggled.connect(self.changed)
        self._add_editor(box, self.field.title)

    def _make_list(self, value: Value | None) -> None:
        listed = QComboBox(self)
        listed.setMinimumContentsLength(8)
        listed.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        listed.addItem(tr("Choose…"), None)
        for choice, title in self.field.choices:
            listed.addItem(title, choice)
        listed.setCurrentIndex(max(0, listed.findData(value)))
        listed.currentIndexChanged.connect(self.changed)
        self._add_editor(listed, self._words)

    def _make_boxes(self, value: Value | None) -> None:
        selection = value if isinstance(value, list) else []
        for choice, title in self.field.choices:
            box = QCheckBox(title.replace("&", "&&"), self)
            box.setChecked(choice in selection)
            box.toggled.connect(self.changed)
            self._add_editor(box, f"{self._words}: {title}")

    def _add_editor(self, editor: QWidget, name: str) -> None:
        editor.setAccessibleName(name)
        editor.setAccessibleDescription(self.field.about)
        self.editors.append(editor)

    def _range(self) -> str:
        minimum, maximum = self.field.least, self.field.most
        if self.field.kind not in (FieldKind.NUMBER, FieldKind.INTEGER):
            return ""
        if minimum is not None and maximum is not None:
            return tr("{least} to {most}", least=f"{minimum:g}", most=f"{maximum:g}")
        if minimum is not None:
            return tr("at least {least}", least=f"{minimum:g}")
        return tr("at most {most}", most=f"{maximum:g}") if maximum is not None else ""


class QuestionForm(QWidget):
    """Question with its fields, and buttons to send, decline or cancel.

    An address in the question is only opened when the user presses its button.
    """

    response_chosen = Signal(object)  # (response)
    resized = Signal()

    def __init__(self, open_question: OpenQuestion, parent: QWidget) -> None:
        super().__init__(parent)
        self.open_question = open_question
        self.inputs: list[QuestionField] = []
        question = open_question.question
        self._column = column = make_column_layout(of=self)
        self.message = make_label(self, question.message, muted=False)
        self.message.setVisible(bool(question.message))
        column.addWidget(self.message)
        opens = True
        if question.url:
            opens = self._add_address(question.url)
        for field in question.fields:
            column.addWidget(self._input(field))
        self.note = make_label(self)
        server = to_visible_line(question.server)
        if not question.url:
            self.note.setText(
                tr(
                    "Your answer goes to {server}, not to the model. Never enter passwords, keys, "
                    "or card numbers.",
                    server=server,
                )
            )
            column.addWidget(self.note)
        secret = next((field for field in question.fields if field.is_secret), None)
        if secret is not None:
            words = tr(
                "“{field}” looks like a secret. Servers must not ask for secrets in "
                "this way. Decline unless you know why.",
                field=secret.title,
            )
            column.addWidget(_make_warning(words, self))
        self.fault = _make_warning("", self)
        self.fault.hide()
        column.addWidget(self.fault)
        self.send = _make_button(tr("Open in Browser") if question.url else tr("Send"), self)
        self.send.setObjectName("primary")
        self.send.setToolTip(
            tr("Open this address and let the server know")
            if question.url
            else tr("Send your answers to the server  Enter")
        )
        self.send.setVisible(opens)
        self.send.clicked.connect(self._send)
        self.decline = _make_button(tr("Decline"), self)
        self.decline.setToolTip(tr("Decline to answer  D"))
        self.decline.clicked.connect(lambda: self._respond(QuestionAction.DECLINE))
        self.cancel = _make_button(tr("Cancel"), self)
        self.cancel.setToolTip(tr("Dismiss the question  Esc"))
        self.cancel.clicked.connect(lambda: self._respond(QuestionAction.CANCEL))
        nest(column, make_row_layout(self.send, self.decline, self.cancel, SPRING))
        WheelGuard(self)

    def fields(self) -> list[QWidget]:
        return [w for field in self.inputs for w in field.editors if not isinstance(w, QPushButton)]

    def arrange(self, x: int, y: int, width: int) -> int:
        self._column.activate()
        height = self._column.totalHeightForWidth(width)
        height = height if height > 0 else self._column.totalSizeHint().height()
        self.setGeometry(x, y, width, height)
        return height

    def press(self, event: QKeyEvent, from_card: bool) -> bool:
        """Handle a key press. Return False if the key has no function here.

        ``from_card``: the focus is on the card rather than in a field.
        """
        key = event.key()
        enter = key in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
        if key == Qt.Key.Key_Escape:
            self._respond(QuestionAction.CANCEL)
        elif from_card and key == Qt.Key.Key_D and not event.modifiers():
            self._respond(QuestionAction.DECLINE)
        elif from_card and enter and self.inputs:
            self.inputs[0].editors[0].setFocus(Qt.FocusReason.TabFocusReason)
        elif enter and not isinstance(self.window().focusWidget(), QPushButton):
            if self.send.isVisibleTo(self):
                self._send()
        else:
            return False
        return True

    def _input(self, field: Field) -> QuestionField:
        answers = self.open_question.given
        field_row = QuestionField(field, answers.get(field.name, field.default), self)
        field_row.changed.connect(self._on_changed)
        self.inputs.append(field_row)
        return field_row

    def _add_address(self, url: str) -> bool:
        """Show the full address. Return True if it's safe to open."""
        field = make_code_field(self, tr("Address"), url, wrap=True)
        lines = min(6, 1 + len(url) // 60)
        field.setFixedHeight(field.fontMetrics().lineSpacing() * lines + 22)
        words, leads, opens = describe_link(QUrl(url))
        self._column.addWidget(field)
        if not opens:
            self._column.addWidget(_make_warning(f"{words} {leads}", self))
        return opens

    @Slot()
    def _on_changed(self) -> None:
        self.open_question.given = {entry.field.name: entry.value for entry in self.inputs}
        if not self.fault.isHidden():
            self._show_fault("", "")

    @Slot()
    def _send(self) -> None:
        question = self.open_question.question
        if question.url:
            QDesktopServices.openUrl(QUrl(question.url))
            self.response_chosen.emit(Response(QuestionAction.SEND))
            return
        try:
            content = question.content({entry.field.name: entry.value for entry in self.inputs})
        except FieldError as error:
            self._show_fault(error.name, str(error))
            return
        self.response_chosen.emit(Response(QuestionAction.SEND, content))

    def _respond(self, action: QuestionAction) -> None:
        self.response_chosen.emit(Response(action))

    def _show_fault(self, name: str, words: str) -> None:
        self.fault.setText(words)
        self.fault.setVisible(bool(words))
        for entry in self.inputs:
            entry.set_wrong(words if entry.field.name == name else "")
            if words and entry.field.name == name:
                entry.editors[0].setFocus(Qt.FocusReason.OtherFocusReason)
        self.resized.emit()


def _make_warning(words: str, parent: QWidget) -> QLabel:
    label = make_label(parent, words, muted=False)
    label.setProperty("danger", True)
    return label


def _make_button(words: str, parent: QWidget) -> QPushButton:
    button = QPushButton(words, parent)
    button.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    return button
