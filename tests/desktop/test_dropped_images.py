"""Images dragged with the mouse from another program's window onto panes."""

from __future__ import annotations

import itertools
import sys
from collections.abc import Iterator
from pathlib import Path

import PIL.Image
import PIL.ImageChops
import pytest
from PySide6.QtGui import QColor

from app.settings.paths import Paths
from app.settings.settings import Settings
from app.store import ChatRecord, Store, new_id
from app.ui.style.tokens import LIGHT
from engine.bench.seeing import write_seeing
from tests.desktop.conftest import Box, Desk
from tests.desktop.test_by_keys import endless_model

SHELF = (1200, 40)  # next to the window of 1180x780
PICTURE = (1260, 70)
SECOND_CHAT = (120, 158)
GOES_ON: Box = (242, 40, 708, 405)
FIELD = (475, 348)
OTHERS: tuple[Box, ...] = ((712, 40, 1178, 405), (242, 410, 708, 778), (712, 410, 1178, 778))
Color = tuple[int, int, int]
ANSWER = "Orange"
ORANGE: Color = (240, 120, 10)
TINT: Color = QColor(LIGHT.accent_quiet).getRgb()[:3]


@pytest.fixture
def seeing(display: str, tmp_path: Path) -> Iterator[Desk]:
    desk = Desk(display, tmp_path / "profile")
    paths = Paths.for_profile(desk.profile)
    paths.settings.parent.mkdir(parents=True)
    eyes = str(reciting(write_seeing(tmp_path / "Eyes")))
    endless = str(endless_model(tmp_path / "on"))
    Settings(model=eyes, models=(eyes, endless), same_model=False, titles=False).save(
        paths.settings
    )
    with Store.open(paths.chats) as store:
        longest = {"max_tokens": 1_000_000}  # 2,048 tokens take seconds
        store.save_chat(ChatRecord(new_id(), title="Goes on", model=endless, params=longest))
    PIL.Image.new("RGB", (150, 60), ORANGE).save(tmp_path / "orange.png")
    command = (sys.executable, "-m", "tests.desktop.shelf", str(tmp_path / "orange.png"))
    shelf = desk.beside(*command, *map(str, SHELF))
    try:
        desk.start()
        yield desk
    finally:
        desk.kill()
        shelf.kill()
        shelf.wait()


def reciting(model: Path) -> Path:
    """Make a model reply `ANSWER` to everything, and return its folder.

    Its layers run, but add nothing, so each token determines the next one.
    """
    import mlx.core as mx
    from tokenizers import Tokenizer

    file = model / "model.safetensors"
    id_of = Tokenizer.from_file(str(model / "tokenizer.json")).token_to_id
    layer = "language_model.model.layers."
    weights = {
        name: mx.zeros_like(array)
        if name.startswith(layer) and name.endswith(("o_proj.weight", "down_proj.weight"))
        else array
        for name, array in mx.load(str(file)).items()
    }
    embedding, head = (mx.zeros((300, 64)) for _ in range(2))
    embedding[:, 0] = 1.0
    head[id_of(ANSWER[0]), 0] = 9.0
    for place, (word, after) in enumerate(itertools.pairwise([*ANSWER, "<|im_end|>"]), 1):
        embedding[id_of(word), 0], embedding[id_of(word), place] = 0.0, 1.0
        head[id_of(after), place] = 9.0  # certain at any temperature
    weights["language_model.model.embed_tokens.weight"] = embedding
    weights["language_model.lm_head.weight"] = head
    mx.save_safetensors(str(file), weights, {"format": "mlx"})
    return model


def seen(desk: Desk, box: Box, color: Color = ORANGE) -> int:
    bands = desk.picture(box).convert("RGB").split()
    near = [
        band.point([255 * (abs(value - wanted) < 8) for value in range(256)])
        for band, wanted in zip(bands, color, strict=True)
    ]
    both = PIL.ImageChops.multiply(*near[:2])
    return PIL.ImageChops.multiply(both, near[2]).histogram()[255]


def said(desk: Desk) -> int:
    ((length,),) = desk.ask("SELECT length(content) FROM messages WHERE status = 'streaming'")
    assert isinstance(length, int)
    return length


def test_dropped_image_is_answered_in_three_panes(
    seeing: Desk,
) -> None:
    desk = seeing
    desk.click(*SECOND_CHAT)
    desk.until(lambda: desk.title().startswith("Goes on"))
    desk.keys("ctrl+backslash", "ctrl+shift+backslash")
    desk.click(475, 200)
    desk.until(lambda: desk.title().startswith("Goes on"))
    desk.keys("ctrl+shift+backslash")
    desk.until(lambda: len(desk.areas()) == 4)
    desk.until(lambda: seen(desk, (*SHELF, 1350, 100)) > 8_000)
    for box in OTHERS:
        drop(desk, box)
        desk.until(lambda box=box: seen(desk, box) > 1_000)
    desk.click(*FIELD)
    desk.say("Go on with a")
    desk.until(lambda: desk.length() > 0)
    began = said(desk)
    for count, box in enumerate(OTHERS, 1):
        desk.click((box[0] + box[2]) // 2, box[3] - 40)
        desk.say(f"What is it? {count}")
        desk.until(lambda count=count: len(desk.answers()) == count)
        desk.until(lambda box=box: seen(desk, box) > 5_000)  # now shown in the message, and larger
        desk.until(lambda began=began: said(desk) > began)
        began = said(desk)
    answered = {chat for chat, _ in desk.answers()}
    assert {answer for _, answer in desk.answers()} == {ANSWER}
    asked = [desk.asked(f"What is it? {count}") for count in (1, 2, 3)]
    assert answered == {chat for ((chat, _, _),) in asked}
    assert len(answered) == 3
    assert seen(desk, GOES_ON) == 0
    assert desk.ask("SELECT count(*) FROM images") == [(1,)]


def drop(desk: Desk, box: Box) -> None:
    """Drag the image there and release it once the field shows that it accepts the image."""
    x, y = (box[0] + box[2]) // 2, (box[1] + box[3]) // 2
    desk.carry(PICTURE, (x, y))

    def over() -> bool:
        for _ in range(30):
            desk.point(x, y)  # a drag that starts late misses the earlier moves
            if seen(desk, box, TINT) > 5_000:
                return True
        desk.let_go()  # the other program missed the press, so repeat it
        desk.carry(PICTURE, (x, y))
        return False

    desk.until(over)
    desk.let_go()
