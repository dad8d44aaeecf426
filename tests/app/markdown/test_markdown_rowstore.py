"""The store of shown rows is a list, whatever is folded up, and leaves little to the collector."""

from __future__ import annotations

import gc

from hypothesis import given, settings
from hypothesis import strategies as st

from app.markdown import MarkdownDocument
from app.markdown.rows import CHUNK, Row, Rows, Span, TextRow
from tests.bench.samples import mixed


def _row(number: int) -> TextRow:
    return TextRow("paragraph", (Span(str(number)),))


STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("add"), st.integers(1, 3 * CHUNK)),
        st.tuples(st.just("fold"), st.floats(0, 1)),
        st.tuples(st.just("shorten"), st.floats(0, 1)),
        st.tuples(st.just("change"), st.floats(0, 0.999)),
        st.tuples(st.just("look"), st.floats(0, 0.999)),
    ),
    max_size=30,
)


@settings(deadline=None, max_examples=150)
@given(STEPS)
def test_it_is_a_list(steps: list[tuple[str, float]]) -> None:
    rows, model = Rows(), list[Row]()
    for number, (step, value) in enumerate(steps):
        place = int(value * len(model)) if step != "add" else 0
        if step == "add":
            for each in range(int(value)):
                row = _row(number * 1000 + each)
                rows.append(row)
                model.append(row)
        elif step == "fold":
            rows.fold(place)
        elif step == "shorten":
            rows.shorten(place)
            del model[place:]
        elif model and step == "change":
            rows[place] = model[place] = _row(-number)
        elif model:
            assert rows[place] == model[place]
            assert rows[place : place + 70] == model[place : place + 70]
            assert rows[-1] == model[-1]
    assert len(rows) == len(model)
    assert list(rows) == model


def test_a_long_answer_leaves_little_for_the_collector_to_walk(qapp: object) -> None:
    text = mixed(60_000)
    gc.collect()
    before = len(gc.get_objects())
    document = MarkdownDocument()
    document.set_text(text)
    document.settle()
    gc.collect()
    # 24,000 if every row were kept as objects. What is left is the source's blocks and Qt's lists.
    assert len(gc.get_objects()) - before < 6_000
