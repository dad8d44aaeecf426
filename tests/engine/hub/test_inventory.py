"""Finding installed models and reading their facts without loading or trusting them."""

from __future__ import annotations

import json
import os
import shutil
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from engine.hub import downloads
from engine.hub.inventory import (
    IMAGES,
    REASONING,
    TOOLS,
    FolderFacts,
    InstalledModel,
    Inventory,
    ModelPlace,
    ModelSource,
    facts_of,
    model_places,
)
from engine.hub.models import is_known_architecture

TEMPLATE = "{% if tools %}{{ tools }}{% endif %}{% if enable_thinking %}<think>{% endif %}"


def make(
    folder: Path, config: dict[str, Any] | None = None, size: int = 1000, **files: str
) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.json").write_text(json.dumps(config or {"model_type": "llama"}))
    (folder / "model.safetensors").write_bytes(bytes(size))
    for name, text in files.items():
        (folder / name.replace("__", ".")).write_text(text)
    return folder


def in_cache(root: Path, repo: str, commits: dict[str, str], sizes: int = 1000) -> Path:
    folder = root / f"models--{repo.replace('/', '--')}"
    for revision, commit in commits.items():
        ref = folder / "refs" / revision
        ref.parent.mkdir(parents=True, exist_ok=True)
        ref.write_text(commit)
        snapshot, blobs = folder / "snapshots" / commit, folder / "blobs"
        blobs.mkdir(exist_ok=True)
        snapshot.mkdir(parents=True, exist_ok=True)
        (blobs / "w").write_bytes(bytes(sizes))
        (blobs / "c").write_text(json.dumps({"model_type": "llama"}))
        for name, blob in (("model.safetensors", "w"), ("config.json", "c")):
            if not (snapshot / name).exists():
                (snapshot / name).symlink_to(blobs / blob)
    return folder


def walk(*found: Path, refs: Iterable[str] = ()) -> list[InstalledModel]:
    return list(Inventory().walk([ModelPlace(ModelSource.ADDED, path) for path in found], refs))


@pytest.fixture
def hub_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    from huggingface_hub import constants

    root = tmp_path / "hub"
    root.mkdir()
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(root))
    return root


# Facts about a folder.


def test_config_template_and_readme_describe_a_model(tmp_path: Path) -> None:
    folder = make(
        tmp_path / "Pocket-7B-4bit",
        {
            "model_type": "qwen3",
            "quantization": {"group_size": 64, "bits": 4, "lm_head": {"bits": 6, "group_size": 64}},
            "text_config": {"max_position_embeddings": 32768},
            "vision_config": {},
        },
        size=5000,
        tokenizer_config__json=json.dumps({"a": "<x>", "chat_template": TEMPLATE}),
        README__md="---\nlanguage: en\nlicense: apache-2.0\ntags:\n- x\n---\nlicense: mit",
    )
    told = facts_of(folder)
    assert (told.architecture, told.bits, told.group_size, told.mixed) == ("qwen3", 4, 64, True)
    assert (told.context, told.licence, told.problem) == (32768, "Apache 2.0", "")
    assert told.capabilities == {REASONING, TOOLS, IMAGES}
    assert told.nbytes == sum(file.stat().st_size for file in folder.iterdir())


@pytest.mark.parametrize(
    ("config", "words"),
    [
        ({"torch_dtype": "bfloat16"}, (None, "bfloat16")),
        ({"text_config": {"dtype": "float16"}}, (None, "float16")),
        ({"quantization_config": {"quant_method": "fp8"}, "torch_dtype": "bfloat16"}, (8, "")),
        ({"quantization_config": {"quant_method": "mxfp4"}}, (4, "")),
        ({"quantization": "four", "torch_dtype": 7}, (None, "")),
        ({"quantization": {"bits": True}}, (None, "")),
    ],
)
def test_precision(tmp_path: Path, config: dict[str, Any], words: tuple[Any, str]) -> None:
    told = facts_of(make(tmp_path / "m", {"model_type": "llama", **config}))
    assert (told.bits, told.dtype) == words


