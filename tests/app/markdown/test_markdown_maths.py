"""Formulas: recognition, position in the line, and copied text."""

from xml.etree import ElementTree

import pytest
from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor, QImage, QPainter

from app.markdown import MarkdownDocument, maths, tex
from app.markdown.inline import FORMULA, close_markup
from app.markdown.style import LIGHT
from tests.app.markdown.markdown_dump import in_pieces, rendered
from tests.app.markdown.markdown_samples import DARK


def formulas(document: MarkdownDocument) -> list[str]:
    found = []
    block = document.document.begin()
    while block.isValid():
        iterator = block.begin()
        while not iterator.atEnd():
            form = iterator.fragment().charFormat()
            if form.objectType() == maths.OBJECT:
                found.append(
                    tex.typed_source(form.property(maths.SOURCE), form.property(maths.DISPLAY))
                )
            iterator += 1
        block = block.next()
    return found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Let $x^2$ be", ["$x^2$"]),
        (r"Let \(a_1 * b_1 * c\) be", ["$a_1 * b_1 * c$"]),
        ("$$\\frac{1}{2}$$", [r"$$\frac{1}{2}$$"]),
        ("\\[\na \\\\[4pt]\nb\n\\]", [r"$$a \\[4pt] b$$"]),
        ("- $a$ and **$b$**", ["$a$", "$b$"]),
        ("| f |\n|---|\n| $x_{i}$ |", ["$x_{i}$"]),
        ("[$x$](https://example.org)", ["$x$"]),
        ("It costs $5 and $10.", []),
        ("From US$5 to C$6, $HOME and $PATH/bin", []),
        ("`$x$` and\n\n    $y$", []),
        (r"\$x$ and $ x$ and $x $", []),
        ("$$ never closed, \\( nor this", []),
        ("A smuggled \ufffc is none", []),
    ],
)
def test_formula_is_recognized(text: str, found: list[str]) -> None:
    assert formulas(rendered(text)) == found


