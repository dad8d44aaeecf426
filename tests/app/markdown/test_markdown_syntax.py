"""Markdown as models write it, whole, streamed, exported and copied."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from markdown_it.token import Token

from app.markdown import MarkdownDocument
from app.markdown.blocks import BlockSplitter
from app.markdown.html_text import html_blocks, to_html
from app.markdown.plain_text import remove_markup
from app.markdown.rows import Row, Span, TableRow, TextRow
from app.markdown.syntax import FORMULA_LIMIT, parser
from tests.app.markdown.markdown_dump import dump, in_pieces
from tests.app.markdown.markdown_samples import FRAGMENTS
from tests.slices import examples


def rendered(text: str) -> MarkdownDocument:
    document = MarkdownDocument()
    document.set_text(text)
    document.settle()
    size = 1 + len(text) // 500
    pieces = [text[at : at + size] for at in range(0, len(text), size)]
    assert dump(in_pieces(pieces).document) == dump(document.document)
    return document


def rows(text: str) -> list[Row]:
    return list(rendered(text)._writer.rows)


def spans(text: str) -> list[Span]:
    return [span for row in rows(text) if isinstance(row, TextRow) for span in row.spans]


def with_ink(text: str, name: str) -> list[str]:
    return [span.text for span in spans(text) if getattr(span.ink, name)]


def texts(text: str) -> list[str]:
    return [
        f"{row.kind}: {''.join(span.text for span in row.spans)}".replace("\u2028", " / ")
        for row in rows(text)
        if isinstance(row, TextRow) and row.kind != "pad"
    ]


def shown_while_it_grows(text: str) -> Iterator[str]:
    document = MarkdownDocument()
    for letter in text:
        document.append(letter)
        document.refresh()
        yield document.document.toPlainText()


@pytest.mark.parametrize(
    ("text", "bold"),
    [
        ("**重点。**接着说", "重点。"),
        ("他说**“你好”**然后走了", "“你好”"),
        ("这是**(重要)**的事", "(重要)"),
        ("**「強調」**です", "「強調」"),
        ("これは**`code`です。**次の文", "`code`です。"),
        ("**용어(term)**를 설명", "용어(term)"),
        ("사과는 **'사과'**라고 한다", "'사과'"),
        ("**ملاحظة:**النص", "ملاحظة:"),
        ('و**"القيمة"**هنا', '"القيمة"'),
        ("**הערה:**טקסט", "הערה:"),
        ("**หมายเหตุ:**ข้อความ", "หมายเหตุ:"),
        ("**第一：**English text", "第一："),
        ("⚠️**“注意”**小心", "“注意”"),
        ("约**50%**的人", "50%"),
        ("使用**`npm install`**安装", "npm install"),
        ("**𠮷野家。**へ行く", "𠮷野家。"),
        ("**ｶﾀｶﾅ！**ﾃｽﾄ", "ｶﾀｶﾅ！"),
        ("**注：**1. 先做", "注："),
        ("价格**$5**左右", "$5"),
    ],
)
def test_emphasis_next_to_punctuation_and_a_letter(text: str, bold: str) -> None:
    found = [span.text for span in spans(text) if span.ink.bold]
    assert "".join(found) == bold.replace("`", "")
    assert "*" not in "".join(span.text for span in spans(text))
    assert "*" not in remove_markup(text)
    assert all("*" not in shown for shown in shown_while_it_grows(text))
    assert rendered(rendered(text).markdown_text()).plain_text() == rendered(text).plain_text()


def test_strikethrough_and_italics_follow_the_same_rule() -> None:
    assert with_ink("~~旧的。~~新的", "strike") == ["旧的。"]
    assert with_ink("*斜体！*之后", "italic") == ["斜体！"]


@pytest.mark.parametrize(
    "text", ['a**"b"**c', "2**3**4 ** 5", "**未完", "snake_变量_name", "** 空 **"]
)
def test_other_emphasis_follows_commonmark(text: str) -> None:
    plain = parser().renderInline(text)
    assert ("<strong>" in plain) == (text == "2**3**4 ** 5")
    assert "<em>" not in plain


@pytest.mark.parametrize(
    ("text", "links"),
    [
        ("参见 https://a.example/x。然后", ["https://a.example/x"]),
        ("参见https://a.example/x了解更多", ["https://a.example/x"]),
        ("（https://a.example/x）和「https://b.example」", ["https://a.example/x", "https://b.example"]),
        ("https://a.example/docs를 보세요", ["https://a.example/docs"]),
        ("https://a.example/docsを参照", ["https://a.example/docs"]),
        ("https://zh.example/wiki/中文 是", ["https://zh.example/wiki/中文"]),
        ("詳しくはhttps://a.example/を参照", ["https://a.example/"]),
        ("https://zh.example/初音未来 是", ["https://zh.example/初音未来"]),
        ("https://ja.example/wiki/のり。", ["https://ja.example/wiki/のり"]),
        ("https://de.example/Zürich.", ["https://de.example/Zürich"]),
        ("https://a.example/a_(b)，[https://b.example/c]", ["https://a.example/a_(b)", "https://b.example/c"]),
        ("راجع https://a.example/x؟ نعم", ["https://a.example/x"]),
        ("“https://a.example/x”…", ["https://a.example/x"]),
        ("https://a.example/x〜まで", ["https://a.example/x"]),
        ("https://a.example/a%E4%B8%AD。好", ["https://a.example/a%E4%B8%AD"]),
        ("**https://a.example:8080/?b=c**：说明", ["https://a.example:8080/?b=c"]),
        ("[链接](https://a.example/a（b）)", ["https://a.example/a%EF%BC%88b%EF%BC%89"]),
        ("http:// and https://) are none", []),
    ],
)  # fmt: skip
def test_bare_address_ends_correctly(text: str, links: list[str]) -> None:
    assert [ink for ink in (span.ink.link for span in spans(text)) if ink] == links
    page = "".join(html_blocks(text, lambda source, _: source))
    assert page.count("<a href=") == len(links)


FORMULAS = {
    "a plus": "$$\na\n+ b\n$$",
    "a minus": "\\[\na\n- b\n\\]",
    "greater": "$$\nx\n> 0\n$$",
    "equals": "$$\nx\n=\ny\n$$",
    "a rule": "$$\nx\n---\ny\n$$",
    "a number": "$$\nx =\n1. 5\n$$",
    "a hash": "\\[\na\n# b\n\\]",
    "an empty line": "$$\na\n\nb\n$$",
    "within a line": "\\(a\n+ b\\)",
    "a matrix": "$$\n\\begin{matrix}\n| a | b \\\\\n|---|---|\n\\end{matrix}\n$$",
    "an environment": "\\begin{align*}\na &= b \\\\\n+ c &= d\n\\end{align*}",
    "begun with content": "$$ a\n+ b $$",
    "indented": "$$\n    a\n    + b\n$$",
    "a definition": "$$\n[x]: y\n$$",
    "HTML": "$$\na < b > c\n<br>\n$$",
}


@pytest.mark.parametrize("name", FORMULAS)
@pytest.mark.parametrize(
    "around", ["{}", "before\n{}\nafter", "before:\n\n{}\n\nafter", "so {} end"]
)
def test_formula_of_several_lines_is_one(name: str, around: str) -> None:
    text = around.replace("{}", FORMULAS[name])
    if around == "so {} end" and "\n\n" in text:
        return  # in a line of words, "$$" may mean anything
    found = rows(text)
    assert all(isinstance(row, TextRow) and row.kind == "paragraph" for row in found)
    assert not any(row.levels for row in found)
    assert len(with_ink(text, "math")) == 1
    assert len(found) == (3 if "\n\n{}" in around else 1)
    page = "".join(html_blocks(text, lambda source, _: "[formula]"))
    assert page.count("[formula]") == 1
    assert not {"<ul>", "<ol>", "<h1>", "<h2>", "<table>", "<blockquote>"} & set(page.split("\n"))


@pytest.mark.parametrize(
    "text",
    [
        "- item\n  $$\n  a\n  + b\n  $$\n- next",
        "> $$\n> a\n> + b\n> $$",
        "1. item\n$$\na\n+ b\n$$\n2. next",
        "- $$\n  a\n\n  + b\n  $$\n- next",
    ],
)
def test_formula_within_a_list_or_quotation_is_one(text: str) -> None:
    assert len(with_ink(text, "math")) == 1
    assert "+" not in texts(text)[-1]
    assert len([row for row in rows(text) if row.levels]) == len(rows(text)) <= 2


@pytest.mark.parametrize(
    "text",
    [
        "$$ is the shell's own number\n\n- a\n- b\n\nand $$ again",
        "$$\n" + "a line\n\n" * (FORMULA_LIMIT // 7) + "- a\n\n$$ end",
        "- $$\n- a\n- b",
        "$$\n```\n- code\n```\n- a\n\n$$",
        "\\[link\\] \\[x\n\n- a\n\n\\]",
    ],
)
def test_non_formula_is_left_alone(text: str) -> None:
    document = rendered(text)
    assert "$$" in document.plain_text() or "[" in document.plain_text()
    assert any(isinstance(row, TextRow) and row.item for row in document._writer.rows)


@pytest.mark.parametrize(
    "text",
    [
        "$5 and $6",
        "($5)/($6)",
        "$3 apples for 4$",
        "$20k to 30$",
        "$HOME:$PATH",
        "US$5–US$6",
        "a$b$c",
    ],
)
def test_amounts_and_variables_are_not_formulas(text: str) -> None:
    assert with_ink(text, "math") == []
    assert remove_markup(text) == text


@pytest.mark.parametrize(
    "text", ["设$x$为", "そこで$x$は", "값$x$는", "ليكن$x$عدد", "($x$)", "$x$。"]
)
def test_formula_may_touch_letters(text: str) -> None:
    assert len(with_ink(text, "math")) == 1


def test_growing_formula_begins_no_other_block() -> None:
    for text in FORMULAS.values():
        document = MarkdownDocument()
        for letter in "so:\n" + text:
            document.append(letter)
            document.refresh()
            assert {row.kind for row in document._writer.rows} <= {"paragraph"}
            assert not any(row.levels for row in document._writer.rows)
            assert len(document._writer.rows) <= 1


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("one<br>two<br/>three<br />four", ["paragraph: one / two / three / four"]),
        ("one<br>\ntwo\n<br>\nthree<br>\n\nfour", [
            "paragraph: one / two /  / three", "paragraph: four",
        ]),
        ("# A<br>B", ["heading1: A / B"]),
        ("H<sub>2</sub>O", ["paragraph: H2O"]),
        ("press <kbd>Ctrl</kbd>+<kbd>C</kbd>", ["paragraph: press Ctrl+C"]),
        ("<details>\n<summary>More</summary>\n\n- a\n\n</details>\nb", [
            "paragraph: More", "paragraph: a", "paragraph: b",
        ]),
        ("<details><summary><b>M</b></summary>x</details>", ["paragraph: M / x"]),
        ("<i>z <b onclick=x>y</b>", ["paragraph: <i>z <b onclick=x>y</b>"]),
        ("<script>x</script>", ["paragraph: <script>x</script>"]),
        ("the <details> element", ["paragraph: the <details> element"]),
        ("`<br>` and &lt;br&gt;", ["paragraph: <br> and <br>"]),
        ('a<br class="x">b<br clear="all"/>c</br>d', ["paragraph: a / b / c / d"]),
        ("<kbd><kbd>Shift</kbd>+<kbd>P</kbd></kbd>", ["paragraph: Shift+P"]),
        ("<b>use `<b>` now</b>", ["paragraph: use <b> now"]),
        ("<sub>open\n\nx<sub>i</sub> < y", ["paragraph: <sub>open", "paragraph: xi < y"]),
        ("- <details>\n  <summary>Log</summary>\n\n  x\n\n  </details>\n- y", [
            "paragraph: Log", "paragraph: x", "paragraph: y",
        ]),
        ("<img src=x> <a href=x>y</a> <!-- z", ["paragraph: <img src=x> <a href=x>y</a> <!-- z"]),
    ],
)  # fmt: skip
def test_common_html_is_rendered(text: str, shown: list[str]) -> None:
    assert texts(text) == shown


def test_html_is_styled() -> None:
    text = "<b>b</b> <i>i</i> <s>s</s> <u>u</u> x<sup>**2**</sup> <mark>m</mark> <sub>[l](http://a.b)</sub>"
    assert with_ink(text, "bold") == ["b", "2"]
    assert with_ink(text, "italic") == ["i"]
    assert with_ink(text, "strike") == ["s"]
    assert with_ink(text, "tags") == ["u", "2", "m", "l"]
    again = rendered(text).markdown_text()
    assert spans(again) == spans(text)
    page = "".join(html_blocks(text, lambda source, _: source))
    assert "<sup><strong>2</strong></sup>" in page
    assert "<mark>m</mark>" in page


def test_break_in_a_cell_is_a_line_of_the_cell() -> None:
    text = "| a | b |\n|---|---|\n| x<br>- y<br/>- z | 1<sub>2</sub> |"
    (table,) = rows(text)
    assert isinstance(table, TableRow)
    assert [span.text for span in table.cells[1][0]] == ["x\u2028- y\u2028- z"]
    assert rendered(text).plain_text() == "a\tb\nx - y - z\t12"
    assert "x<br>- y<br>- z" in rendered(text).markdown_text()


@pytest.mark.parametrize(
    "text",
    [
        "# A<br>B<br><br>C\n\nd",
        "1. one<br><br>two\n2. x",
        "> a<br><br><br>b",
        "<br>a<br> <br>**b**",
    ],
)
def test_line_breaks_are_copied_as_shown(text: str) -> None:
    again = rendered(text).markdown_text()
    assert texts(again) == texts(text)


def test_tags_do_not_flash_while_they_are_written() -> None:
    text = (
        "H<sub>2</sub>O<BR clear=all><br><kbd>Esc</kbd>\n\n"
        "<details>\n<summary>More</summary>\n\nx\n</details>\n"
    )
    for shown in shown_while_it_grows(text):
        assert "<" not in shown
        assert ">" not in shown


@pytest.mark.parametrize(
    ("row", "cells"),
    [
        ("| $|x|$ | b |", ["￼", "b"]),
        ("| \\(P(A|B)\\) | $|y|$ |", ["￼", "￼"]),
        ("| $5 | $6 |", ["$5", "$6"]),
        ("| `$a|b$` |", ["`$a", "b$`"]),
    ],
)
def test_bar_in_a_formula_does_not_end_the_cell(row: str, cells: list[str]) -> None:
    (table,) = rows(f"| a | b |\n|---|---|\n{row}\n")
    assert isinstance(table, TableRow)
    assert ["".join(span.text for span in cell) for cell in table.cells[1]] == cells


NESTED = "{f}markdown\nHere:\n\n{f}python\nprint(1)\n{f}\n\nend\n{f}\nafter"


@pytest.mark.parametrize("mark", ["```", "~~~", "````"])
@pytest.mark.parametrize("before", ["", "text\n", "   "])
def test_fence_in_a_fence_of_markdown(mark: str, before: str) -> None:
    text = before + NESTED.format(f=mark)
    (code,) = rendered(text).code_blocks()
    assert code.source == f"Here:\n\n{mark}python\nprint(1)\n{mark}\n\nend\n"
    assert texts(text)[-1] == "paragraph: after"


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        ("```markdown\n~~~text\n```\n~~~\n```\n", ["~~~text\n```\n~~~\n"]),
        ("~~~md\n```sh\n~~~\n```\n~~~\n", ["```sh\n~~~\n```\n"]),
        ("```md\n```md\n```py\nx\n```\n```\n```\n", ["```md\n```py\nx\n```\n```\n"]),
        ("```mdx\n```js {1}\nx\n```\n\n```\n", ["```js {1}\nx\n```\n\n"]),
        ("> ```md\n> ```py\n> x\n> ```\n> ```\n", ["```py\nx\n```\n"]),
    ],
)
def test_fences_in_a_fence(text: str, codes: list[str]) -> None:
    assert [code.source for code in rendered(text + "\nafter").code_blocks()] == codes
    assert texts(text + "\nafter")[-1] == "paragraph: after"


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        ("```md\n```\nx\n```\n```\n", ["```\nx\n```\n"]),
        ("```md\n# T\n\n```\na/\n```\n\n## R\n```\n", ["# T\n\n```\na/\n```\n\n## R\n"]),
        ("```md\nRun:\n```\nx\n```\ny\n```\n", ["Run:\n```\nx\n```\ny\n"]),
        ("- a\n\n  ```md\n\n  ```\n  x\n  ```\n  ```\n", ["\n```\nx\n```\n"]),
        # Closes the outer fence.
        ("```md\n\n```\n", ["\n"]),
        ("```md\nx\n\n```\n", ["x\n\n"]),
        ("```md\nx\n\n```\ny\n", ["x\n\n"]),
        ("```md\nx:\n```\ny\n\n```py\nz\n```\n", ["x:\n", "z\n"]),
        ("> ```md\n> x:\n> ```\n> y\n", ["x:\n"]),
        ("- a\n\n  ```md\n  x:\n  ```\n  y\n", ["x:\n"]),
    ],
)
def test_fence_without_a_language_in_a_fence(text: str, codes: list[str]) -> None:
    text += "\nafter"
    assert [code.source for code in rendered(text).code_blocks()] == codes
    assert rendered(text).plain_text().endswith("after")


@pytest.mark.parametrize(
    "text", ["x\n\n```\ny\n```\n```", "x\n\n```\ny", "x\n\n```\ny\n\n```py\nz\n```", "x\n\n```"]
)
def test_long_fence_ends_like_a_short_one(text: str) -> None:
    short = BlockSplitter()
    short.feed(f"```md\n{text}\n\nafter")
    short.finish()
    long = BlockSplitter()
    for part in ("```md\n", "word\n" * 4_000, *text, "\n\nafter"):
        long.feed(part)
        long.advance()
    long.finish()
    found = [[token.content for token in block.tokens] for block in long.finished]
    found[0] = [content.removeprefix("word\n" * 4_000) for content in found[0]]
    assert found == [[token.content for token in block.tokens] for block in short.finished]


@pytest.mark.parametrize("text", [">   ```md\n> ", ">   ```md\n>", "-   ```md\n    x\n    "])
def test_open_fence_in_a_quotation_ends_with_an_empty_line(text: str) -> None:
    assert len(rendered(text).code_blocks()) == 1


@pytest.mark.parametrize("text", ["```md\nx\n\n```\n\nafter", "> ```md\n> x:\n> ```\n\nafter"])
def test_closing_line_of_a_fence_does_not_flash(text: str) -> None:
    assert all("``" not in shown for shown in shown_while_it_grows(text))


def test_fence_in_a_fence_within_a_list() -> None:
    text = "- a\n  ```md\n  1. x\n     ```sh\n     ls\n     ```\n  ```\n  b\n- c"
    (code,) = rendered(text).code_blocks()
    assert code.source == "1. x\n   ```sh\n   ls\n   ```\n"
    assert texts(text)[-2:] == ["paragraph: b", "paragraph: c"]


def test_long_fence_in_a_fence() -> None:
    text = NESTED.format(f="```").replace("print(1)", "print(1)\n" * 3_000)
    document = MarkdownDocument()
    document.set_text(text)
    (code,) = document.code_blocks()
    assert code.source.endswith("```\n\nend\n")
    assert document.plain_text().endswith("after")


def test_nested_fence_ends_at_first_closing_line() -> None:
    text = "```python\n'''\n```text\n```\nafter"
    (code,) = rendered(text).code_blocks()
    assert code.source == "'''\n```text\n"


@pytest.mark.parametrize(
    "text",
    [
        "| a | b |\n|---|:-:|\n| 1 | 2 |\n",
        "a | b\n--|--\n1 | 2\n",
        "- x\n\n  | a | b |\n  |---|---|\n  | 1 | 2 |\n",
        "> | a | b |\n> |---|---|\n> | 1 | 2 |\n",
        "before\n| a | b |\n| --- | --- |\n| 1 | 2 |\n",
    ],
)
def test_table_header_is_not_shown_as_paragraph(text: str) -> None:
    document = MarkdownDocument()
    for letter in text:
        document.append(letter)
        document.refresh()
        for row in document._writer.rows:
            if isinstance(row, TextRow):
                assert not {"|", "b"} & set("".join(span.text for span in row.spans)) - set(
                    "before"
                )
    assert any(isinstance(row, TableRow) for row in document._writer.rows)


def test_line_with_a_bar_is_shown_when_another_follows() -> None:
    document = MarkdownDocument()
    document.append("use a | b here\nand")
    document.refresh()
    assert "a | b here" in document.document.toPlainText()


def test_copied_fragment_is_complete() -> None:
    html = to_html("# T\n\n| a |\n|---|\n| **b** |\n\n- $x$\n\n<script>")
    for part in ("<h1>T</h1>", "<td><strong>b</strong></td>", "<li>$x$</li>", "&lt;script&gt;"):
        assert part in html


PIECES = (
    *FRAGMENTS, "$$", "$$\n", "\n$$\n", "\\[", "\\]", "\\[\n", "\n\\]\n", "\\begin{align}",
    "\\end{align}", "$x$", "<br>", "<sub>", "</sub>", "<b>", "</b>", "<details>\n", "<summary>",
    "</summary>", "\n</details>\n", "```markdown\n", "~~~md\n", "```\n", "中文", "。", "**", "（",
    "  $$\n", " | ", "\n  | a |\n", "+ b\n", "=\n", "한국어",
)  # fmt: skip


@settings(max_examples=examples(150), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.sampled_from(PIECES), max_size=30), st.randoms(use_true_random=False))
def test_any_prefix_and_the_rest_make_the_whole(parts: list[str], dice: random.Random) -> None:
    text = "".join(parts)
    place = dice.randrange(len(text) + 1)
    whole = MarkdownDocument()
    whole.set_text(text)
    whole.settle()
    assert dump(in_pieces([text[:place], text[place:]]).document) == dump(whole.document)


@settings(max_examples=examples(200), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.sampled_from(PIECES), max_size=30))
def test_block_alone_gives_what_it_gave_in_the_text(parts: list[str]) -> None:
    splitter = BlockSplitter()
    for part in parts:
        splitter.feed(part)
        splitter.advance()
    splitter.finish()
    for block in splitter.finished:
        tokens: list[Token] = []
        parser().block.parse(block.source, parser(), {"references": {}}, tokens)
        assert [t.content for t in tokens] == [t.content for t in block.tokens]
