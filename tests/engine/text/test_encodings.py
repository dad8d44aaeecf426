"""Detection of text file encodings, declared or not."""

from __future__ import annotations

import codecs
from pathlib import Path

import pytest

from engine.text.documents import UnreadableError, read
from engine.text.encodings import CHOICES, decode, normalize, title

TEXTS = {
    "zh": "编号,姓名,城市\n1,赵敏,成都\n2,孙磊,他每天坐地铁去上班。\n",
    "zh-Hant": "編號,姓名,城市\n1,趙敏,高雄\n2,孫磊,他每天坐捷運去上班。\n",
    "ja": "番号,氏名,住所\n1,佐藤,横浜\n2,鈴木,毎朝電車で会社へ行きます。\n",
    "ko": "번호,이름,도시\n1,박지성,부산\n2,최민수,매일 지하철로 출근합니다.\n",
    "ru": "Номер;Имя;Город\n1;Ольга;Казань\n2;Пётр;Каждый день ездит на метро.\n",
    "uk": "Номер;Ім'я;Місто\n1;Олеся;Львів\n2;Їжак;Щодня їздить на роботу метро.\n",
    "de": "Nr;Name;Ort\n1;Jürgen Groß;Köln\n2;Änne;fährt täglich für 3 € mit der U-Bahn\n",
    "pl": "Nr;Imię;Miasto\n1;Żaneta;Gdańsk\n2;Łukasz;jeździ codziennie metrem\n",
    "cs": "Přineste prosím na oběd čerstvé žemle, žloutky a růžové víno.\n",
    "sk": "Kráľ veľmi ľúbil kŕdeľ labutí a stôl plný jabĺk pri dverách.\n",
    "lt": "Šiandien gražus oras, žuvys plaukia upėje, ąžuolas šlama.\n",
    "lv": "Šodien ir ļoti jauks laiks, ņemsim līdzi ēdienu.\n",
    "el": "Αριθμός;Όνομα\n1;Ελένη\n2;Πηγαίνει κάθε μέρα με το μετρό\n",
    "tr": "Sıra;İsim;Şehir\n1;Ayşe;İzmir\n2;Uğur;her gün metroyla işe gidiyor\n",
    "he": "מספר;שם\n1;יעל\n2;נוסע כל יום ברכבת\n",
    "ar": "رقم;اسم\n1;ليلى\n2;يذهب كل يوم بالمترو إلى العمل\n",
    "th": "ลำดับ,ชื่อ\n1,สมชาย\n2,นั่งรถไฟฟ้าไปทำงานทุกวัน\n",
}


@pytest.mark.parametrize(
    ("language", "encoding"),
    [
        ("zh", "gb18030"),
        ("zh", "utf-16-le"),
        ("zh", "utf-16-be"),
        ("zh-Hant", "big5"),
        ("ja", "shift_jis"),
        ("ja", "euc_jp"),
        ("ja", "iso2022_jp"),
        ("ja", "utf-16-le"),
        ("ko", "euc_kr"),
        ("ko", "iso2022_kr"),
        ("ko", "utf-16-be"),
        ("ru", "cp1251"),
        ("ru", "koi8_r"),
        ("ru", "cp866"),
        ("ru", "mac_cyrillic"),
        ("uk", "mac_cyrillic"),
        ("uk", "cp1251"),
        ("ru", "utf-16-le"),
        ("de", "cp1252"),
        ("de", "utf-16-le"),
        ("pl", "cp1250"),
        ("pl", "iso8859_2"),
        ("cs", "cp1250"),
        ("cs", "iso8859_2"),
        ("sk", "cp1250"),
        ("sk", "iso8859_2"),
        ("lt", "cp1257"),
        ("lv", "cp1257"),
        ("el", "cp1253"),
        ("tr", "cp1254"),
        ("he", "cp1255"),
        ("ar", "cp1256"),
        ("ar", "iso8859_6"),
        ("th", "cp874"),
    ],
)
def test_encoding_is_recognized_in_short_files(
    tmp_path: Path, language: str, encoding: str
) -> None:
    path = tmp_path / "people.csv"
    path.write_bytes(TEXTS[language].encode(encoding))
    found = read(path)
    assert found.pages == (TEXTS[language].strip(),)
    assert found.encoding not in {"", "utf-8"}


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        ("会议安排", "gb18030"),
        ("我们明天见", "gb18030"),
        ("メニュー", "shift_jis"),
        ("お知らせ", "euc_jp"),
        ("안녕하십니까", "euc_kr"),
        ("今天的請假單", "big5"),
        ("Договор", "cp1251"),
        ("Ёлка", "cp1251"),
        ("Договор", "koi8_r"),
        ("Договор", "utf-16-le"),
        ("Straße", "cp1252"),
        ("à bientôt", "cp1252"),
        ("à bientôt", "cp850"),
        ("à bientôt", "mac_roman"),
        ("Total: £12", "cp1252"),
        ("It’s “late”", "cp1252"),
    ],
)
def test_encoding_is_recognized_in_few_words(text: str, encoding: str) -> None:
    assert decode(text.encode(encoding)).text == text


