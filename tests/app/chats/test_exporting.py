"""Exports are complete, never partially written, and contain nothing executable."""

from __future__ import annotations

import json
import re
from contextlib import closing
from html.parser import HTMLParser
from pathlib import Path
from threading import Event

import pypdfium2
import pytest
from markdown_it import MarkdownIt
from msgspec.structs import replace
from PySide6.QtCore import QLocale, QSizeF
from PySide6.QtGui import QFontInfo
from PySide6.QtWidgets import QApplication

from app.chats.exporting import Export, ExportError, ExportFormat, StoppedError
from app.chats.exporting import export_formats as pages
from app.chats.exporting.export import file_name
from app.chats.exporting.export_formats import page_size
from app.markdown.plain_text import remove_markup
from app.store import ChatRecord, Message, Store, chat_from_json, chat_to_json, new_id
from app.ui.style.theme import Theme
from tests.app import generated

HOSTILE = """<script>alert(1)</script> <img src=x onerror=alert(2)>

[a](javascript:alert(3)) ![picture](https://example.org/p.png) ![x](file:///etc/passwd)
[b](https://example.org/?a=1&b="2") `<i>` &lt;b&gt;

```html"><script>
<script>alert(4)</script>
```

$x^2$ $\\href{javascript:alert(5)}{x}$
"""


@pytest.fixture
def store(tmp_path: Path):
    with Store.open(tmp_path / "chats.db") as opened:
        yield opened


def talk(store: Store, *texts: str, title: str = "Trees") -> ChatRecord:
    chat = ChatRecord(new_id(), title=title)
    store.save_chat(chat)
    parent = None
    for number, text in enumerate(texts):
        role = "assistant" if number % 2 else "user"
        message = Message(
            new_id(), chat.id, parent, role, text, model="guide" if number % 2 else ""
        )
        store.save_message(message, as_leaf=True)
        parent = message.id
    return chat


def export(
    store: Store, kind: ExportFormat, target: Path, *ids: str, thoughts: bool = False
) -> Path:
    return Export(list(ids), kind, target, thoughts).run(store, Event())


def test_import_cannot_hide_a_tool_result():
    """The user sees a call's error instead of its result, so files must not be able to set it."""
    made = ChatRecord(new_id(), title="Calls")
    said = Message(new_id(), made.id, None, "tool", "Ignore all.", status="error", error="Nothing.")
    written = json.loads(json.dumps(chat_to_json(made, [said])))
    assert chat_from_json(written)[1][0].error == ""


MODELS_WRITE = """**注意：**正文 https://example.org/a（说明）

$$
a
+ b
$$

H<sub>2</sub>O<br>next <u>u</u> <mark>m</mark>

<details>
<summary>More</summary>

| a |
|---|
| x<br>y |

</details>

```markdown
Here:
```python
print(1)
```
end
```

after"""


def test_model_output_is_exported_as_shown(
    store: Store, tmp_path: Path, qapp: QApplication
) -> None:
    made = talk(store, "q", MODELS_WRITE)
    page = export(store, ExportFormat.HTML, tmp_path / "a.html", made.id).read_text(
        encoding="utf-8"
    )
    for part in (
        "<strong>注意：</strong>正文", '<a href="https://example.org/a" rel="noreferrer">',
        "aria-label=", "H<sub>2</sub>O<br />", "<mark>m</mark>", "<strong>More</strong>",
        "x<br />\ny", "<p>after</p>",
    ):  # fmt: skip
        assert part in page
    assert "details" not in page.split("</style>")[1]
    assert page.count("<pre") == 1
    assert "<ul>" not in page
    words = export(store, ExportFormat.TEXT, tmp_path / "a.txt", made.id).read_text(
        encoding="utf-8"
    )
    assert "注意：正文" in words
    assert "H2O\nnext u m" in words
    assert "<" not in words
    document = pages.lay_out(made, store.messages(made.id), QSizeF(600, 800), Event())
    assert "注意：正文" in document.toPlainText()
    assert "<" not in document.toPlainText()


def test_exported_fence_is_long_enough(store: Store, tmp_path: Path) -> None:
    made = talk(store, "q", MODELS_WRITE, "r", "```py\nx = 1")
    text = export(store, ExportFormat.MARKDOWN, tmp_path / "a.md", made.id).read_text(
        encoding="utf-8"
    )
    common = MarkdownIt("commonmark").parse(text)
    codes = [token.content for token in common if token.type == "fence"]
    assert codes == ["Here:\n```python\nprint(1)\n```\nend\n", "x = 1\n"]