def test_templates_are_found_in_each_of_their_places(tmp_path: Path) -> None:
    plain = make(tmp_path / "plain", chat_template__jinja="{{ messages }}")
    assert facts_of(plain).capabilities == set()
    jinja = make(tmp_path / "jinja", chat_template__jinja="{% for t in tools %}")
    assert facts_of(jinja).capabilities == {TOOLS}
    own = make(tmp_path / "own", chat_template__json=json.dumps({"chat_template": "[THINK]"}))
    assert facts_of(own).capabilities == {REASONING}
    several = [{"name": "default", "template": "x"}, {"name": "tool_use", "template": "{{tools}}"}]
    listed = json.dumps({"chat_template": several})
    assert facts_of(make(tmp_path / "l", tokenizer_config__json=listed)).capabilities == {TOOLS}


def test_listed_context_is_the_engines(tmp_path: Path) -> None:
    folder = make(tmp_path / "m", tokenizer_config__json='{"model_max_length": 4096, "x": 1}')
    assert facts_of(folder).context == 4096
    (folder / "tokenizer_config.json").write_text('{"model_max_length": 1e30}')
    assert facts_of(folder).context == 131_072


def test_unloadable_model_gives_the_reason(tmp_path: Path) -> None:
    broken = make(tmp_path / "broken")
    (broken / "model.safetensors").rename(broken / "model-00001-of-00003.safetensors")
    assert facts_of(broken).problem == "2 of its 3 weight files are missing."
    (broken / "model-00001-of-00003.safetensors").rename(broken / "weights.gguf")
    assert (facts_of(broken).architecture, facts_of(broken).problem) == ("GGUF", "")
    code = make(tmp_path / "code", {"model_type": "llama", "model_file": "x.py"})
    assert "code of its own" in facts_of(code).problem
    assert facts_of(make(tmp_path / "none", {"a": 1})).problem == (
        "Its config.json has no model type."
    )
    assert facts_of(tmp_path / "gone").gone


def test_unusual_values_are_reported(tmp_path: Path) -> None:
    folder = make(tmp_path / "m", README__md="x", tokenizer__model="x", LICENSE="x")
    (folder / "original").mkdir()
    (folder / ".cache").mkdir()
    assert facts_of(folder).others == ()
    (folder / "Photos").mkdir()
    (folder / "tax\u202e 2025.ods").write_text("x")
    assert facts_of(folder).others == ("Photos", "tax 2025.ods")
    for number in range(9):
        (folder / f"n{number}.mp3").write_text("x")
    assert len(facts_of(folder).others) == 4


# Hostile folders.


def test_hostile_files_neither_block_nor_load(tmp_path: Path) -> None:
    began = time.perf_counter()
    pipes = tmp_path / "pipes"
    pipes.mkdir()
    for name in ("config.json", "tokenizer_config.json", "README.md", "chat_template.jinja"):
        os.mkfifo(pipes / name)
    os.mkfifo(pipes / "model.safetensors")
    assert "not a regular file" in facts_of(pipes).problem
    huge = make(tmp_path / "huge")
    with (huge / "config.json").open("wb") as stream:
        stream.truncate(2**30)
    for name in ("README.md", "tokenizer_config.json", "chat_template.jinja"):
        with (huge / name).open("wb") as stream:
            stream.truncate(2**30)
    assert "more than" in facts_of(huge).problem
    deep = make(tmp_path / "deep")
    (deep / "config.json").write_text("[" * 400_000 + "]" * 400_000)
    assert "nested too deeply" in facts_of(deep).problem
    folders = tmp_path / "folders"
    for name in ("config.json", "README.md", "tokenizer_config.json", "model.safetensors"):
        (folders / name).mkdir(parents=True)
    opened = len(os.listdir("/dev/fd"))
    assert "not a regular file" in facts_of(folders).problem
    assert len(os.listdir("/dev/fd")) == opened
    assert time.perf_counter() - began < 30  # opening a pipe would block forever


