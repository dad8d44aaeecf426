"""Asks for what a server's prompt is to be written with, or which resource of a kind is meant."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QLabel, QVBoxLayout, QWidget

from app.language import mark, tr
from app.tools.offers import Prompt, Template
from app.tools.questions import Field, FieldError, Kind, Question
from app.tools.tool import visible
from app.ui.widgets.question_field import QuestionField


class ArgumentsDialog(QDialog):
    """A line for each argument.

    Signals:
        given(arguments): what was written for each, by name.
    """

    given = Signal(dict)

    def __init__(self, prompt: Prompt | Template, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setObjectName("arguments-dialog")
        self.setWindowTitle(prompt.title)
        fields = (Field(a.name, a.title, Kind.TEXT, a.about, a.required) for a in prompt.arguments)
        self._question = Question(prompt.server, prompt.about, tuple(fields))
        column = QVBoxLayout(self)
        column.setContentsMargins(20, 18, 20, 16)
        column.setSpacing(10)
        writes = isinstance(prompt, Prompt)
        origin = mark("A prompt of {server}.") if writes else mark("A resource of {server}.")
        words = [tr(origin, server=visible(prompt.server)), prompt.about]
        about = QLabel("\n".join(filter(None, words)), self)
        about.setTextFormat(Qt.TextFormat.PlainText)
        about.setWordWrap(True)
        about.setProperty("muted", True)
        column.addWidget(about)
        self.inputs = [QuestionField(field, None, self) for field in self._question.fields]
        for each in self.inputs:
            column.addWidget(each)
        self.fault = QLabel("", self)
        self.fault.setWordWrap(True)
        self.fault.setProperty("danger", True)
        self.fault.hide()
        column.addWidget(self.fault)
        buttons = QDialogButtonBox(self)
        use = tr("Use Prompt") if writes else tr("Attach")
        self.use = buttons.addButton(use, QDialogButtonBox.ButtonRole.AcceptRole)
        buttons.addButton(tr("Cancel"), QDialogButtonBox.ButtonRole.RejectRole)
        self.use.setDefault(True)
        buttons.accepted.connect(self._on_use)
        buttons.rejected.connect(self.reject)
        column.addWidget(buttons)
        self.setMinimumWidth(420)

    @Slot()
    def _on_use(self) -> None:
        try:
            found = self._question.content({each.field.name: each.value for each in self.inputs})
        except FieldError as error:
            self.fault.setText(str(error))
            self.fault.show()
            for each in self.inputs:
                each.set_wrong(str(error) if each.field.name == error.name else "")
            return
        self.given.emit({name: str(value) for name, value in found.items()})
        self.accept()
