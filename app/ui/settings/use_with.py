from __future__ import annotations

import shlex
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QApplication,
    QComboBox,
    QFormLayout,
    QPushButton,
    QWidget,
)

from app import flows
from app.serving import ServerState, Serving
from app.settings.language import tr
from app.settings.paths import resources, short_path
from app.settings.settings import Settings
from app.system import terminal
from app.ui.style.theme import scale_height, scaled
from app.ui.widgets import standard_dialogs
from app.ui.widgets.fields import make_code_field, make_combo_box
from app.ui.widgets.labels import ElidedLabel
from app.ui.widgets.layout_helpers import make_row_layout
from app.ui.widgets.sheet import Sheet

AGENT_NAMES = {
    "claude": "Claude Code",
    "codex": "Codex",
    "opencode": "opencode",
    "qwen": "Qwen Code",
    "copilot": "Copilot CLI",
    "pi": "pi",
    "cline": "Cline",
    "aider": "aider",
    "continue": "Continue",
}
"""Display names of the agents known to `engine.cli.launch`."""


class UseWith(Sheet):
    """Dialog that runs `python -m engine launch` for an agent, a model and a project folder.

    The command creates an API key if needed and keeps the agent's settings in a separate folder. If
    the agent isn't installed, it prints how to install it.
    """

    def __init__(self, serving: Serving, settings: Settings, parent: QWidget) -> None:
        super().__init__("use-with", tr("Use with Agent"), parent)
        self._serving, self._settings = serving, settings
        agent, folder = (*settings.agent, "", "")[:2]
        self._folder = Path(folder or Path.home())
        agents = ((called, name) for name, called in AGENT_NAMES.items())
        self.agent, self.model = make_combo_box(self, "", agents, agent), QComboBox(self)
        self.model.addItems(serving.models)
        self.folder = ElidedLabel("", self)
        self.choose = self.button(tr("Choose…"), lambda: flows.start(self, self._choose()))
        self.choose.setAccessibleName(tr("Choose project folder"))
        row = make_row_layout((self.folder, 1), self.choose, spacing=None)
        form = QFormLayout()
        form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
        form.setLabelAlignment(Qt.AlignmentFlag.AlignVCenter)
        form.setVerticalSpacing(12)
        form.setHorizontalSpacing(16)
        form.addRow(tr("Agent"), self.agent)
        form.addRow(tr("Model"), self.model)
        form.addRow(tr("Project folder"), row)
        self.line = make_code_field(self, tr("Command"), height=scale_height(96), wrap=True)
        self.status_label = self.make_label(
            tr(
                "The agent’s own settings stay as they are. Stretto creates a key if it needs "
                "one. If it isn’t installed, the terminal shows how to install it."
            )
        )
        self.copy: QPushButton = self.button(tr("Copy Command"), self._on_copy)
        self.start = self.button(tr("Open in Terminal"), self._on_start)
        self.add_rows(form, self.line, self.status_label)
        self.add_buttons(self.start, self.copy)
        self.setMinimumWidth(scaled(520))
        self.agent.currentIndexChanged.connect(self._show)
        self.model.currentIndexChanged.connect(self._show)
        serving.changed.connect(self._show)
        self._show()

    @property
    def shell_command(self) -> str:
        from engine.sandbox.process import FROZEN, engine_command

        name, model = str(self.agent.currentData()), self.model.currentText()
        arguments = [
            "--url",
            self._serving.address,
            "--model",
            model,
            "--folder",
            str(self._folder),
        ]
        command = engine_command("launch", name, *arguments, "--keys", str(self._serving.keys_file))
        typed = shlex.join(command)
        return typed if FROZEN else f"cd {shlex.quote(str(resources().parent))} && {typed}"

    def _show(self) -> None:
        self.folder.set_whole(short_path(self._folder))
        self.line.setPlainText(self.shell_command)
        is_open = self._serving.door is ServerState.OPEN
        for button in (self.copy, self.start):
            button.setEnabled(is_open)
            button.setToolTip("" if is_open else tr("Turn on the local API first."))

    async def _choose(self) -> None:
        folder = await standard_dialogs.ask_for_folder(
            self, tr("Choose Project Folder"), str(self._folder)
        )
        if folder is not None:
            self._folder = folder
            self._show()

    def _save_choices(self) -> None:
        self._settings.set(agent=(str(self.agent.currentData()), str(self._folder)))

    def _on_copy(self) -> None:
        QApplication.clipboard().setText(self.shell_command)
        self.status_label.setText(tr("Copied"))
        self._save_choices()

    def _on_start(self) -> None:
        self._save_choices()
        try:
            if terminal.open_terminal(self.shell_command, self._folder, self._serving.script):
                self.accept()
                return
            self.status_label.setText(tr("No terminal was found. Copy the command into yours."))
        except OSError as error:
            self.status_label.setText(tr("The terminal couldn’t be opened: {error}.", error=error))
