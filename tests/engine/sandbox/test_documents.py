"""Attached documents become text with page boundaries. Hostile files give a readable error."""

from __future__ import annotations

import datetime
import io
import threading
import time
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path

import openpyxl
import openpyxl.comments
import openpyxl.drawing.image
import PIL.Image
import pytest

from engine.errors import ENGINE_STOPPED, INVALID_REQUEST, EngineError
from engine.sandbox import jobs
from engine.sandbox.jobs import draw_pages, read_document
from engine.sandbox.process import Child
from engine.sandbox.protocol import ChildKind, TaskLimits
from engine.text import document_base
from engine.text.documents import UnreadableError, draw, read
from tests.engine import document_samples as samples
from tests.engine.document_samples import paragraph
from tests.waiting import until

_MB = 2**20


LIMITS = TaskLimits(20.0, 1024 * _MB, 16 * _MB)


@pytest.fixture
def children(monkeypatch: pytest.MonkeyPatch) -> list[Child]:
    started: list[Child] = []

    def start(kind: ChildKind) -> Child:
        started.append(Child(kind))
        return started[-1]

    monkeypatch.setattr(jobs, "Child", start)
    return started


def refusal(path: Path) -> str:
    with pytest.raises(UnreadableError) as refused:
        read(path)
    return str(refused.value)


def test_pdf_is_split_into_pages(tmp_path: Path, children: list[Child]) -> None:
    path = samples.pdf(tmp_path / "report.pdf", ["One\nTwo", "", "The fox is red.", None])
    found = read_document(path, limits=LIMITS)
    assert (found.kind, found.unit) == ("PDF", "page")
    assert found.pages == ("One\nTwo", "", "The fox is red.", "")
    assert found.scans == (4,), "the second page is blank"
    assert [child.is_alive for child in children] == [False]  # a child only reads one file


def test_pdf_pages_are_rendered(tmp_path: Path, children: list[Child]) -> None:
    path = samples.scan(tmp_path / "scan.pdf", 40)
    assert read(path).is_scan
    found = draw_pages(path, [1, 40, 41], 20_000, 30)
    assert [page.number for page in found] == [1, 40], "there is no page 41"
    for page, grey in zip(found, (255, 155), strict=True):
        for file, size in ((page.jpeg, (125, 161)), (page.thumbnail, (23, 30))):
            image = PIL.Image.open(io.BytesIO(file))
            assert (image.format, image.size) == ("JPEG", size)
            assert all(abs(shade - grey) < 3 for shade in image.getpixel((9, 9)))
    assert [child.is_alive for child in children] == [False]


@pytest.mark.parametrize(
    ("size", "drawn"),
    [
        ("14400 1", (4000, 1)),  # the largest size that every decoder accepts
        ("99999999 99999999", (142, 142)),
        ("10 10", (40, 40)),  # the resolution of the printed page
    ],
)
def test_unusual_page_sizes_are_rendered(tmp_path: Path, size: str, drawn: tuple[int, int]) -> None:
    path = samples.scan(tmp_path / "odd.pdf", 1, size)
    (page,) = draw(path, [1], 20_000, 30)
    assert (page.width, page.height) == drawn


def test_slow_page_is_reported(tmp_path: Path) -> None:
    short = TaskLimits(0.3, 1024 * _MB, 16 * _MB)
    path = samples.scan(tmp_path / "slow.pdf", 4000)
    with pytest.raises(EngineError, match=r"“slow\.pdf” cannot be read: it took longer than 0\.3"):
        draw_pages(path, range(1, 4001), 2_000_000, 30, limits=short)


def test_docx_keeps_headings_lists_tables_and_pages(tmp_path: Path) -> None:
    cell = "<w:tc>{}</w:tc>".format
    body = (
        paragraph("Trees", "Heading1")
        + paragraph("Oak &amp; ash")
        + "<w:tbl><w:tr>"
        + cell(paragraph("a"))
        + cell(paragraph("b"))
        + "</w:tr></w:tbl>"
        + "<w:p><w:r><w:delText>gone</w:delText></w:r></w:p>"
        + paragraph("On page two", before="<w:lastRenderedPageBreak/>")
    )
    found = read(samples.docx(tmp_path / "a.docx", body))
    assert (found.kind, found.unit) == ("Word", "page")
    assert found.pages == ("# Trees\n\nOak & ash\n\n| a | b |", "On page two")


