"""Dates in the app's language."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest

from app.settings import language
from app.ui.style.figures import date_line

DAY = time.mktime((2026, 11, 5, 17, 3, 0, 0, 0, -1))


@pytest.fixture
def german() -> Iterator[None]:
    texts = {"en": "de", "dddd d MMMM": "dddd, d. MMMM"}
    language.install(lambda text, comment, n: texts.get(text, ""))
    yield
    language.install(None)


def test_days_have_english_names_without_a_translation():
    assert date_line(DAY, "dddd d MMMM yyyy") == "Thursday 5 November 2026"


def test_date_names_and_order_follow_language(german: None):
    assert date_line(DAY, language.tr("dddd d MMMM")) == "Donnerstag, 5. November"
