"""Small attachments in each supported format, built by hand from the format specifications."""

from __future__ import annotations

import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path

_W = (
    'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" '
    'xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math" '
    'xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006" '
    'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships" '
    'xmlns:v="urn:schemas-microsoft-com:vml" xmlns:o="urn:schemas-microsoft-com:office:office" '
    'xmlns:pic="http://schemas.openxmlformats.org/drawingml/2006/picture"'
)
_ODF = " ".join(
    f'xmlns:{name}="urn:oasis:names:tc:opendocument:xmlns:{long}:1.0"'
    for name, long in {
        "office": "office",
        "text": "text",
        "table": "table",
        "draw": "drawing",
        "style": "style",
        "presentation": "presentation",
    }.items()
)
_P = (
    'xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main" '
    'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" '
    'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"'
)
_REL = "http://schemas.openxmlformats.org/package/2006/relationships"


def packed(path: Path, files: Mapping[str, str | bytes]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as made:
        for name, content in files.items():
            made.writestr(name, content)
    return path


def pdf(path: Path, pages: Sequence[str | None], trailer: str = "") -> Path:
    streams = []
    for text in pages:
        if text is None:
            streams.append("0.8 g 0 0 9999 9999 re f")
            continue
        lines = "".join(f"({line}) Tj 0 -14 Td\n" for line in text.split("\n") if line)
        streams.append(f"BT /F1 11 Tf 72 760 Td\n{lines}ET")
    return _pdf(path, streams, trailer)


def scan(path: Path, pages: int, size: str = "612 792") -> Path:
    return _pdf(path, [f"{1 - n / 100:.2f} g 0 0 9999 9999 re f" for n in range(pages)], size=size)


def _pdf(path: Path, streams: Sequence[str], trailer: str = "", size: str = "612 792") -> Path:
    objects = ["<< /Type /Catalog /Pages 2 0 R >>", ""]
    font = 3 + 2 * len(streams)
    kids = []
    for number, stream in enumerate(streams):
        page, content = 3 + 2 * number, 4 + 2 * number
        kids.append(f"{page} 0 R")
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 {size}] /Contents {content} 0 R "
            f"/Resources << /Font << /F1 {font} 0 R >> >> >>"
        )
        objects.append(f"<< /Length {len(stream)} >>\nstream\n{stream}\nendstream")
    objects.append("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>")
    objects[1] = f"<< /Type /Pages /Kids [{' '.join(kids)}] /Count {len(streams)} >>"
    out, places = "%PDF-1.4\n", []
    for number, content in enumerate(objects, 1):
        places.append(len(out))
        out += f"{number} 0 obj\n{content}\nendobj\n"
    start = len(out)
    out += f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n"
    out += "".join(f"{place:010} 00000 n \n" for place in places)
    out += f"trailer << /Size {len(objects) + 1} /Root 1 0 R {trailer} >>\n"
    path.write_bytes(f"{out}startxref\n{start}\n%%EOF\n".encode("latin-1"))
    return path


def docx(path: Path, body: str, **parts: str) -> Path:
    document = f"<w:document {_W}><w:body>{body}</w:body></w:document>"
    rels = "".join(f'<Relationship Id="{name}" Target="{name}.xml"/>' for name in parts)
    files = {"[Content_Types].xml": "<Types/>", "word/document.xml": document}
    files["word/_rels/document.xml.rels"] = f"<Relationships>{rels}</Relationships>"
    files |= {f"word/{name}.xml": f"<part {_W}>{part}</part>" for name, part in parts.items()}
    return packed(path, files)


def odf(path: Path, kind: str, body: str, styles: str = "") -> Path:
    inside = f"<office:body><office:{kind}>{body}</office:{kind}></office:body>"
    files = {
        "mimetype": f"application/vnd.oasis.opendocument.{kind}",
        "content.xml": f"<office:document-content {_ODF}>{inside}</office:document-content>",
        "styles.xml": f"<office:document-styles {_ODF}>{styles}</office:document-styles>",
    }
    return packed(path, files)


def paragraph(text: str, style: str = "", before: str = "") -> str:
    marked = f'<w:pPr><w:pStyle w:val="{style}"/></w:pPr>' if style else ""
    return f"<w:p>{marked}<w:r>{before}<w:t>{text}</w:t></w:r></w:p>"


def pptx(path: Path, slides: Sequence[tuple[str, str]]) -> Path:
    numbers = range(1, len(slides) + 1)
    ids = "".join(f'<p:sldId id="{255 + n}" r:id="rId{n}"/>' for n in numbers)
    rels = "".join(f'<Relationship Id="rId{n}" Target="slides/slide{n}.xml"/>' for n in numbers)
    files = {
        f"ppt/slides/slide{number}.xml": f"<p:sld {_P}><p:cSld><p:spTree>"
        f'<p:sp><p:nvSpPr><p:nvPr><p:ph type="title"/></p:nvPr></p:nvSpPr>'
        f"<p:txBody><a:p><a:r><a:t>{title}</a:t></a:r></a:p></p:txBody></p:sp>"
        f"<p:sp><p:txBody><a:p><a:r><a:t>{text}</a:t></a:r></a:p></p:txBody></p:sp>"
        "</p:spTree></p:cSld></p:sld>"
        for number, (title, text) in enumerate(slides, 1)
    }
    return packed(
        path,
        {
            **dict(reversed(files.items())),
            "ppt/presentation.xml": f"<p:presentation {_P}><p:sldIdLst>{ids}</p:sldIdLst>"
            "</p:presentation>",
            "ppt/_rels/presentation.xml.rels": f'<Relationships xmlns="{_REL}">{rels}'
            "</Relationships>",
        },
    )


def epub(path: Path, chapters: Sequence[str]) -> Path:
    numbers = range(1, len(chapters) + 1)
    items = "".join(f'<item id="c{n}" href="text/c%20{n}.xhtml"/>' for n in numbers)
    spine = "".join(f'<itemref idref="c{n}"/>' for n in numbers)
    return packed(
        path,
        {
            "mimetype": "application/epub+zip",
            "META-INF/container.xml": "<container><rootfiles>"
            '<rootfile full-path="OEBPS/book.opf"/></rootfiles></container>',
            "OEBPS/book.opf": '<package xmlns="http://www.idpf.org/2007/opf">'
            f"<manifest>{items}</manifest><spine>{spine}</spine></package>",
            **{
                f"OEBPS/text/c {n}.xhtml": '<?xml version="1.0"?><html><head><title>no</title>'
                f"<style>no</style></head><body>{chapter}</body></html>"
                for n, chapter in enumerate(chapters, 1)
            },
        },
    )


def xlsx(path: Path, sheets: Mapping[str, Sequence[Sequence[object]]]) -> Path:
    import openpyxl

    book = openpyxl.Workbook()
    book.remove(book.active)
    for name, rows in sheets.items():
        sheet = book.create_sheet(name)
        for row in rows:
            sheet.append(list(row))
    book.save(path)
    return path
