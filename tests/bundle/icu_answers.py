"""Prints what Qt says where it asks its Unicode library, and which data that library has."""

import functools
import json

from PySide6.QtCore import (
    QByteArray,
    QCollator,
    QDateTime,
    QLocale,
    QStringConverter,
    QStringDecoder,
    QTextBoundaryFinder,
    QTimeZone,
)

WORDS = ["zebra", "Ärger", "Apfel", "æble", "Åre", "chata", "cukr", "háček", "中文", "日本"]
WORDS += ["한국", "ILIK", "istanbul", "file10", "file9", "กา", "straße", "ŒUVRE", "Ǆ"]
NAMES = (
    "C en_US de_DE sv_SE da_DK cs_CZ es_ES tr_TR lt_LT zh_CN zh_TW ja_JP ko_KR th_TH ar_EG hi_IN"
)
ZONES = ("Europe/Paris", "Asia/Tokyo", "America/New_York", "Asia/Kolkata", "Antarctica/Troll")
TEXT = "One word. Two? 中文分词。 สวัสดี e\u0301 👨‍👩‍👧!"


def of_locale(locale: QLocale) -> list[object]:
    collator, orders = QCollator(locale), []
    for numeric in (False, True):
        collator.setNumericMode(numeric)
        orders.append(sorted(WORDS, key=functools.cmp_to_key(collator.compare)))
    zones = [
        QTimeZone(QByteArray(zone.encode())).displayName(kind, style, locale)
        for zone in ZONES
        for kind in QTimeZone.TimeType
        for style in QTimeZone.NameType
    ]
    moment = QDateTime.fromSecsSinceEpoch(1_700_000_000, QTimeZone(QByteArray(b"Asia/Tokyo")))
    formats = [locale.toString(1234567.891), locale.toCurrencyString(12.5)]
    formats += [locale.toString(moment, kind) for kind in QLocale.FormatType]
    formats += [locale.nativeLanguageName(), QLocale.languageToString(locale.language())]
    cases = [[locale.toUpper(word), locale.toLower(word)] for word in WORDS]
    return [orders, zones, formats, cases]


def encodings() -> list[str]:
    """Those that can be opened; PySide does not let Python use them."""
    names = QStringConverter.availableCodecs()
    return [name for name in names if QStringDecoder(name).isValid()]


def boundaries() -> dict[str, list[int]]:
    said = {}
    for kind in QTextBoundaryFinder.BoundaryType:
        finder, places = QTextBoundaryFinder(kind, TEXT), []
        while (place := finder.toNextBoundary()) >= 0:
            places.append(place)
        said[kind.name] = places
    return said


if __name__ == "__main__":
    said: dict[str, object] = {name: of_locale(QLocale(name)) for name in NAMES.split()}
    said |= {"encodings": encodings(), "boundaries": boundaries()}
    with open("/proc/self/maps", encoding="utf-8") as maps:
        data = [line.split()[-1] for line in maps if "libicudata" in line]
    print(json.dumps([data[0], said]))
