"""Reading OpenDocument and RTF files, and naming unsupported formats."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.text.documents import UnreadableError, read
from tests.engine import document_samples as samples

TABLE = (
    "<table:table table:name='Costs'><table:table-row>{}</table:table-row>"
    "<table:table-row table:number-rows-repeated='1048000'>"
    "<table:table-cell table:number-columns-repeated='16000'/></table:table-row>"
    "<table:table-row><table:table-cell><text:p>end</text:p></table:table-cell></table:table-row>"
    "</table:table>"
)
CELL = "<table:table-cell {}><text:p>{}</text:p></table:table-cell>".format


def test_odt_has_text_notes_lists_and_boxes(tmp_path: Path) -> None:
    body = (
        "<text:tracked-changes><text:changed-region><text:deletion><text:p>gone</text:p>"
        "</text:deletion></text:changed-region></text:tracked-changes>"
        "<text:h text:outline-level='2'>Oaks</text:h>"
        "<text:p>They <text:span>grow</text:span><text:s text:c='2'/>slowly"
        "<text:note><text:note-citation>1</text:note-citation><text:note-body>"
        "<text:p>For ages.</text:p></text:note-body></text:note>.<text:line-break/>Yes."
        "<draw:frame><draw:text-box><text:p>A box</text:p></draw:text-box></draw:frame>"
        "<draw:frame><draw:image/></draw:frame></text:p>"
        "<text:list><text:list-item><text:p>leaf</text:p><text:list><text:list-item>"
        "<text:p>vein</text:p></text:list-item></text:list></text:list-item></text:list>"
        f"<table:table><table:table-row>{CELL('', 'a')}{CELL('', 'b|c')}</table:table-row>"
        "</table:table><text:p><text:soft-page-break/>Next page</text:p>"
    )
    styles = "<style:header><text:p>Forest</text:p></style:header>"
    found = read(samples.odf(tmp_path / "a.odt", "text", body, styles))
    assert (found.kind, found.unit) == ("OpenDocument", "page")
    assert found.pages == (
        "Header: Forest\n\n## Oaks\n\nThey grow  slowly[1].\nYes.\n\nA box\n\n- leaf\n\n  - vein"
        "\n\n| a | b\\|c |",
        "Next page\n\n[1] For ages.\n\n[Not included: 1 image]",
    )


def test_odt_keeps_raised_digits(tmp_path: Path) -> None:
    style = "<style:style style:name='T1'><style:text-properties style:text-position='33% 58%'/>"
    body = "<text:p>km<text:span text:style-name='T1'>2</text:span></text:p>"
    path = samples.odf(tmp_path / "a.odt", "text", body, f"{style}</style:style>")
    assert read(path).pages == ("km²",)


def test_ods_has_sheets_with_their_names(tmp_path: Path) -> None:
    cells = CELL("table:number-columns-repeated='2'", "tea") + "<table:table-cell/>" + CELL("", "3")
    found = read(samples.odf(tmp_path / "a.ods", "spreadsheet", TABLE.format(cells)))
    assert (found.unit, found.labels) == ("sheet", ("Costs",))
    assert found.pages == ("tea\ttea\t\t3\n\nend",)


def test_ods_shows_text_boxes_after_cells(tmp_path: Path) -> None:
    box = "<draw:frame><draw:text-box><text:p>A box</text:p></draw:text-box></draw:frame>"
    shapes = f"<table:shapes>{box}</table:shapes>"
    body = (
        f"<table:table>{shapes}<table:table-row>{CELL('', 'tea')}</table:table-row></table:table>"
    )
    found = read(samples.odf(tmp_path / "a.ods", "spreadsheet", body))
    assert found.pages == ("tea\n\nA box",)


def test_odp_has_slides_with_notes(tmp_path: Path) -> None:
    box = "<draw:frame {}><draw:text-box><text:p>{}</text:p></draw:text-box></draw:frame>".format
    notes = f"<presentation:notes>{box('', 'slowly')}</presentation:notes>"
    title = box("presentation:class='title'", "Oaks")
    body = f"<draw:page>{title}{box('', 'grow')}{notes}</draw:page><draw:page/>"
    found = read(samples.odf(tmp_path / "a.odp", "presentation", body))
    assert found.unit == "slide"
    assert found.pages == ("# Oaks\n\ngrow\n\nNotes: slowly", "")


def rtf(path: Path, body: str) -> str:
    fonts = r"{\fonttbl{\f0\fcharset0 Arial;}{\f1\fcharset204 Arial;}{\f2\fcharset128 Mincho;}}"
    head = r"{\rtf1\ansi\ansicpg1252\deff0" + fonts + r"{\stylesheet{\s0 Normal;}{\s1 heading 1;}}"
    (path / "a.rtf").write_text(f"{head}{body}}}", "latin-1")
    found = read(path / "a.rtf")
    assert found.kind == "RTF"
    return "\f".join(found.pages)


@pytest.mark.parametrize(
    ("body", "text"),
    [
        (r"\pard\s1 Oaks\par\pard are \b old\b0 .\par", "# Oaks\n\nare old."),
        (r"Gr\'fc\'dfe, 5 \u8364?, {\uc2\u26408\'96\'d8}", "Grüße, 5 €, 木"),
        (r"\f1\'c4\'f3\'e1\f0  and \f2\'96\'d8\'83J\f0 .", "Дуб and 木カ."),
        (r"\u-10179?\u-8704? \{a\}\\b\~c\_d co\-de", "😀 {a}\\b\xa0c-d code"),
        (
            r"\trowd\pard\intbl a\cell b\par c\cell\row\pard\intbl d\cell e|f\cell\row\pard",
            "| a | b c |\n| d | e\\|f |",
        ),
        (
            r"{\header Forest\par}{\footer 1\par}Oak{\footnote Quercus}.\par"
            r" Elm{\*\atnauthor Lea}{\*\annotation Which?}",
            "Header: Forest\n\nOak[1].\n\nElm[comment 1]\n\n[1] Quercus\n[comment 1 by Lea] Which?",
        ),
        (
            r"{\field{\*\fldinst HYPERLINK x}{\fldrslt link}}{\deleted old}{\revised  new}",
            "link new",
        ),
        (
            r"Text{\shp{\*\shpinst{\sp{\sn a}{\sv 1}}{\shptxt In a box\par}}{\shprslt no}}\par",
            "Text\n\nIn a box",
        ),
        (
            r"Seen{\v secret}{\pict\pngblip 8950}{\object{\*\objdata 01}{\result{\pict 00}}}",
            "Seen\n\n[Not included: hidden text, 1 image, 1 embedded object]",
        ),
        (r"\pard Before\line\trowd\pard\intbl a\cell\row\pard", "Before\n\n| a |"),
        (r"x{\super 2} + x\sub 1\nosupersub  = 10", "x² + x₁ = 10"),
        (r"a{\pict\bin4 }{}\}b", "ab\n\n[Not included: 1 image]"),
        (r"{\upr{\*x plain}{\*\ud{Caf\u233?}}}", "Café"),
    ],
)
def test_rtf_shows_visible_text(tmp_path: Path, body: str, text: str) -> None:
    assert rtf(tmp_path, body) == text


@pytest.mark.parametrize(
    ("name", "data", "words"),
    [
        ("a.pages", {"Index/Document.iwa": b"x"}, "Pages, Numbers or Keynote"),
        ("a.xps", {"FixedDocumentSequence.fdseq": b"<x/>"}, "XPS"),
        ("a.zip", {"a.txt": b"x"}, "is an archive"),
        ("a.gz", b"\x1f\x8b\x08" + bytes(20), "is an archive"),
        ("a.db", b"SQLite format 3\0" + bytes(100), "is a database"),
        ("a.mobi", bytes(60) + b"BOOKMOBI", "Kindle book"),
        ("a.doc", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + "WordDocument".encode("utf-16-le"), "Word"),
        ("a.msg", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + "__substg1.0_".encode("utf-16-le"), "Outl"),
    ],
)
def test_unsupported_format_is_named(
    tmp_path: Path, name: str, data: bytes | dict[str, bytes], words: str
) -> None:
    if isinstance(data, bytes):
        (tmp_path / name).write_bytes(data)
    else:
        samples.packed(tmp_path / name, data)
    with pytest.raises(UnreadableError, match=words):
        read(tmp_path / name)


def test_locked_odf_is_reported(tmp_path: Path) -> None:
    files = {"mimetype": "x", "META-INF/manifest.xml": "<m><encryption-data/></m>"}
    path = samples.odf(tmp_path / "a.odt", "text", "<text:p>x</text:p>")
    with samples.zipfile.ZipFile(path) as made:
        files["content.xml"] = made.read("content.xml").decode()
    with pytest.raises(UnreadableError, match="password"):
        read(samples.packed(path, files))
