"""Days as a person writes them."""

from __future__ import annotations

import time

from PySide6.QtCore import QDate, QLocale

from app.language import tr


def date_line(when: float, form: str) -> str:
    """The day of `when`, in seconds since 1970, with names in the language of the window.

    Args:
        form: as `QDate.toString` reads it ("dddd d MMMM yyyy"), translated: languages order the
            parts differently.
    """
    day = time.localtime(when)
    # Not the system's locale: the window's language may be another one.
    locale = QLocale(tr("en", "the code of this language: names of days and months are in it"))
    return locale.toString(QDate(day.tm_year, day.tm_mon, day.tm_mday), form)
