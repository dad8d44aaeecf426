"""Files of a pane's message: drag and drop, paste, file dialogs, chips and menus."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from pathlib import Path
from typing import NamedTuple

from PySide6.QtCore import QEvent, QObject, Qt, Signal, Slot
from PySide6.QtGui import QDropEvent
from PySide6.QtWidgets import QFileDialog, QLabel, QLineEdit, QMenu, QWidget

from app import flows
from app.chats.attachment_texts import (
    describe_file,
    describe_used_part,
    encodings_for,
    format_ranges,
    kind_and_encoding,
    page_numbers,
)
from app.chats.file_attacher import FileAttacher
from app.chats.passages import parse_page_numbers
from app.chats.turn import Event
from app.settings.language import counted, mark, number, tr
from app.store import Attachment
from app.store.attachments import Use
from app.ui.composer.composer import MOST_CHARACTERS, has_image, image_in, paths_in
from app.ui.composer.file_chips import ChipWords, FileChips
from app.ui.pane.pane import ChatPane
from app.ui.transcript.message_row import show_picture
from app.ui.widgets import standard_dialogs
from app.ui.widgets.menus import add_action, make_menu, pop_below
from app.ui.widgets.sheet import Sheet
from app.ui.widgets.widget_behavior import announce


class UnitWords(NamedTuple):
    """Texts for pages, slides, sheets or chapters, translated by `tr`."""

    title: str  # dialog title, containing ``{name}``
    numbers: str  # accessible name of the input field
    question: str  # label of the input field
    entry: str  # menu entry that leads to the dialog


_PAGES = UnitWords(
    mark("Pages of {name}"),
    mark("Page numbers"),
    mark("Which pages does the model get?"),
    mark("Chosen Pages…"),
)
_UNIT_WORDS = {
    "slide": UnitWords(
        mark("Slides of {name}"),
        mark("Slide numbers"),
        mark("Which slides does the model get?"),
        mark("Chosen Slides…"),
    ),
    "sheet": UnitWords(
        mark("Sheets of {name}"),
        mark("Sheet numbers"),
        mark("Which sheets does the model get?"),
        mark("Chosen Sheets…"),
    ),
    "chapter": UnitWords(
        mark("Chapters of {name}"),
        mark("Chapter numbers"),
        mark("Which chapters does the model get?"),
        mark("Chosen Chapters…"),
    ),
}


def unit_words(unit: str) -> UnitWords:
    return _UNIT_WORDS.get(unit, _PAGES)


def page_count_text(unit: str, pages: int) -> str:
    if unit == "slide":
        return counted("The file has %Ln slide.", "The file has %Ln slides.", pages)
    if unit == "sheet":
        return counted("The file has %Ln sheet.", "The file has %Ln sheets.", pages)
    if unit == "chapter":
        return counted("The file has %Ln chapter.", "The file has %Ln chapters.", pages)
    return counted("The file has %Ln page.", "The file has %Ln pages.", pages)


class PagesDialog(Sheet):
    pages_chosen = Signal(list)  # (page numbers)

    def __init__(
        self, name: str, unit: str, count: int, numbers: list[int], parent: QWidget
    ) -> None:
        words = unit_words(unit)
        super().__init__("pages-dialog", tr(words.title, name=name), parent, spacing=8)
        self._count = count
        self.field = QLineEdit(format_ranges(numbers), self)
        self.field.setPlaceholderText("1-3, 7")
        self.field.setAccessibleName(tr(words.numbers))
        self.hint = self.make_label(page_count_text(unit, count))
        label = QLabel(tr(words.question), self)
        label.setBuddy(self.field)
        self.add_rows(label, self.field, self.hint)
        self.add_buttons(self.button(tr("Choose"), self._on_ok))
        self.set_scaled_width(400)

    @Slot()
    def _on_ok(self) -> None:
        try:
            numbers = parse_page_numbers(self.field.text(), self._count)
        except ValueError as wrong:
            self.hint.setText(str(wrong))
            return
        self.accept()
        self.pages_chosen.emit(numbers)


_DRAGS = (QEvent.Type.DragEnter, QEvent.Type.DragMove, QEvent.Type.Drop)


class PaneFiles(QObject):
    undo_offered = Signal(str, object)  # (text, undo)

    _folder = ""  # last used folder, shared by all chats

    def __init__(self, pane: ChatPane) -> None:
        super().__init__(pane)
        self._pane = pane
        self.chips: list[ChipWords] = []
        self._dragged_paths: list[Path] = []  # files being dragged over the pane
        self._drags_image = False
        composer = pane.composer
        pane.setAcceptDrops(True)
        pane.installEventFilter(self)
        composer.attach.clicked.connect(self.choose)
        composer.field.files_inserted.connect(self.add)
        composer.field.image_inserted.connect(self.add_image)
        composer.field.long_text_pasted.connect(self.paste)
        self.connect_chips(composer.chips)
        self.attacher.changed.connect(self._show)
        self.attacher.file_rejected.connect(pane.file_rejected)
        self.attacher.file_repeated.connect(pane.file_rejected)
        for changed in (pane.chat.compose_changed, pane.chat.chat_changed, pane.chat.phase_changed):
            changed.connect(self._show)
        for changed in (pane.chat.path_changed, pane.chat.message_added):
            changed.connect(self._check_followed)
        self._check_followed()
        self._show()

    @property
    def attacher(self) -> FileAttacher:
        return self._pane.chat.attacher

    def connect_chips(self, chips: FileChips) -> None:
        chips.remove_requested.connect(self._on_removed)
        chips.menu_requested.connect(self._show_menu)
        chips.choose.clicked.connect(lambda: self._on_part_asked(chips))

    @Slot()
    def choose(self, over: QWidget | None = None) -> None:
        """Let the user choose files. ``over`` is the dialog's parent, by default the pane."""
        parent = over or self._pane
        flows.start(parent, self._choose(parent))

    async def _choose(self, parent: QWidget) -> None:
        folder = PaneFiles._folder or str(await standard_dialogs.documents_folder())
        dialog = QFileDialog(parent, tr("Attach Files"), folder)
        dialog.setFileMode(QFileDialog.FileMode.ExistingFiles)
        dialog.setLabelText(QFileDialog.DialogLabel.Accept, tr("Attach"))
        dialog.setObjectName("attach-dialog")
        dialog.filesSelected.connect(self._on_chosen)
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    @Slot(list)
    def _on_chosen(self, names: list[str]) -> None:
        PaneFiles._folder = str(Path(names[0]).parent) if names else PaneFiles._folder
        self.add(map(Path, names))

    @Slot(list)
    def add(self, paths: Iterable[Path]) -> None:
        self.attacher.add(paths)
        self._pane.focus_composer()

    @Slot(bytes)
    def add_image(self, data: bytes) -> None:
        self.attacher.add_image(data)
        self._pane.focus_composer()

    @Slot(str)
    def paste(self, text: str) -> None:
        """Attach long pasted text as a file, and offer to undo this."""
        attachment = self.attacher.add_text(text)
        words = counted(
            "Pasted text attached as a file, %Ln character",
            "Pasted text attached as a file, %Ln characters",
            len(text),
        )
        if len(text) < MOST_CHARACTERS:
            self.undo_offered.emit(words, partial(self._as_text, attachment))
        else:
            self._pane.notice_posted.emit(words)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        composer = self._pane.composer
        if event.type() == QEvent.Type.DragLeave:
            self._dragged_paths, self._drags_image = [], False
            composer.set_dropping(False)
        elif event.type() in _DRAGS and isinstance(event, QDropEvent):
            # check the files only when the drag enters, because there may be thousands
            if event.type() != QEvent.Type.DragMove:
                self._dragged_paths = paths_in(event.mimeData())
                self._drags_image = not self._dragged_paths and has_image(event.mimeData())
            if not (self._dragged_paths or self._drags_image):
                return False
            # Keep the source from deleting its file.
            event.setDropAction(Qt.DropAction.CopyAction)
            event.accept()
            composer.set_dropping(event.type() != QEvent.Type.Drop)
            if event.type() == QEvent.Type.Drop:
                files, self._dragged_paths = self._dragged_paths, []
                self._pane.window().activateWindow()  # the drag came from another window
                if files:
                    self.add(files)
                elif image := image_in(event.mimeData()):
                    self.add_image(image)
            return True
        return False

    @Slot()
    def _show(self) -> None:
        attacher = self.attacher
        too_much = attacher.counter.files_to_drop()
        chips = [
            ChipWords(
                file.name,
                tr("Too long: {tokens}", tokens=self._tokens(file))
                if file in too_much
                else self._describe(file),
                file,
                file in too_much,
                attacher.images.thumbnail(file) if file.is_image else b"",
                self._tokens(file),
            )
            for file in attacher.files
        ]
        chips += [
            ChipWords(name, self._reading_text(first=not index))
            for index, name in enumerate(attacher.reading)
        ]
        chips += self._followed_chips()
        if chips != self.chips:  # often nothing has changed, e.g. while a reply is being generated
            read = {w.name for w in self.chips if w.attachment is None and not w.follows}
            attached = [w for w in chips if w.attachment is not None and w.name in read]
            for words in {w.name: w for w in attached}.values():  # once per file, not per page
                announce(
                    self._pane, tr("{name} attached, {about}", name=words.name, about=words.about)
                )
            self.chips = chips
            self._pane.composer.show_files(chips)
        attacher.counter.request_count()

    @Slot()
    def _check_followed(self) -> None:
        self.attacher.check_followed()

    def _followed_chips(self) -> list[ChipWords]:
        referenced_chats = self.attacher.referenced_chats
        followed = {file.chat for file in self.attacher.files}
        chips = []
        for chat_id in referenced_chats.followed_chats:
            if chat_id in referenced_chats.seen and chat_id not in followed:
                of, new = referenced_chats.seen[chat_id]
                words, short = of.gone or tr("up to date"), ""
                if new is not None:
                    words, short = self._describe(new), describe_file(new)
                name = tr("Following {title}", title=of.title)
                chips.append(ChipWords(name, words, tokens=short, follows=chat_id))
        return chips

    def _reading_text(self, *, first: bool) -> str:
        page, count = self.attacher.scan_progress
        if first and count > 1:
            return tr("reading {page} of {count}…", page=number(page), count=number(count))
        return tr("reading…")

    def _describe(self, attachment: Attachment) -> str:
        part = describe_used_part(attachment)
        words = [kind_and_encoding(attachment), part] if part else [describe_file(attachment)]
        return ", ".join(filter(None, [*words, self._tokens(attachment)]))

    def _tokens(self, attachment: Attachment) -> str:
        tokens = self.attacher.counter.tokens(attachment)
        if tokens is None:
            return ""
        n, count = tokens.count, number(tokens.count)
        return (
            counted("{count} tokens", "{count} tokens", n, count=count)
            if tokens.exact
            else counted("about {count} tokens", "about {count} tokens", n, count=count)
        )

    @Slot(object)
    def _on_removed(self, words: ChipWords) -> None:
        file = words.attachment
        if words.follows:
            self._remove(self.attacher.referenced_chats.seen[words.follows][0].title, words.follows)
        elif file is None:
            self._pane.chat.turn.handle(Event.WRITE)  # the draft may be waiting for this file
            self.attacher.cancel_reading()
        elif file in self.attacher.files:
            self._remove(file.name, file.chat, file)

    def _remove(self, name: str, chat_id: str, *removed: Attachment) -> None:
        attacher = self.attacher
        places = [(n, file) for n, file in enumerate(attacher.files) if file in removed]
        last = attacher.referenced_chats.followed_chats.get(chat_id)
        if removed:
            attacher.remove(*removed)
        attacher.follow(chat_id, None)

        def undo() -> None:
            attacher.put_back(*places)
            attacher.follow(chat_id, last)

        words = mark("No longer following “{name}”") if chat_id else mark("{name} removed")
        self.undo_offered.emit(tr(words, name=name), undo)

    @Slot(object, object)
    def _show_menu(self, words: ChipWords, chip: QWidget) -> None:
        if words.follows:
            pop_below(self._chat_menu(words.follows), chip, 0)
        elif words.attachment is not None and words.can_only_view:
            show_picture(self.attacher.images, words.attachment, chip)
        elif words.attachment is not None:
            pop_below(self.menu(words.attachment), chip, 0)

    def _on_part_asked(self, chips: FileChips) -> None:
        if largest := self.attacher.counter.files_to_drop()[:1]:
            pop_below(self.menu(largest[0]), chips.choose, 0)

    def _chat_menu(self, chat_id: str, file: Attachment | None = None) -> QMenu:
        menu = make_menu(self._pane)
        menu.setObjectName("file-menu")
        attacher = self.attacher
        if file is not None:
            self._add_uses(menu, file)
            menu.addSeparator()
        add_action(
            menu, tr("Open Chat"), partial(self._pane.transcript.chat_requested.emit, chat_id)
        )
        follows = chat_id in attacher.referenced_chats.followed_chats
        last = None if follows else file.pages if file is not None and file.before else 0
        act = partial(attacher.follow, chat_id, last)
        add_action(menu, tr("Follow"), act, checked=follows)
        if file is not None:
            gone = partial(self._remove, file.name, chat_id, file)
            add_action(menu, tr("Remove Attachment"), gone)
        return menu

    def menu(self, file: Attachment) -> QMenu:
        if file.chat:
            return self._chat_menu(file.chat, file)
        menu = make_menu(self._pane)
        menu.setObjectName("file-menu")
        if file.is_image:
            show = partial(show_picture, self.attacher.images, file, self._pane)
            add_action(menu, tr("Show Image"), show)
        elif not file.is_sound:
            self._add_uses(menu, file)
        if self.attacher.can_draw(file) and (file.pages > 1 or not file.is_image):
            words = tr(_PAGES.entry) if file.is_image else tr("Pages as Images")
            add_action(menu, words, partial(self._draw, file))
            if file.scans:
                scans = partial(self.attacher.draw_scans, file)
                add_action(menu, tr("Scanned Pages as Images"), scans)
        if self.attacher.can_read_scans(file):
            read = partial(self.attacher.read_scans, file)
            add_action(menu, tr("Extract Text of Scanned Pages"), read)
        if file.encoding and file.path:
            self._add_encodings(menu, file)
        menu.addSeparator()
        if not file.unit and not file.is_medium and file.characters < MOST_CHARACTERS:
            add_action(menu, tr("Insert as Text"), partial(self._as_text, file))
        pages = self.attacher.pages_beside(file)  # remove all pages together
        add_action(menu, tr("Remove Attachment"), partial(self._remove, file.name, "", *pages))
        return menu

    def _add_uses(self, menu: QMenu, file: Attachment) -> None:
        uses: list[tuple[Use, str]] = [
            ("all", tr("Everything")),
            ("beginning", tr("As Much as Fits")),
            ("passages", tr("Relevant Passages Only")),
        ]
        if file.unit and file.pages > 1 and not file.chat:
            uses.insert(2, ("pages", tr(unit_words(file.unit).entry)))
        for use, words in uses:
            act = partial(self._use_part, file, use)
            add_action(menu, words, act, checked=file.use == use)

    def _add_encodings(self, menu: QMenu, file: Attachment) -> None:
        inner = menu.addMenu(tr("Text Encoding"))
        for encoding, words in encodings_for(file).items():
            reread = partial(self.attacher.read_again, file, encoding)
            add_action(inner, words, reread, checked=encoding == file.encoding)

    def _use_part(self, file: Attachment, use: Use) -> None:
        if use != "pages":
            self.attacher.set_used_part(file, use)
            self._pane.focus_composer()  # otherwise the focus might be lost along with the chip
            return
        numbers = sorted({page for page, _, _ in file.spans}) if file.use == "pages" else []
        dialog = PagesDialog(file.name, file.unit, file.pages, numbers, self._pane)
        dialog.pages_chosen.connect(partial(self.attacher.set_used_part, file, "pages"))
        dialog.open()

    def _draw(self, file: Attachment) -> None:
        """Attach pages of a file as images. If ``file`` is such an image, ask which pages."""
        if not file.is_image:
            self.attacher.draw_pages(file, page_numbers(file.spans) if file.use == "pages" else ())
            self._pane.focus_composer()  # the focused chip is about to be deleted
            return
        spans = tuple(span for page in self.attacher.pages_beside(file) for span in page.spans)
        numbers = page_numbers(spans)
        dialog = PagesDialog(file.name, file.unit, file.pages, numbers, self._pane)
        dialog.pages_chosen.connect(partial(self.attacher.draw_pages, file))
        dialog.open()

    def _as_text(self, file: Attachment) -> None:
        flows.start(self, self._insert(file))

    async def _insert(self, file: Attachment) -> None:
        text = await self.attacher.text(file)
        if file in self.attacher.files and text is not None:
            self.attacher.remove(file)
            self._pane.composer.field.insertPlainText("\n\n".join(text.pages))
            self._pane.focus_composer()