@pytest.mark.parametrize("encoding", ["utf-8", "gb18030", "cp1251", "shift_jis", "euc_kr"])
def test_damaged_byte_does_not_change_the_encoding(encoding: str) -> None:
    language = {"utf-8": "de", "gb18030": "zh", "cp1251": "ru", "shift_jis": "ja", "euc_kr": "ko"}
    text = TEXTS[language[encoding]]
    data = text.encode(encoding)
    damaged = data[:-1] + (b"\x98\n" if encoding == "cp1251" else b"\x81\n")
    found = decode(damaged).text
    assert found.startswith(text[:-1])
    assert "\ufffd" in found


def test_cut_utf8_file_stays_utf8() -> None:
    data = ("Grüße aus Köln " * 3).encode()
    assert decode(data + "ü".encode()[:1]).encoding == "utf-8"


@pytest.mark.parametrize(
    ("mark", "encoding"),
    [
        (codecs.BOM_UTF8, "utf-8"),
        (codecs.BOM_UTF16_LE, "utf-16-le"),
        (codecs.BOM_UTF16_BE, "utf-16-be"),
        (codecs.BOM_UTF32_LE, "utf-32-le"),
        (codecs.BOM_UTF32_BE, "utf-32-be"),
    ],
)
def test_byte_order_mark_decides(mark: bytes, encoding: str) -> None:
    assert decode(mark + "年 é".encode(encoding)) == ("年 é", encoding)


@pytest.mark.parametrize(
    ("source", "encoding"),
    [
        ('<html><head><meta charset="koi8-r"></head><body>Ель</body></html>', "koi8_r"),
        (
            '<meta http-equiv="Content-Type" content="text/html; charset=windows-1257">Ąžuolas',
            "cp1257",
        ),
        ('<?xml version="1.0" encoding="ISO-8859-5"?><a>Ель</a>', "iso8859_5"),
        ('@charset "Shift_JIS";\na::before { content: "木" }', "shift_jis"),
        ("#!/usr/bin/python\n# -*- coding: iso-8859-15 -*-\nprice = '5 €'\n", "iso8859_15"),
        ('/* vim: set fileencoding=gbk: */\nchar *s = "木";\n', "gbk"),
        (
            'msgid ""\nmsgstr "Content-Type: text/plain; charset=ISO-8859-7\\n"\n"Δέντρο"',
            "iso8859_7",
        ),
        # wrong declarations
        ('<?xml version="1.0" encoding="utf-16"?><a>Eiche é</a>', "utf-8"),
        ('<html><meta charset="iso-8859-1"><body>Café, 3 €</body></html>', "utf-8"),
        ('<html><meta charset="punycode"><body>Café</body></html>', "utf-8"),
    ],
)
def test_declared_encoding_is_used_first(source: str, encoding: str) -> None:
    assert decode(source.encode(encoding)).text == source


def test_declared_encoding_of_web_page_is_used(tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    path.write_bytes(
        "<html><meta charset=euc-jp><body><p>木の葉</p></body></html>".encode("euc_jp")
    )
    assert read(path).pages == ("木の葉",)
    assert read(path).encoding == "euc_jp"


def test_chosen_encoding_wins_over_the_guess(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes("Ель".encode("koi8_r"))
    assert read(path, "koi8-u").pages == ("Ель",)
    assert read(path, "cp1251").pages == ("Ель".encode("koi8_r").decode("cp1251"),)


@pytest.mark.parametrize("data", [bytes(range(256)) * 40, b"\x7fELF\x02\x01\x01" + bytes(500)])
def test_binary_data_is_refused(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(data)
    with pytest.raises(UnreadableError, match="is in an unknown format"):
        read(path)


@pytest.mark.parametrize("told", ["utf-16", "unicode", "utf-16le"])
@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_mark_decides_the_byte_order_of_utf16(encoding: str, told: str) -> None:
    data = ("\ufeff" + "Ель é").encode(encoding)
    assert decode(data, told) == ("Ель é", encoding)


@pytest.mark.parametrize("name", ["punycode", "idna", "unicode_escape", "utf-7", "rot13"])
def test_non_charset_codecs_are_unknown(name: str) -> None:
    assert normalize(name) == ""


def test_choices_are_known_under_their_names() -> None:
    assert all(normalize(name) == name for name in CHOICES)
    assert title("gb18030") == "GB 18030"
    assert normalize("no such") == normalize("base64") == ""