def test_nested_docx_table_is_read_once(tmp_path: Path) -> None:
    body = paragraph("inner")
    for level in range(5, 0, -1):
        cell = f"<w:tc>{paragraph(f'level {level}')}{body}</w:tc>"
        body = f"<w:tbl><w:sdt><w:sdtContent><w:tr>{cell}</w:tr></w:sdtContent></w:sdt></w:tbl>"
    (text,) = read(samples.docx(tmp_path / "a.docx", body)).pages
    assert text == r"| level 1 \| level 2 \| level 3 \| level 4 \| level 5 inner \| \| \| \| |"


def test_slides_keep_presentation_order(tmp_path: Path) -> None:
    found = read(samples.pptx(tmp_path / "a.pptx", [("First", "one"), ("Second", "two")]))
    assert (found.kind, found.unit) == ("PowerPoint", "slide")
    assert found.pages == ("# First\n\none", "# Second\n\ntwo")


def test_sheets_have_names(tmp_path: Path) -> None:
    rows = {"Costs": [["what", "EUR"], ["tea", 2.5], [None, None]], "Empty": []}
    found = read(samples.xlsx(tmp_path / "a.xlsx", rows))
    assert (found.unit, found.labels) == ("sheet", ("Costs", "Empty"))
    assert found.pages == ("what\tEUR\ntea\t2.5", "")


def test_each_sheet_counts_as_one_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(document_base, "MAX_PAGES", 3)
    sheets = {name: [["x"]] for name in "ABC"}
    assert len(read(samples.xlsx(tmp_path / "a.xlsx", sheets)).pages) == 3
    words = refusal(samples.xlsx(tmp_path / "b.xlsx", {**sheets, "D": [["x"]]}))
    assert words == "has more than 3 pages. Attach a part of it"


def test_sheet_shows_formulas_comments_and_escapes(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    book.active.append(["a_x000D_b", 2, "=B1*2", datetime.datetime(2024, 5, 1)])
    book.active["B1"].comment = openpyxl.comments.Comment("sure?", "Lea")
    picture = io.BytesIO()
    PIL.Image.new("RGB", (4, 4)).save(picture, "PNG")
    book.active.add_image(openpyxl.drawing.image.Image(picture))
    path = tmp_path / "a.xlsx"
    book.save(path)
    assert read(path).pages == (
        "a b\t2\t=B1*2\t2024-05-01\n\n[comment on B1] sure?\n\n[Not included: 1 image]",
    )


def test_sheet_skips_empty_cells(tmp_path: Path) -> None:
    """Skip the 17 billion empty cells."""
    book = openpyxl.Workbook()
    book.active["A1"], book.active["D1"], book.active["C2"] = "first", "second", "third"
    book.active["XFD1048576"] = "last"
    book.save(tmp_path / "far.xlsx")
    limits = TaskLimits(10.0, 1024 * _MB, 16 * _MB)
    (text,) = read_document(tmp_path / "far.xlsx", limits=limits).pages
    first, second, empty, last = text.split("\n")
    assert (first, second, empty) == ("first\t\t\tsecond", "\t\tthird", "")
    assert last.strip("\t") == "last"
    assert len(last) < 200


def test_pdf_over_memory_limit_is_reported(tmp_path: Path) -> None:
    """pdfium aborts its process when it runs out of memory."""
    deflated = zlib.compressobj(1)
    packed = b"".join(deflated.compress(b" " * 10**7) for _ in range(45)) + deflated.flush()
    page = b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Contents 4 0 R/Resources<<>>>>"
    parts = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Count 1/Kids[3 0 R]>>",
        page,
        b"<</Length %d/Filter/FlateDecode>>stream\n%b\nendstream" % (len(packed), packed),
    ]
    objects = (b"%d 0 obj\n%b\nendobj\n" % (n, part) for n, part in enumerate(parts, 1))
    path = tmp_path / "bomb.pdf"
    path.write_bytes(b"%PDF-1.7\n" + b"".join(objects) + b"trailer<</Size 5/Root 1 0 R>>\n%%EOF")
    with pytest.raises(EngineError, match=r"needs more than 0\.4 GB of memory, or is damaged"):
        read_document(path, limits=TaskLimits(60.0, 400 * _MB, 16 * _MB))


def test_epub_has_chapters(tmp_path: Path) -> None:
    chapters = ["<h1>One</h1><p>A &amp; b</p><script>no</script>", "<p></p>", "<p>Two</p>"]
    found = read(samples.epub(tmp_path / "a.epub", chapters))
    assert (found.kind, found.unit, found.pages) == ("EPUB", "chapter", ("# One\n\nA & b", "Two"))