def test_values_of_any_type_are_harmless(tmp_path: Path) -> None:
    folder = make(tmp_path / "m", tokenizer_config__json='{"chat_template": {"a": [')
    wrong: list[Any] = [None, True, -1, 10**400, "x" * 10_000, [], {}, [[]], {"a": {}}]
    keys = ("model_type", "architectures", "quantization", "text_config", "license", "dtype")
    for value in wrong:
        for key in (*keys, "max_position_embeddings"):
            config = {"model_type": "llama", "quantization": {"bits": 4}, key: value}
            (folder / "config.json").write_text(json.dumps(config))
            told = facts_of(folder)
            assert isinstance(told, FolderFacts)
            assert len(told.architecture) <= 40
            assert len(told.licence) <= 40


def test_names_are_cleaned_and_short(tmp_path: Path) -> None:
    evil = "Good\u202egnp\x1b[31m\u200b" + "x" * 150
    name = walk(make(tmp_path / evil))[0].name
    assert name.startswith("Goodgnp[31mx")
    assert len(name) == 80
    raw = make(Path(os.fsdecode(os.fsencode(tmp_path) + b"/bad\xff\xfename")))
    assert walk(raw)[0].name == "badname"


def test_circular_links_end(tmp_path: Path) -> None:
    root = tmp_path / "root"
    make(root / "owner" / "model")
    (root / "loop").symlink_to(root)
    (root / "owner" / "self").symlink_to("self")
    (root / "owner" / "up").symlink_to("..")
    (root / "again").symlink_to(root / "owner" / "model")
    assert [found.name for found in walk(root)] == ["model"]


def test_unreadable_folder_is_skipped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make(tmp_path / "secret" / "m")
    make(tmp_path / "open" / "m")
    real = os.scandir

    def scandir(path: Any = ".") -> Any:  # root may read everything, and tests can run as root
        if "secret" in str(path):
            raise PermissionError(13, "Permission denied")
        return real(path)

    monkeypatch.setattr(os, "scandir", scandir)
    assert [found.folder.parent.name for found in walk(tmp_path)] == ["open"]
    told = Inventory().inspect("x", tmp_path / "secret" / "m", ModelSource.ADDED)
    assert told.facts.problem == "The folder cannot be read: Permission denied."


def test_folder_deleted_during_listing_is_skipped(tmp_path: Path) -> None:
    for number in range(4):
        make(tmp_path / f"m{number}")
    left = 0
    for found in Inventory().walk([ModelPlace(ModelSource.ADDED, tmp_path)]):
        left += 1
        for folder in tmp_path.iterdir():
            if folder != found.folder:
                shutil.rmtree(folder)
    assert left == 1


def test_many_folders_are_all_found_and_read_once(tmp_path: Path) -> None:
    for number in range(300):
        make(tmp_path / "a" / f"m{number:03}", size=1)
    known = Inventory()
    first = list(known.walk([ModelPlace(ModelSource.ADDED, tmp_path)]))
    again = list(known.walk([ModelPlace(ModelSource.ADDED, tmp_path)]))
    assert len(first) == 300
    assert all(one.facts is two.facts for one, two in zip(first, again, strict=True))
    (first[0].folder / "README.md").write_text("---\nlicense: mit\n---\n")
    changed = known.inspect("x", first[0].folder, ModelSource.ADDED)
    assert changed.facts.licence == "MIT"


def test_unneeded_walk_ends(tmp_path: Path) -> None:
    for number in range(5):
        make(tmp_path / f"m{number}")
    found: list[InstalledModel] = []
    for one in Inventory().walk([ModelPlace(ModelSource.ADDED, tmp_path)], (), lambda: bool(found)):
        found.append(one)
    assert len(found) == 1


# Search locations.


