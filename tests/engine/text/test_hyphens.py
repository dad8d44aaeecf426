"""Joining words that PDFs hyphenate at line ends."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.text.documents import read
from tests.engine import document_samples as samples


@pytest.mark.parametrize(
    ("lines", "text"),
    [
        ("some gar-\ndens here", "some gardens here"),
        ("a SEC-\nTION here", "a SECTION here"),
        ("a self-\nmade chair", "a self-made chair"),
        ("a long-\nterm plan", "a long-term plan"),
        ("state-of-\nthe-art tools", "state-of-the-art tools"),
        ("an X-\nray and the Smith-\nJones case", "an X-ray and the Smith-Jones case"),
        ("from 1999-\n2004 on", "from 1999-\n2004 on"),
        ("see http://a.example/long-\npath here", "see http://a.example/long-path here"),
        ("first- and second-\nclass seats", "first- and second-class seats"),
        ("Ein-\nund Ausgang", "Ein- und Ausgang"),
        ("by e-mail or e-\nmail", "by e-mail or e-mail"),  # as elsewhere in the text
        ("the webpage, a web-\npage", "the webpage, a webpage"),
        ("a web-page, a web-\npage", "a web-page, a web-page"),
    ],
)
def test_hyphen_at_the_end_of_a_line(tmp_path: Path, lines: str, text: str) -> None:
    assert read(samples.pdf(tmp_path / "a.pdf", [lines])).pages == (text,)


def test_word_is_looked_up_in_all_pages(tmp_path: Path) -> None:
    path = samples.pdf(tmp_path / "a.pdf", ["a low-\nfat meal", "every low-fat meal"])
    assert read(path).pages == ("a low-fat meal", "every low-fat meal")