PAGES = {
    "soft hyphens": ("<p>soft&shy;hy\xadphen&#173;s</p>", "softhyphens"),
    "bars in cells": (
        "<table><tr><th>a|b</th><th>c</th></tr></table><p>a|b</p>",
        "| a\\|b | c |\n| --- | --- |\n\na|b",
    ),
    "cell over two rows": (
        "<table><tr><th>Day</th><th>Fish</th></tr><tr><td rowspan=2>Mon</td><td>12</td></tr>"
        "<tr><td>15</td></tr><tr><td>Tue</td><td rowspan='2'>7</td></tr><tr><td>Wed</td></tr>"
        "</table>",
        "| Day | Fish |\n| --- | --- |\n| Mon | 12 |\n|  | 15 |\n| Tue | 7 |\n| Wed |  |",
    ),
    "readings of words": (
        "<p><ruby>漁師<rt>りょうし</rt></ruby>と<ruby>海<rp>（</rp><rt>うみ</rt><rp>）</rp></ruby></p>",
        "漁師(りょうし)と海（うみ）",
    ),
    "formula": (
        "<p>A <math><mi>A</mi><mo>=</mo><mfrac><mrow><mi>x</mi><mo>+</mo><mn>1</mn></mrow>"
        "<msup><mi>r</mi><mn>2</mn></msup></mfrac></math></p>",
        "A A=(x+1)/(r^2)",
    ),
    "formula with its TeX": (
        '<p>A <span class="katex"><span class="katex-mathml"><math><semantics><mi>x</mi>'
        '<annotation encoding="application/x-tex">\\frac{1}{2}</annotation></semantics></math>'
        '</span><span class="katex-html">1/2</span></span> and '
        '<math alttext="{\\displaystyle r^{2}}"><msup><mi>r</mi><mn>2</mn></msup></math></p>',
        "A $\\frac{1}{2}$ and ${\\displaystyle r^{2}}$",
    ),
}


@pytest.mark.parametrize("name", PAGES)
def test_web_page_keeps_structure(tmp_path: Path, name: str) -> None:
    source, text = PAGES[name]
    path = tmp_path / "a.html"
    path.write_text(f"<!doctype html><body>{source}", "utf-8")
    assert read(path).pages == (text,)


@pytest.mark.parametrize(
    ("name", "data", "kind", "text"),
    [
        ("a.txt", b"\xef\xbb\xbfcaf\xc3\xa9\r\nb  \n", "text", "café\nb"),
        ("a.txt", "café".encode("cp1252"), "text", "café"),
        ("a.txt", "日本".encode("utf-16"), "text", "日本"),
        ("a.py", b"x = 1\n", "code", "x = 1"),
        ("README.md", b"# A", "Markdown", "# A"),
        ("a.csv", b"a,b\n1,2\n", "CSV", "a,b\n1,2"),
        ("a.html", b"<h2>A</h2><p>b<script>x()</script></p>", "web page", "## A\n\nb"),
        ("a.txt", b"<!doctype html><html><body><p>b</p>", "web page", "b"),
    ],
)
def test_texts(tmp_path: Path, name: str, data: bytes, kind: str, text: str) -> None:
    (tmp_path / name).write_bytes(data)
    found = read(tmp_path / name)
    assert (found.kind, found.unit, found.pages) == (kind, "", (text,))


def test_wrong_suffix_is_detected(tmp_path: Path) -> None:
    path = samples.pdf(tmp_path / "really.docx", ["Inside"])
    assert read(path).kind == "PDF"
    (tmp_path / "no.pdf").write_text("only words")
    assert read(tmp_path / "no.pdf").pages == ("only words",)


def _entities(path: Path) -> None:
    bomb = '<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa">' + "".join(
        f'<!ENTITY {chr(98 + n)} "{f"&{chr(97 + n)};" * 10}">' for n in range(9)
    )
    samples.packed(path, {"word/document.xml": bomb + "]><w>&j;</w>"})


def _sheet_entities(path: Path) -> None:
    samples.xlsx(path, {"A": [["x"]]})
    with zipfile.ZipFile(path) as made:
        files = {name: made.read(name) for name in made.namelist()}
    key = "xl/worksheets/sheet1.xml"
    files[key] = b'<!DOCTYPE x [<!ENTITY a "b">]>' + files[key].replace(b"<v>", b"<v>&a;")
    samples.packed(path, files)