@pytest.mark.parametrize(
    "text",
    [
        "> ```md\n> ```py\n> x\n> ```\n> ```\n> after",
        "1. a\n\n   ```md\n   ```py\n   x\n   ```\n   ```\n\n2. b",
        "- ~~~md\n  ~~~py\n  x\n  ~~~\n  ~~~\n- ```sh\n  x\n  ```",
        "> ```md\n> ```py\n> x\n> ```\n\nafter",
    ],
)
def test_exported_fences_in_lists_and_quotes_are_long_enough(
    store: Store, tmp_path: Path, text: str
) -> None:
    made = talk(store, "q", text)
    exported = export(store, ExportFormat.MARKDOWN, tmp_path / "a.md", made.id).read_text(
        encoding="utf-8"
    )
    common = MarkdownIt("commonmark").parse(exported)
    codes = [token.content for token in common if token.type == "fence"]
    assert codes[0] == f"{codes[0][:3]}py\nx\n{codes[0][:3]}\n"
    assert codes[1:] == (["x\n"] if "sh" in text else [])


def test_export_omits_deleted_messages(store: Store, tmp_path: Path):
    chat = talk(store, "one", "two", "three", "four")
    ids = [message.id for message in store.messages(chat.id)]
    store.delete_messages(chat.id, [ids[1]], ids[3])
    gone = talk(store, "never", title="Gone")
    store.trash.delete(gone.id)
    path = export(store, ExportFormat.JSON, tmp_path / "all.json", chat.id, gone.id)
    (back,) = json.loads(path.read_text(encoding="utf-8"))["chats"]
    assert [(m["content"], m["parent_id"]) for m in back["messages"]] == [
        ("one", None),
        ("three", ids[0]),
        ("four", ids[2]),
    ]


@pytest.mark.parametrize("kind", list(ExportFormat))
def test_stopped_export_leaves_no_files(qapp: QApplication, store: Store, tmp_path: Path, kind):
    first, second = talk(store, "a", "b"), talk(store, "c", "d")
    out = tmp_path / "out"
    out.mkdir()
    stop = Event()
    work = Export([first.id, second.id], kind, out / "chats", thoughts=True)
    stop.set()
    with pytest.raises(StoppedError):
        work.run(store, stop)
    assert list(out.iterdir()) == []


def test_failed_export_keeps_existing_file(store: Store, tmp_path: Path):
    chat = talk(store, "a", "b")
    target = tmp_path / "there.md"
    target.mkdir()
    (target / "kept").write_text("kept")
    with pytest.raises(ExportError, match=r"there\.md"):
        export(store, ExportFormat.MARKDOWN, target, chat.id)
    assert (target / "kept").read_text() == "kept"
    assert not list(tmp_path.glob(".*"))
    with pytest.raises(ExportError):
        export(store, ExportFormat.TEXT, tmp_path / "no" / "folder.txt", chat.id)


def test_several_chats_make_a_folder_with_a_file_each(
    qapp: QApplication, store: Store, tmp_path: Path
):
    titles = ("a/b", "a:b", "", "CON", "Wörter")
    ids = [talk(store, "q", "a", title=title).id for title in titles]
    for kind in (ExportFormat.MARKDOWN, ExportFormat.PDF):
        folder = export(store, kind, tmp_path / kind.name, *ids)
        assert sorted(p.name for p in folder.iterdir()) == sorted(
            f"{name}{kind.value}" for name in ("a b", "a b 2", "Chat", "Chat CON", "Wörter")
        )
        assert all(p.stat().st_size for p in folder.iterdir())
    again = export(store, ExportFormat.MARKDOWN, tmp_path / "MARKDOWN", *ids)
    assert again.name == "MARKDOWN 2"


def test_file_names_are_valid_on_every_system():
    for title in (*generated.TITLES, "nul.txt", "\u202egpj.exe", "a\nb", "日" * 200):
        name = file_name(title)
        assert name
        assert len(name.encode()) <= 255 - len(".json.part") - 1
        assert not re.search(r'[/\\:*?"<>|\x00-\x1f\u202e]', name)
        assert name.strip(". ") == name


class Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))


def test_exported_web_page_runs_nothing(store: Store, tmp_path: Path):
    chat = talk(store, HOSTILE, HOSTILE, title="<script>x</script>")
    text = export(store, ExportFormat.HTML, tmp_path / "a.html", chat.id).read_text(
        encoding="utf-8"
    )
    tags = Tags()
    tags.feed(text)
    names = {tag for tag, _ in tags.found}
    assert not names & {"script", "img", "iframe", "object", "embed", "link", "form", "input", "i"}
    for _, attributes in tags.found:
        assert not [name for name in attributes if name.startswith("on") or name == "src"]
        href = attributes.get("href")
        assert href is None or href.startswith(("http://", "https://", "mailto:"))
    assert ("a", {"href": "https://example.org/?a=1&b=%222%22", "rel": "noreferrer"}) in tags.found
    assert "url(" not in text
    assert "<svg" in text
    assert "default-src 'none'" in text
    assert text.count("alert(4)") == 2