def test_formula_has_text_color_and_baseline() -> None:
    def ink(text: str, style) -> tuple[QColor, QRectF]:
        document = rendered(text, style)
        document.document.setTextWidth(300)
        image = QImage(300, 120, QImage.Format.Format_ARGB32)
        image.fill(0)
        painter = QPainter(image)
        document.document.drawContents(painter)
        painter.end()
        solid = [
            (x, y)
            for y in range(image.height())
            for x in range(image.width())
            if QColor.fromRgba(image.pixel(x, y)).alpha() > 200
        ]
        assert solid
        xs, ys = [x for x, _ in solid], [y for _, y in solid]
        area = QRectF(min(xs), min(ys), max(xs) - min(xs), max(ys) - min(ys))
        return QColor.fromRgba(image.pixel(*solid[len(solid) // 2])), area

    for style in (LIGHT, DARK):
        color, small = ink("$x$", style)
        assert abs(color.lightness() - QColor(style.text).lightness()) < 60
        _, tall = ink(r"$$\sum_{i=1}^{n} \frac{a_i}{b_i}$$", style)
        assert tall.height() > 2.5 * small.height()
    # An x has the same baseline as an H.
    _, letter = ink("H", LIGHT)
    _, formula = ink("$x$", LIGHT)
    assert abs(letter.bottom() - formula.bottom()) <= 2


def test_wide_formula_is_shrunk() -> None:
    document = rendered("$$" + "x + y + " * 20 + "z$$")
    document.document.setTextWidth(900)
    wide = document.document.size().height()
    document.document.setTextWidth(200)
    assert document.document.idealWidth() <= 201
    assert document.document.size().height() <= wide


def test_invalid_tex_is_shown_as_typed() -> None:
    document = rendered(r"So $\frac{1}{$ and $\undefinedthing{x}$ end")
    assert document.document.size().height() > 0
    assert document.plain_text().startswith("So ")
    for wild in ("{" * 900, r"\frac" * 180, r"\left(" * 150, "x^" * 200, r"\begin{matrix}"):
        assert rendered(f"$${wild}$$").plain_text() == f"$${wild}$$"


def test_formula_with_endless_length_is_shown_as_typed() -> None:
    for length in ("9999cm", "9e9pt", "1.2.3em", "99999 mm"):
        assert tex.formula(rf"\vec\hspace{{{length}}}x", True) is None
    assert tex.formula(r"v = 500\text{ cm} = 5000 mm", True) is not None
    assert tex.formula(r"a\hspace{2cm}b \hspace{1.5em} c", True) is not None


@pytest.mark.parametrize("color", ["red", "Red", "#f80", "#ff8800"])
def test_plain_color_is_drawn(color: str) -> None:
    made = tex.formula(rf"\textcolor{{{color}}}{{x}} + \colorbox{{{color}}}{{y}}", False)
    assert f'fill="{color}"' in made.svg


@pytest.mark.parametrize("command", ["textcolor", "colorbox", "fcolorbox{red}", "color"])
@pytest.mark.parametrize(
    "color",
    ["url(http://example.org/x)", "url(file:///x)", "url(#x)", "rgb(1,2,3)", "@import 'x'", "a:b"],
)
def test_unusual_color_is_not_passed_to_qt(command: str, color: str) -> None:
    made = tex.formula(rf"\{command}{{{color}}}{{x}}", False)
    assert made is None or color not in made.svg


@pytest.mark.parametrize(
    "svg",
    [
        "<svg><image href='file:///x'/></svg>",
        "<svg><a href='x'><path d='M0 0'/></a></svg>",
        "<svg><style>@import 'x';</style></svg>",
        "<svg><path d='M0 0' style='fill:url(x)'/></svg>",
        "<svg><path d='M0 0' fill='url(x)'/></svg>",
        "<svg><path d='M0 0' clip-path='url(x)'/></svg>",
    ],
)
def test_svg_with_references_is_refused(svg: str) -> None:
    assert not tex.is_harmless(ElementTree.fromstring(svg))


def test_formulas_are_fast() -> None:
    assert tex.formula(r"\frac{a}{b} + x_{i}^{2}", False) is not None
    for deep in ("x^{", r"\frac{a}{", r"\left(", "{", r"\begin{matrix}"):
        assert tex.estimate_work(deep * 30) > tex.MOST_WORK
    assert tex.estimate_work("x" * 10**6) == tex.MOST_WORK + 1
    assert tex.formula("x+" * 400, False) is None


def test_common_tex_is_understood() -> None:
    for source in (
        r"\begin{pmatrix} a & b \\ c & d \end{pmatrix}^{-1}",
        r"\begin{aligned} a &= b \\ c &= d \end{aligned}",
        r"\begin{cases} 1 & x>0 \\ 0 & \text{else} \end{cases}",
        r"\mathbb{R}^n \to \mathcal{L}, \quad \lim_{x\to 0} \left( 1 + \frac{1}{x} \right)^x",
        r"\int_0^\infty e^{-x^2}\,dx = \sqrt{\pi}, \vec{a} \cdot \hat{b} \neq \binom{n}{k}",
    ):
        assert tex.formula(source, True) is not None, source


def test_formula_in_missing_script_is_shown_as_typed() -> None:
    assert tex.formula(r"\begin{cases} 1 & \text{若 } x>0 \\ 0 & x \end{cases}", True) is None
    assert tex.formula(r"\text{مساحة} = r^2", True) is None
    assert tex.formula(r"\text{если } ж = α^2 \text{é}", True) is not None
    assert rendered(r"$\text{面积}$").plain_text() == r"$\text{面积}$"
    assert tex.formula(r"\text{「x」}", True) is None
    assert tex.formula(r"x + y = 10 \text{（1）}，", True) is not None
    assert tex.formula("x = 1，", False) == tex.formula("x = 1,", False)


def test_copying_gives_the_source() -> None:
    document = rendered(
        "Euler: $e^{i\\pi} = -1$, **so** $$x$$ and $a$ $a$.\n\n| f |\n|---|\n| $y$ |"
    )
    assert document.plain_text() == ("Euler: $e^{i\\pi} = -1$, so $$x$$ and $a$ $a$.\n\nf\n$y$")
    text = document.document.toPlainText()
    second = text.index(FORMULA, text.index(FORMULA) + 1)
    assert document.markdown_text(second - 3, second + 1) == "**so** $$x$$"


def test_streaming_formula_opens_no_emphasis() -> None:
    assert close_markup(r"so $a*b$ and \(c_1*d\) is") == r"so $a*b$ and \(c_1*d\) is"
    assert close_markup("so **$a*b$ is") == "so **$a*b$ is**"


def test_streamed_formulas_match_whole_text() -> None:
    text = (
        "Let $a_1 * b$ cost $5.\n\n$$\n\\frac{a}{b}\n$$\n\n1. \\(x\\) is\n2. \\[ y \\]\n\n"
        "| a | b |\n|---|---|\n| $u$ | \\(v\\) |\n"
    )
    growing = in_pieces(list(text))
    assert formulas(growing) == formulas(rendered(text))
    assert growing.document.toPlainText() == rendered(text).document.toPlainText()