def _endless(path: Path) -> None:
    samples.pdf(path, ["x"])
    path.write_bytes(path.read_bytes().replace(b"/Kids [3 0 R]", b"/Kids [2 0 R]"))


def _nested(path: Path) -> None:
    path.write_text("<html>" + "<div>" * 20_000 + "x")


def _locked(path: Path) -> None:
    key = "0" * 64
    locked = f"/Encrypt << /Filter /Standard /V 1 /R 2 /P -4 /O <{key}> /U <{key}> >>"
    samples.pdf(path, ["secret"], locked + " /ID [<00> <00>]")


@pytest.mark.parametrize(
    ("name", "make", "words"),
    [
        ("bomb.docx", _entities, "contains unsafe XML"),
        ("bomb.xlsx", _sheet_entities, "is damaged"),
        ("nested.html", _nested, "is nested too deeply"),
        ("endless.pdf", _endless, "is damaged"),
        ("locked.pdf", _locked, "is locked with a password"),
        ("cut.pdf", lambda p: p.write_bytes(b"%PDF-1.7\n1 0 obj <<"), "is damaged or not a PDF"),
        ("empty.txt", lambda p: p.write_bytes(b""), "is empty"),
        ("blank.txt", lambda p: p.write_bytes(b" \n\n"), "has no text"),
        ("program", lambda p: p.write_bytes(bytes(range(256)) * 40), "is in an unknown format"),
        ("a.png", lambda p: p.write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(99)), "is an image"),
        ("old.doc", lambda p: p.write_bytes(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"), "old version"),
        ("a.zip", lambda p: samples.packed(p, {"a.txt": "a"}), "Unpack it"),
        ("cut.zip", lambda p: p.write_bytes(b"PK\x03\x04"), "is damaged"),
        ("gone.txt", lambda p: None, "no longer exists"),
        ("folder", lambda p: p.mkdir(), "is not a file"),
    ],
)
def test_unreadable_file_is_reported(
    tmp_path: Path, name: str, make: Callable[[Path], object], words: str
) -> None:
    make(tmp_path / name)
    assert words in refusal(tmp_path / name)


def test_decompression_bomb_is_not_unpacked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(document_base, "MAX_UNPACKED_BYTES", 5 * _MB)
    files = {"word/document.xml": b"0", **{f"{n}.bin": b"\0" * _MB for n in range(6)}}
    path = samples.packed(tmp_path / "bomb.docx", files)
    assert path.stat().st_size < 10_000
    assert refusal(path) == "unpacks to more than can be read"


def test_slow_file_does_not_affect_next(tmp_path: Path) -> None:
    short = TaskLimits(0.3, 1024 * _MB, 16 * _MB)
    (tmp_path / "slow.html").write_text("<html>" + "<p>some <b>words</b> here</p>" * 60_000)
    (tmp_path / "next.txt").write_text("next")
    with pytest.raises(EngineError) as error:
        read_document(tmp_path / "slow.html", limits=short)
    assert error.value.code == INVALID_REQUEST
    assert error.value.message == "“slow.html” cannot be read: it took longer than 0.3 seconds."
    assert read_document(tmp_path / "next.txt", limits=LIMITS).pages == ("next",)


def test_reading_can_be_cancelled(tmp_path: Path, children: list[Child]) -> None:
    (tmp_path / "slow.html").write_text("<html>" + "<p>some <b>words</b> here</p>" * 200_000)
    stop = threading.Event()
    told: list[str] = []

    def work() -> None:
        try:
            read_document(tmp_path / "slow.html", stop, LIMITS)
        except EngineError as error:
            told.append(error.code)

    thread = threading.Thread(target=work)
    thread.start()
    until(lambda: children)
    stop.set()
    thread.join(30)
    assert told == [ENGINE_STOPPED]


def test_refusal_names_the_file(tmp_path: Path) -> None:
    (tmp_path / "empty.txt").write_bytes(b"")
    with pytest.raises(EngineError, match=r"“empty\.txt” is empty\."):
        read_document(tmp_path / "empty.txt", limits=LIMITS)


def test_pdf_of_500_pages_is_read(tmp_path: Path) -> None:
    line = "All happy families are alike, each unhappy one in its own way and so on."
    path = samples.pdf(tmp_path / "long.pdf", ["\n".join([line] * 45)] * 500)
    begun = time.process_time()
    found = read(path)
    assert len(found.pages) == 500
    # CPU time, which a busy machine hardly affects. A tenth of the limit would be enough here.
    assert time.process_time() - begun < 3