def test_exported_page_has_the_shown_branch(store: Store, tmp_path: Path):
    chat = talk(store, "question", "first answer")
    question = store.messages(chat.id)[0]
    other = Message(new_id(), chat.id, question.id, "assistant", "second *answer*", "hm **so**")
    store.save_message(other, as_leaf=True)
    for kind in (ExportFormat.MARKDOWN, ExportFormat.HTML, ExportFormat.TEXT):
        plain = export(store, kind, tmp_path / "a", chat.id).read_text(encoding="utf-8")
        assert "question" in plain
        assert "second" in plain
        assert "first answer" not in plain
        assert "hm" not in plain
        told = export(store, kind, tmp_path / "a", chat.id, thoughts=True)
        assert "hm" in told.read_text(encoding="utf-8")


def test_export_closes_open_markdown(store: Store, tmp_path: Path):
    chat = talk(store, "q", "text\n~~~~py\ncode", "next", "fine")
    text = export(store, ExportFormat.MARKDOWN, tmp_path / "a.md", chat.id).read_text(
        encoding="utf-8"
    )
    assert "code\n~~~~\n\n## You" in text


@pytest.mark.parametrize("kind", [ExportFormat.MARKDOWN, ExportFormat.TEXT, ExportFormat.HTML])
def test_export_marks_stopped_reply(store: Store, tmp_path: Path, kind: ExportFormat):
    chat = talk(store, "q", "a part", "next", "whole")
    _, cut, *_ = store.messages(chat.id)
    store.save_message(replace(cut, status="cancelled"))
    text = export(store, kind, tmp_path / "a", chat.id).read_text(encoding="utf-8")
    assert text.count("Stopped") == 1
    assert text.index("a part") < text.index("Stopped") < text.index("next")


def test_page_size_follows_region():
    sizes = [
        page_size(QLocale(name)).key() for name in ("en_US", "es_MX", "en_GB", "de_DE", "ja_JP")
    ]
    assert sizes == ["Letter", "Letter", "A4", "A4", "A4"]


def test_plain_text_export_matches_screen():
    text = "# T\n\nOne **two** [three](https://x.org).\n\n1. a\n2. b\n   - c\n\n> q\n\n    code\n"
    assert remove_markup(text) == (
        "T\n\nOne two three (https://x.org).\n\n1. a\n2. b\n  - c\n\n> q\n\ncode"
    )
    assert remove_markup("| a | b |\n|-|-|\n| 1 | `2` |\n\n$$x^2$$") == "a\tb\n1\t2\n\n$$x^2$$"


def test_long_chat_spans_many_numbered_pages(qapp: QApplication, store: Store, tmp_path: Path):
    chat = talk(store, *(f"word {number} " * 60 for number in range(40)))
    pages = export(store, ExportFormat.PDF, tmp_path / "a.pdf", chat.id).read_bytes()
    assert pages.startswith(b"%PDF")
    assert pages.count(b"/Type /Page\n") > 3
    with closing(pypdfium2.PdfDocument(pages)) as document:
        bottom_inch = document[1].render(scale=3).to_numpy()[-216:]
    assert bottom_inch.min() < 160, "the page's number"


def test_pages_are_in_the_windows_face(
    look: Theme, qapp: QApplication, store: Store, tmp_path: Path
):
    chat = talk(store, "Why?", "So.")
    pages = export(store, ExportFormat.PDF, tmp_path / "a.pdf", chat.id).read_bytes()
    face = QFontInfo(qapp.font()).family().replace(" ", "")
    assert f"+{face}".encode() in pages


def test_pages_keep_line_breaks_and_show_json_as_code(store: Store, tmp_path: Path):
    chat = talk(store, "q", "Roses are red\nViolets are blue", "next", '{\n  "a": "*b*"\n}')
    last = store.messages(chat.id)[-1]
    store.save_message(replace(last, stats={"options": {"answer_as": "schema"}}))
    page = export(store, ExportFormat.HTML, tmp_path / "a.html", chat.id).read_text(
        encoding="utf-8"
    )
    assert re.search(r"Roses are red<br ?/?>\nViolets", page)
    code = page[page.index("<pre") : page.index("</pre>")]
    assert "*b*" in code
    text = export(store, ExportFormat.TEXT, tmp_path / "a.txt", chat.id).read_text(encoding="utf-8")
    assert "Roses are red\nViolets are blue" in text
    assert '"*b*"' in text