def test_the_hubs_cache_is_used_in_place(hub_cache: Path) -> None:
    main, old = "a" * 40, "b" * 40
    repo = in_cache(hub_cache, "owner/Model-4bit", {"main": main, "v1": old})
    in_cache(hub_cache, "owner/Unfinished", {"main": main})
    shutil.rmtree(hub_cache / "models--owner--Unfinished" / "snapshots")
    found = walk(hub_cache)
    assert [(m.ref, m.name) for m in found] == [
        ("owner/Model-4bit", "Model-4bit"),
        ("owner/Model-4bit@v1", "Model-4bit @ v1"),
    ]
    assert downloads.find("owner/Model-4bit", "v1") == found[1].folder
    assert [m.removes for m in found] == [repo, repo]
    assert [m.shares for m in found] == [("owner/Model-4bit@v1",), ("owner/Model-4bit",)]
    assert found[0].facts.nbytes == 1000 + len('{"model_type": "llama"}')


def test_foreign_cache_is_named_by_folders(hub_cache: Path, tmp_path: Path) -> None:
    in_cache(tmp_path / "other", "owner/Model", {"main": "a" * 40})
    (found,) = walk(tmp_path / "other")
    assert found.ref == str(found.folder)
    assert found.removes.name == "models--owner--Model"


def test_other_programs_folders_are_known(tmp_path: Path, hub_cache: Path) -> None:
    home = tmp_path / "home"
    elsewhere, chosen = tmp_path / "lm", tmp_path / "disk"
    make(home / ".lmstudio" / "models" / "owner" / "A")
    make(elsewhere / "models" / "owner" / "B")
    make(chosen / "owner" / "C")
    (home / ".lmstudio-home-pointer").write_text(f"{elsewhere}\n")
    (elsewhere / "settings.json").write_text(json.dumps({"downloadsFolder": str(chosen)}))
    make(home / "mlx_model")
    make(tmp_path / "scope" / "hub" / "models" / "owner" / "D")
    own = make(tmp_path / "own" / "E").parent
    added = make(tmp_path / "added" / "F")
    where = model_places(own, [str(added)], home, {"MODELSCOPE_CACHE": str(tmp_path / "scope")})
    found = {m.name: m.source for m in Inventory().walk(where)}
    assert found == {
        "A": ModelSource.LM_STUDIO,
        "B": ModelSource.LM_STUDIO,
        "C": ModelSource.LM_STUDIO,
        "D": ModelSource.MLX_LM,
        "mlx_model": ModelSource.MLX_LM,
        "E": ModelSource.OWN,
        "F": ModelSource.ADDED,
    }


def test_settings_of_another_program_may_say_anything(tmp_path: Path, hub_cache: Path) -> None:
    home = tmp_path / "home"
    (home / ".lmstudio").mkdir(parents=True)
    for pointer in (b"", b"\xff\xfe", b"relative/path", b"\n\n"):
        (home / ".lmstudio-home-pointer").write_bytes(pointer)
        for content in ("[]", "{", '{"downloadsFolder": 7}', '{"downloadsFolder": "a\\u0000b"}'):
            (home / ".lmstudio" / "settings.json").write_text(content)
            assert all(place.path.is_absolute() for place in model_places(None, (), home, {}))
    (home / ".lmstudio-home-pointer").unlink()
    os.mkfifo(home / ".lmstudio-home-pointer")
    assert model_places(None, (), home, {})


def test_known_folder_is_listed_if_removed(tmp_path: Path) -> None:
    here = make(tmp_path / "here")
    gone = tmp_path / "gone"
    found = walk(here, refs=[str(here), str(gone), "owner/on-the-hub", "guide"])
    assert [m.ref for m in found] == [str(here), str(gone)]
    assert found[1].facts.problem == "The folder no longer exists."


def test_unknown_architecture_is_reported_once_mlx_lm_loads(tmp_path: Path) -> None:
    is_known_architecture({"model_type": "llama"})  # imports the module like the engine does
    for kind in ("tomorrows_model", "../evil", "x.y"):
        folder = make(tmp_path / "m", {"model_type": kind})
        assert "does not support its architecture" in facts_of(folder).problem
    assert not facts_of(make(tmp_path / "m", {"model_type": "llama"})).problem
