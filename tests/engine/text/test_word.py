"""Visible text of Word files."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.text.documents import UnreadableError, read
from tests.engine import document_samples as samples
from tests.engine.document_samples import paragraph


def text_of(path: Path, body: str, **parts: str) -> str:
    return "\f".join(read(samples.docx(path / "a.docx", body, **parts)).pages)


def run(text: str) -> str:
    return f"<w:r><w:t>{text}</w:t></w:r>"


BOX = f"<w:txbxContent>{paragraph('In the box')}{paragraph('and below')}</w:txbxContent>"


@pytest.mark.parametrize(
    "drawn",
    [
        f"<w:pict><v:shape><v:textbox>{BOX}</v:textbox></v:shape></w:pict>",
        "<mc:AlternateContent>"
        f'<mc:Choice Requires="wps"><w:drawing>{BOX}</w:drawing></mc:Choice>'
        f"<mc:Fallback><w:pict>{BOX}</w:pict></mc:Fallback></mc:AlternateContent>",
        "<mc:AlternateContent><mc:Choice Requires='wpc'/>"
        f"<mc:Fallback><w:pict>{BOX}</w:pict></mc:Fallback></mc:AlternateContent>",
    ],
)
def test_text_box_follows_its_paragraph_once(tmp_path: Path, drawn: str) -> None:
    body = f"<w:p>{run('Start.')}<w:r>{drawn}</w:r></w:p>{paragraph('End.')}"
    assert text_of(tmp_path, body) == "Start.\n\nIn the box\n\nand below\n\nEnd."


def test_tracked_changes_show_the_new_text_once(tmp_path: Path) -> None:
    body = (
        f"<w:p>{run('We ')}<w:del><w:r><w:delText>never </w:delText></w:r></w:del>"
        f"<w:ins>{run('always ')}</w:ins><w:moveFrom>{run('gladly ')}</w:moveFrom>{run('sing')}"
        f"<w:moveTo>{run(' gladly')}</w:moveTo>{run('.')}</w:p>"
        f"<w:p><w:pPr><w:rPr><w:del/></w:rPr></w:pPr>{run('One ')}</w:p>{paragraph('line')}"
        "<w:tbl><w:tr><w:trPr><w:del/></w:trPr>"
        f"<w:tc>{paragraph('old row')}</w:tc></w:tr><w:tr><w:tc>{paragraph('row|s')}</w:tc></w:tr>"
        "</w:tbl>"
    )
    assert text_of(tmp_path, body) == "We always sing gladly.\n\nOne line\n\n| row\\|s |"


def test_parts_without_references_are_read(tmp_path: Path) -> None:
    separator = f"<w:footnote w:id='-1' w:type='separator'>{paragraph('line')}</w:footnote>"
    shown = text_of(
        tmp_path,
        paragraph("Oaks"),
        header1=paragraph("Forest report"),
        footer1=paragraph("Confidential"),
        footnotes=f"{separator}<w:footnote w:id='2'>{paragraph('Quercus')}</w:footnote>",
        comments=f"<w:comment w:id='0' w:author='Lea'>{paragraph('Which?')}</w:comment>",
    )
    assert shown == (
        "Header: Forest report\n\nOaks\n\n"
        "[1] Quercus\n[comment 1 by Lea] Which?\nFooter: Confidential"
    )


def test_headers_notes_and_comments_are_read_once(tmp_path: Path) -> None:
    section = (
        '<w:sectPr><w:headerReference w:type="default" r:id="header1"/>'
        '<w:headerReference w:type="first" r:id="header2"/>'
        '<w:footerReference w:type="default" r:id="footer1"/></w:sectPr>'
    )
    body = (
        f"<w:p><w:pPr>{section}</w:pPr>{run('Oaks')}"
        "<w:r><w:footnoteReference w:id='5'/></w:r></w:p>"
        f"<w:p>{run('Elms')}<w:r><w:endnoteReference w:id='2'/></w:r>"
        f"<w:r><w:commentReference w:id='0'/></w:r></w:p>{section}"
    )
    text = text_of(
        tmp_path,
        body,
        header1=paragraph("Forest report"),
        header2=paragraph("not shown"),
        footer1=paragraph("17"),  # a page number
        footnotes=f"<w:footnote w:id='5'>{paragraph('Quercus')}</w:footnote>",
        endnotes=f"<w:endnote w:id='2'>{paragraph('Ulmus')}</w:endnote>",
        comments=f"<w:comment w:id='0' w:author='Lea'>{paragraph('Which?')}</w:comment>",
    )
    assert text == (
        "Header: Forest report\n\nOaks[1]\n\nElms[2][comment 1]\n\n"
        "[1] Quercus\n[2] Ulmus\n[comment 1 by Lea] Which?"
    )


def math(text: str) -> str:
    return f"<m:r><m:t>{text}</m:t></m:r>"


@pytest.mark.parametrize(
    ("formula", "text"),
    [
        (
            f"<m:f><m:num>{math('a+b')}</m:num><m:den>{math('c')}</m:den></m:f>",
            "(a+b)/c",
        ),
        (f"<m:sSup><m:e>{math('x')}</m:e><m:sup>{math('2n')}</m:sup></m:sSup>", "x^(2n)"),
        (
            f"<m:sSubSup><m:e>{math('a')}</m:e><m:sub>{math('i')}</m:sub>"
            f"<m:sup>{math('2')}</m:sup></m:sSubSup>",
            "a_i^2",
        ),
        (f"<m:rad><m:deg/><m:e>{math('x+1')}</m:e></m:rad>", "√(x+1)"),
        (f"<m:rad><m:deg>{math('3')}</m:deg><m:e>{math('x')}</m:e></m:rad>", "∛(x)"),
        (
            f"<m:nary><m:naryPr><m:chr m:val='∑'/></m:naryPr><m:sub>{math('k=0')}</m:sub>"
            f"<m:sup>{math('n')}</m:sup><m:e>{math('k')}</m:e></m:nary>",
            "∑_(k=0)^n k",
        ),
        (
            "<m:d><m:dPr><m:begChr m:val='['/><m:endChr m:val=']'/></m:dPr><m:e><m:m>"
            f"<m:mr><m:e>{math('1')}</m:e><m:e>{math('0')}</m:e></m:mr>"
            f"<m:mr><m:e>{math('0')}</m:e><m:e>{math('1')}</m:e></m:mr></m:m></m:e></m:d>",
            "[1, 0; 0, 1]",
        ),
        (
            f"<m:func><m:fName><m:limLow><m:e>{math('lim')}</m:e><m:lim>{math('x→0')}</m:lim>"
            f"</m:limLow></m:fName><m:e>{math('f')}</m:e></m:func>",
            "lim_(x→0) f",
        ),
    ],
)
def test_formula_is_one_line(tmp_path: Path, formula: str, text: str) -> None:
    body = f"<w:p>{run('So ')}<m:oMath>{formula}</m:oMath>{run(' holds.')}</w:p>"
    assert text_of(tmp_path, body) == f"So {text} holds."


def test_lists_and_headings_have_their_numbers(tmp_path: Path) -> None:
    numbering = (
        "<w:abstractNum w:abstractNumId='3'>"
        "<w:lvl w:ilvl='0'><w:start w:val='2'/><w:numFmt w:val='upperRoman'/>"
        "<w:lvlText w:val='%1.'/></w:lvl>"
        "<w:lvl w:ilvl='1'><w:start w:val='1'/><w:numFmt w:val='decimal'/>"
        "<w:lvlText w:val='%1.%2'/></w:lvl></w:abstractNum>"
        "<w:num w:numId='7'><w:abstractNumId w:val='3'/></w:num>"
    )
    styles = (
        "<w:style w:styleId='berschrift2'><w:name w:val='heading 2'/>"
        "<w:pPr><w:numPr><w:numId w:val='7'/></w:numPr></w:pPr></w:style>"
    )

    def item(level: int, text: str) -> str:
        mark = f"<w:ilvl w:val='{level}'/><w:numId w:val='7'/>"
        return f"<w:p><w:pPr><w:numPr>{mark}</w:numPr></w:pPr>{run(text)}</w:p>"

    body = paragraph("Bäume", "berschrift2") + item(1, "Eiche") + item(1, "Ulme") + item(0, "Gras")
    assert text_of(tmp_path, body, numbering=numbering, styles=styles) == (
        "## II. Bäume\n\n  II.1 Eiche\n\n  II.2 Ulme\n\nIII. Gras"
    )


def test_characters_of_their_own_elements_are_kept(tmp_path: Path) -> None:
    body = (
        "<w:p><w:r><w:t>half</w:t><w:noBreakHyphen/><w:t>open co</w:t><w:softHyphen/><w:t>de</w:t>"
        "<w:sym w:font='Wingdings' w:char='F0FE'/><w:sym w:font='Symbol' w:char='F061'/></w:r>"
        f"<w:r><w:ruby><w:rt>{run('き')}</w:rt><w:rubyBase>{run('木')}</w:rubyBase></w:ruby></w:r></w:p>"
    )
    assert text_of(tmp_path, body) == "half-open code☑α木(き)"


def test_raised_and_lowered_digits_stay_so(tmp_path: Path) -> None:
    mark = "<w:r><w:rPr><w:vertAlign w:val='{}script'/></w:rPr><w:t>{}</w:t></w:r>".format
    body = (
        f"<w:p>{run('10')}{mark('super', '-3')}{run(' m CO')}{mark('sub', '2')}"
        f"{run(', the 4')}{mark('super', 'th')}</w:p>"
    )
    assert text_of(tmp_path, body) == "10⁻³ m CO₂, the 4th"


def test_omissions_are_named(tmp_path: Path) -> None:
    body = (
        f"<w:p>{run('Text')}<w:r><w:drawing><pic:pic/></w:drawing></w:r>"
        "<w:r><w:pict><v:shape><v:imagedata/></v:shape></w:pict></w:r>"
        "<w:r><w:object><v:shape><v:imagedata/></v:shape><o:OLEObject/></w:object></w:r>"
        "<w:r><w:rPr><w:vanish/></w:rPr><w:t>secret</w:t></w:r></w:p>"
    )
    note = "[Not included: 2 images, 1 embedded object, hidden text]"
    assert text_of(tmp_path, body) == f"Text\n\n{note}"


def test_strict_form_of_the_format_is_read(tmp_path: Path) -> None:
    space = "http://purl.oclc.org/ooxml/wordprocessingml/main"
    body = f"<w:body>{paragraph('Oak')}</w:body>"
    files = {"word/document.xml": f'<w:document xmlns:w="{space}">{body}</w:document>'}
    assert read(samples.packed(tmp_path / "a.docx", files)).pages == ("Oak",)


def test_main_part_may_have_another_name(tmp_path: Path) -> None:
    path = samples.docx(tmp_path / "a.docx", paragraph("Oak"))
    with samples.zipfile.ZipFile(path) as made:
        document = made.read("word/document.xml")
    rel = '<Relationship Id="r" Type="x/officeDocument" Target="/word/document2.xml"/>'
    files = {"_rels/.rels": f"<Relationships>{rel}</Relationships>", "word/document2.xml": document}
    assert read(samples.packed(path, files)).pages == ("Oak",)


def test_deeply_nested_formula_is_refused(tmp_path: Path) -> None:
    formula = "<m:e>" * 500 + "</m:e>" * 500
    with pytest.raises(UnreadableError, match="nested too deeply"):
        text_of(tmp_path, f"<w:p><m:oMath>{formula}</m:oMath></w:p>")
