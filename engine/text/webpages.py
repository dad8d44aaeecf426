"""Conversion of web pages and e-book chapters to Markdown."""

from __future__ import annotations

import re
import warnings
from typing import Any

from engine.text.document_base import (
    TOO_DEEP,
    LeftOut,
    UnreadableError,
    escape_bars,
    to_raised_or_lowered,
)
from engine.text.formulas import linearize_mathml

_MAX_ADDED_CELLS = 10_000  # limit for cells that span several rows


def to_markdown(source: str, left_out: LeftOut) -> str:
    from bs4 import BeautifulSoup
    from markdownify import MarkdownConverter

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # warns about text that looks like XML or a file name
            soup: Any = BeautifulSoup(source, "html.parser")
            for tag in soup(class_="katex-html"):  # visual duplicate of a formula
                tag.decompose()
            for tag in soup(re.compile(r"^(\w+:)?math$")):
                tag.replace_with(linearize_mathml(tag))
            if images := len(soup(("img", "svg"))):
                left_out.add("image", images)
            for tag in soup(("script", "style", "noscript", "template", "svg", "iframe", "object")):
                tag.decompose()
            for tag in soup(("sup", "sub")):
                if tag.string:
                    tag.string.replace_with(to_raised_or_lowered(tag.string, tag.name))
            for tag in soup("rt"):  # ruby annotation
                if not tag.parent("rp"):
                    tag.insert(0, "(")
                    tag.append(")")
            _complete_tables(soup)
            converter: Any = MarkdownConverter(
                heading_style="ATX",
                bullets="-",
                strip=["a", "img"],
                escape_asterisks=False,
                escape_underscores=False,
                escape_misc=False,
            )
            return str(converter.convert_soup(soup.body or soup)).replace("\xad", "")
    except RecursionError:
        raise UnreadableError(TOO_DEEP) from None


def _complete_tables(soup: Any) -> None:
    for cell in soup(("td", "th")):
        for text in cell.find_all(string=re.compile(r"\|")):
            if text.find_parent(("td", "th")) is cell:
                text.replace_with(escape_bars(text))
    added = 0
    for table in soup("table"):
        rows_left: dict[int, int] = {}  # number of rows still covered by a cell above, by column
        for row in table("tr"):
            if row.find_parent("table") is not table:
                continue
            column = 0
            for cell in [*row(("td", "th"), recursive=False), None]:
                while rows_left.get(column) and added < _MAX_ADDED_CELLS:
                    empty = soup.new_tag("td")
                    (row.append if cell is None else cell.insert_before)(empty)
                    rows_left[column] -= 1
                    column, added = column + 1, added + 1
                if cell is not None:
                    end = column + _span(cell, "colspan")
                    below = _span(cell, "rowspan") - 1
                    rows_left |= dict.fromkeys(range(column, end), below)
                    column = end


def _span(cell: Any, name: str) -> int:
    text = str(cell.get(name, "")).strip()
    return min(int(text), 100) if text.isdecimal() and int(text[:9]) else 1
