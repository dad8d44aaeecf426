"""Styles of incomplete lines."""

import pytest

from app.markdown import MarkdownDocument
from app.markdown.inline import close_markup
from tests.app.markdown.markdown_samples import SAMPLES


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("plain", "plain"),
        ("a **bol", "a **bol**"),
        ("a **bold*", "a **bold**"),
        ("a **bold**", "a **bold**"),
        ("a **bold ", "a **bold** "),
        ("a **", "a "),
        ("a *it **bo", "a *it **bo***"),
        ("a *it **bo** x", "a *it **bo** x*"),
        ("`cod", "`cod`"),
        ("a `", "a "),
        ("``a ` b", "``a ` b``"),
        ("a **`", "a "),
        ("a *b **`", "a *b* "),
        ("H<sub>2", "H<sub>2</sub>"),
        ("a **b<su", "a **b**"),
        ("a <br", "a "),
        ("**a `b", "**a `b`**"),
        ("~~gon", "~~gon~~"),
        ("2 * 3 * 4", "2 * 3 * 4"),
        ("snake_case_na", "snake_case_na"),
        ("_it", "_it_"),
        ("\\*no", "\\*no"),
        ("[text](http://a", "text"),
        ("![alt](", "alt"),
        ("[text](http://a)", "[text](http://a)"),
        ("***all", "***all***"),
        ("", ""),
    ],
)
def test_open_ends_are_closed(written: str, shown: str) -> None:
    assert close_markup(written) == shown


def test_streaming_answer_shows_no_markers() -> None:
    text = "A **bold** word, `code`, *italics* and [a link](http://x.y).\n\n- **Item**: `x`\n- more"
    document = MarkdownDocument()
    for character in text:
        document.append(character)
        document.refresh()
        shown = document.document.toPlainText()
        assert "*" not in shown
        assert "`" not in shown
        assert "http" not in shown


@pytest.mark.turns(10)
@pytest.mark.parametrize("name", SAMPLES)
def test_closing_never_fails_or_loses_finished_text(name: str) -> None:
    for length in range(0, len(SAMPLES[name]), 3):
        close_markup(SAMPLES[name][:length])
