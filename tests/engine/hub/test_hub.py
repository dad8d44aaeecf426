"""Downloads from the hub, with a fake hub on the loopback."""

from __future__ import annotations

import errno
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections import namedtuple
from collections.abc import Callable, Iterator
from email.utils import formatdate
from pathlib import Path
from typing import Any

import pytest

from engine import Engine, EngineError, SamplingParams, hub
from engine.cli.main import main
from engine.hub import downloads, models, net
from engine.hub.names import is_needed
from tests.hub import Hub, connected
from tests.waiting import until

ROOT = Path(__file__).resolve().parents[3]
NAME = "somebody/tiny-model"
JUNK = {
    "pytorch_model.bin": b"pickled",
    "pytorch_model.bin.index.json": b"{}",
    "model.gguf": b"GGUF",
    "onnx/model.onnx": b"onnx",
    "modeling_tiny.py": b"raise SystemExit('it was run')",
    "README.md": b"# Tiny",
    ".gitattributes": b"",
}


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Hub]:
    monkeypatch.setattr(downloads, "PAUSE_S", 0.01)
    with connected(monkeypatch, tmp_path / "home") as running:
        yield running


@pytest.fixture
def model(served: Hub, model_folder: Callable[[str], Path]) -> Hub:
    folder = model_folder("plain")
    files = {p.name: p.read_bytes() for p in folder.iterdir()}
    served.add(NAME, {**files, **JUNK})
    return served


def weights_of(served: Hub, name: str = NAME) -> bytes:
    return served.repos[name].files["model.safetensors"]


def refused(code: str, says: str, call: Callable[[], object]) -> EngineError:
    with pytest.raises(EngineError, match=says) as caught:
        call()
    assert caught.value.code == code
    return caught.value


def get(name: str = NAME, **options: Any) -> Path:
    return hub.download(hub.look_up(name), **options)


def test_look_up_describes_without_downloading(model: Hub, tmp_path: Path) -> None:
    seen = hub.look_up(f"{model.url}/{NAME}/tree/main")
    assert (seen.repo, seen.revision, seen.architecture) == (NAME, "main", "llama")
    assert seen.known
    assert not seen.gated
    assert seen.weights == len(weights_of(model))
    assert seen.size == sum(len(c) for n, c in model.repos[NAME].files.items() if n not in JUNK)
    assert {a.path.split("/")[-1] for a in model.asked} == {"main", "config.json"}
    assert not (tmp_path / "home" / "hub").exists()


def test_downloaded_model_loads_and_answers(model: Hub, engine: Engine) -> None:
    told: list[tuple[int, int]] = []
    seen = hub.look_up(NAME)
    folder = hub.download(seen, lambda done, total: told.append((done, total)))
    assert told[-1] == (seen.size, seen.size)
    assert told == sorted(told)
    assert not model.names() & set(JUNK)
    assert {p.name for p in folder.iterdir()} == {f.name for f in seen.files}
    loaded = engine.load(NAME)
    assert loaded.name == "tiny-model"
    assert engine.load(folder) == loaded
    few = SamplingParams(max_tokens=6, temperature=0.0)
    assert len(engine.open_session(loaded).send("hi", few).tokens(60)) >= 1
    before = len(model.of_weights())
    assert get() == folder  # a second download fetches nothing
    assert len(model.of_weights()) == before


def test_huggingface_hub_finds_the_download(model: Hub) -> None:
    from huggingface_hub import scan_cache_dir, snapshot_download

    folder = get()
    assert snapshot_download(NAME, local_files_only=True) == str(folder)
    found = scan_cache_dir()
    assert not found.warnings
    assert [repo.repo_id for repo in found.repos] == [NAME]


def test_canceled_download_resumes(model: Hub, engine: Engine) -> None:
    whole = weights_of(model)
    model.hold_at = len(whole) // 2
    stop, failed = threading.Event(), []
    seen = hub.look_up(NAME)

    def run() -> None:
        try:
            hub.download(seen, cancelled=stop)
        except EngineError as error:
            failed.append(error.code)

    thread = threading.Thread(target=run)
    thread.start()
    assert model.held.wait(20)
    weights = next(f for f in seen.files if f.name == "model.safetensors")
    until(lambda: downloads.part_path(NAME, weights).stat().st_size > 0)
    stop.set()  # the hub sends nothing, so only this ends the download
    thread.join(20)  # the hub would go on after 30 s
    assert not thread.is_alive()
    assert failed == ["download_cancelled"]
    assert hub.find(NAME) is None
    refused("model_load_failed", "nor a downloaded model", load(engine))
    come = downloads.part_path(NAME, weights).stat().st_size
    assert 0 < come <= model.hold_at
    assert hub.bytes_present(NAME, [weights]) == come
    model.go.set()
    hub.download(seen)
    assert model.of_weights()[-1].range == f"bytes={come}-"
    assert engine.load(NAME)


def load(engine: Engine) -> Callable[[], object]:
    return lambda: engine.load(NAME)


def child(*arguments: str) -> subprocess.Popen[str]:
    # Background jobs ignore Ctrl+C, and child processes would inherit that.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        return subprocess.Popen(
            [sys.executable, "-m", "engine", "download", *arguments],
            cwd=ROOT,
            env=dict(os.environ),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
    finally:
        signal.signal(signal.SIGINT, before)


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT])
def test_command_resumes_after_any_end(
    model: Hub, how: signal.Signals, capsys: pytest.CaptureFixture[str]
) -> None:
    model.hold_at = len(weights_of(model)) // 2
    first = child(NAME)
    assert model.held.wait(60)
    weights = next(f for f in hub.look_up(NAME).files if f.name == "model.safetensors")
    until(lambda: downloads.part_path(NAME, weights).stat().st_size > 0)
    first.send_signal(how)
    said = first.communicate(timeout=20)
    if how is signal.SIGINT:
        assert first.returncode == 130
        assert "same command again to continue" in said[1]
    assert said[0] == ""
    assert hub.find(NAME) is None
    come = downloads.part_path(NAME, weights).stat().st_size
    model.go.set()
    assert main(["download", NAME]) == 0
    out, err = capsys.readouterr()
    assert Path(out.strip()) == hub.find(NAME)
    assert come > 0
    assert model.of_weights()[-1].range == f"bytes={come}-"
    assert " of " in err


def test_broken_connection_is_resumed(model: Hub) -> None:
    model.cut_at, model.cuts = len(weights_of(model)) // 3, 1
    folder = get()
    assert (folder / "model.safetensors").read_bytes() == weights_of(model)
    assert [a.range for a in model.of_weights()][1] == f"bytes={model.cut_at}-"


def test_hub_without_ranges_sends_everything(model: Hub) -> None:
    model.cut_at, model.cuts, model.whole = len(weights_of(model)) // 3, 1, True
    assert (get() / "model.safetensors").read_bytes() == weights_of(model)


def test_hub_that_always_breaks_off_is_abandoned(model: Hub) -> None:
    model.cut_at, model.cuts = 1000, 10**6
    refused("download_failed", "closed the connection", get)
    assert hub.find(NAME) is None
    assert hub.bytes_present(NAME, hub.look_up(NAME).files) > 1000
    assert len(model.of_weights()) == downloads.MAX_SLOW_RETRIES + 1


def test_hub_without_ranges_that_breaks_off_is_abandoned(model: Hub) -> None:
    model.cut_at, model.cuts, model.whole = len(weights_of(model)) // 3, 10**6, True
    refused("download_failed", "closed the connection", get)
    assert len(model.of_weights()) <= downloads.MAX_SLOW_RETRIES + 2


def test_hub_sending_single_bytes_is_abandoned(model: Hub) -> None:
    model.drip = 1
    refused("download_failed", "closed the connection", get)
    assert len(model.of_weights()) == downloads.MAX_SLOW_RETRIES + 1
    assert hub.find(NAME) is None


def test_pauses_between_tries_grow(model: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    waited: list[float] = []

    class Stop(threading.Event):
        def wait(self, timeout: float | None = None) -> bool:
            waited.append(timeout or 0.0)
            return False

    monkeypatch.setattr(downloads, "PAUSE_S", 3.0)
    model.drip = 1
    seen = hub.look_up(NAME)
    refused(
        "download_failed", "closed the connection", lambda: hub.download(seen, cancelled=Stop())
    )
    tries = [t for t in waited if t]
    assert tries[:3] == [3.0, 6.0, 9.0]
    assert max(tries) == downloads.MAX_PAUSE_S


class Waited(threading.Event):
    """Event whose waits return immediately and record their timeouts."""

    def __init__(self) -> None:
        super().__init__()
        self.seconds: list[float] = []

    def wait(self, timeout: float | None = None) -> bool:
        if timeout:
            self.seconds.append(timeout)
        return self.is_set()


def date_in(seconds: float) -> str:
    return formatdate(time.time() + seconds, usegmt=True)


@pytest.mark.parametrize(
    ("headers", "wait"),
    [
        ({"Retry-After": "7"}, 7),
        ({"Retry-After": " 2.5 "}, 3),
        ({"RateLimit": '"resolvers";r=0;t=55', "RateLimit-Policy": '"fixed";q=3000;w=300'}, 55),
        ({"Retry-After": "8", "RateLimit": '"resolvers";r=0;t=300'}, 8),
        ({}, 10),
        ({"Retry-After": "soon"}, 10),
        ({"Retry-After": "-5"}, 10),
    ],
)
@pytest.mark.parametrize("file", ["model.safetensors", "tokenizer.json"])
def test_download_waits_as_requested_by_busy_hub(
    model: Hub, file: str, headers: dict[str, str], wait: float
) -> None:
    model.busy = [(file, 429, headers)]
    stop, told = Waited(), list[float]()
    folder = hub.download(hub.look_up(NAME), cancelled=stop, on_wait=told.append)
    assert (folder / "model.safetensors").read_bytes() == weights_of(model)
    assert stop.seconds == told == [wait]
    assert not model.busy


def test_wait_until_a_date_lasts_until_then(model: Hub) -> None:
    stop = Waited()
    model.busy = [("model.safetensors", 429, {"Retry-After": date_in(600)})]
    hub.download(hub.look_up(NAME), cancelled=stop)
    (waited,) = stop.seconds
    assert 500 < waited <= 601


def test_download_resumes_after_a_wait(model: Hub) -> None:
    model.cut_at, model.cuts = len(weights_of(model)) // 3, 1
    seen, stop = hub.look_up(NAME), Waited()

    def busy_once(done: int, total: int) -> None:
        if len(model.of_weights()) == 1 and not model.busy:
            model.busy = [("model.safetensors", 503, {"Retry-After": "4"})]

    folder = hub.download(seen, busy_once, cancelled=stop)
    assert (folder / "model.safetensors").read_bytes() == weights_of(model)
    assert 4 in stop.seconds
    assert model.of_weights()[-1].range == f"bytes={model.cut_at}-"


def test_wait_for_a_busy_hub_is_cancelled_immediately(model: Hub) -> None:
    model.status, model.retry_after = 429, "3000"
    seen, stop = hub.look_up(NAME), threading.Event()
    refused(
        "download_cancelled",
        "stopped",
        lambda: hub.download(seen, cancelled=stop, on_wait=lambda _: stop.set()),
    )
    model.status = 0
    assert get().is_dir()


def test_always_busy_hub_is_abandoned(model: Hub) -> None:
    model.status = 429
    seen, stop = hub.look_up(NAME), Waited()
    refused("download_failed", "Too many requests", lambda: hub.download(seen, cancelled=stop))
    assert stop.seconds[:3] == [10, 20, 40]
    assert max(stop.seconds) <= net.MAX_WAIT_S
    assert len(stop.seconds) == net.MAX_WAITS


def test_look_up_wait_is_limited_by_caller(model: Hub) -> None:
    busy = [
        ("/main", 429, {"Retry-After": "9"}),
        ("config.json", 429, {"RateLimit": '"a";r=0;t=6'}),
    ]
    model.busy, stop = [*busy], Waited()
    assert hub.look_up(NAME, cancelled=stop).known
    assert stop.seconds == [9, 6]
    model.busy = [("/main", 429, {"Retry-After": "60"})]
    refused("download_failed", "Try again in 60 s", lambda: hub.look_up(NAME))
    model.busy = [("/main", 429, {"Retry-After": "60"})]
    assert hub.look_up(NAME, cancelled=stop, most_wait_s=hub.MAX_WAIT_S).known
    assert stop.seconds[-1] == 60


def test_endless_answer_about_a_model_is_cut(model: Hub) -> None:
    model.endless = True
    refused("download_failed", "longer than", lambda: hub.look_up(NAME))
    assert model.sent < 64 * 2**20


def test_slow_answer_about_a_model_has_an_end(model: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    model.endless = True
    monkeypatch.setattr(net, "READ_TIMEOUT_S", 0.0)
    refused("offline", "too slowly", lambda: hub.look_up(NAME))


@pytest.mark.parametrize("what", ["head", "continue", "body"])
def test_dripping_hub_is_abandoned(model: Hub, monkeypatch: pytest.MonkeyPatch, what: str) -> None:
    """Each read gets some data in time, so read timeouts don't help."""
    seen = hub.look_up(NAME)
    monkeypatch.setattr(net, "READ_TIMEOUT_S", 0.3)
    monkeypatch.setattr(downloads, "MAX_SLOW_RETRIES", 0)
    model.dripped = what
    refused("offline", "too slowly", lambda: hub.look_up(NAME))
    refused("offline", "too slowly", lambda: hub.download(seen))
    until(lambda: model.left >= 2)
    until(lambda: all(t.name != "hub-transfer" for t in threading.enumerate()))


@pytest.mark.parametrize(
    "siblings",
    [
        None,
        5,
        ["a"],
        [{}],
        [{"rfilename": 5}],
        [{"rfilename": "config.json"}, {"rfilename": "model.safetensors"}],
        [
            {"rfilename": n, "size": -1, "blobId": "a" * 40}
            for n in ("config.json", "model.safetensors")
        ],
        [
            {"rfilename": n, "size": 10**30, "blobId": "a" * 40}
            for n in ("config.json", "model.safetensors")
        ],
        [
            {"rfilename": n, "size": True, "blobId": "a" * 40}
            for n in ("config.json", "model.safetensors")
        ],
        [
            {"rfilename": n, "size": 5, "blobId": "../x"}
            for n in ("config.json", "model.safetensors")
        ],
        [{"rfilename": n, "lfs": {"size": "5"}} for n in ("config.json", "model.safetensors")],
    ],
)
def test_malformed_listing_is_reported_plainly(siblings: object) -> None:
    error = refused("not_a_model", "a/b", lambda: models._parse_files("a/b", siblings))
    assert not re.search(r"Error|NoneType|object", error.message)


def test_names_from_outside_can_be_shown() -> None:
    assert hub.clean_name("Guide") == "Guide"
    assert hub.clean_name("Qwen3 \u0414\u043e\u043c \u6a21\u578b \U0001f600") == "Qwen3 Дом 模型 😀"
    assert hub.clean_name("a\u202egnirts\u2066\x00\x1b]0;x\x07\u200b\ufeff\ud800") == "agnirts]0;x"
    assert hub.clean_name("  a \n\t b\u2028c ") == "a b c"
    assert hub.clean_name("\u202e\x00") == ""
    assert hub.clean_name(["Guide"]) == ""
    long = hub.clean_name("Guide " * 20_000)
    assert len(long) <= 80
    assert long.endswith("…")
    assert len(hub.clean_name("\u200b" * 10**7 + "x")) <= 80


def test_repository_cannot_name_itself() -> None:
    assert not is_needed("stretto.json")


def test_token_of_gated_model_goes_to_hub_only(model: Hub) -> None:
    model.repos[NAME].token = "secret"
    refused("gated", "access token", lambda: hub.look_up(NAME))
    refused("gated", "has no access", lambda: hub.look_up(NAME, token="wrong"))
    seen = hub.look_up(NAME, token="secret")
    assert seen.gated
    hub.download(seen, token="secret")
    assert {a.token for a in model.of_weights()} == {""}  # the token isn't sent to another host


def test_environment_token_is_used(model: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    model.repos[NAME].token = "secret"
    monkeypatch.setenv("HF_TOKEN", "secret")
    assert get().is_dir()


def test_missing_and_private_models_are_reported(model: Hub) -> None:
    refused("gated", "wrong, or it is private", lambda: hub.look_up("somebody/nothing"))
    refused(
        "not_found", "no model somebody/nothing", lambda: hub.look_up("somebody/nothing", token="t")
    )
    refused("not_found", "no such revision", lambda: hub.look_up(NAME, "v9"))
    refused("invalid_request", "owner/name", lambda: hub.look_up("nothing"))
    refused("invalid_request", "revision", lambda: hub.look_up(NAME, "../../x"))
    assert [a.path for a in model.asked if "x" in a.path.rsplit("/", 1)[-1]] == []


def test_offline_hub_is_reported(model: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    from huggingface_hub import constants

    seen = hub.look_up(NAME)
    nobody = "http://127.0.0.1:9"
    monkeypatch.setattr(constants, "ENDPOINT", nobody)
    template = constants.HUGGINGFACE_CO_URL_TEMPLATE.replace(model.url, nobody)
    monkeypatch.setattr(constants, "HUGGINGFACE_CO_URL_TEMPLATE", template)
    refused("offline", "cannot be reached", lambda: hub.look_up(NAME))
    refused("offline", "cannot be reached", lambda: hub.download(seen))


def test_offline_mode_is_respected(model: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    from huggingface_hub import constants

    monkeypatch.setattr(constants, "is_offline_mode", lambda: True)
    refused("offline", "HF_HUB_OFFLINE", lambda: hub.look_up(NAME))
    assert model.asked == []


def test_hanging_hub_times_out(model: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(net, "timeout_s", lambda: 0.1)
    model.silent = True
    refused("offline", "does not answer", lambda: hub.look_up(NAME))
    monkeypatch.setattr(net, "timeout_s", lambda: 10.0)
    stop = threading.Event()
    threading.Timer(0.1, stop.set).start()
    refused("download_cancelled", "stopped", lambda: hub.look_up(NAME, cancelled=stop))


def test_stalled_download_times_out(model: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = hub.look_up(NAME)
    monkeypatch.setattr(net, "timeout_s", lambda: 0.1)
    monkeypatch.setattr(downloads, "MAX_SLOW_RETRIES", 1)
    model.silent = True
    refused("offline", "does not answer", lambda: hub.download(seen))


def test_too_small_disk_is_reported_first(model: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    usage = namedtuple("usage", "total used free")
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage(10**9, 10**9, 50_000_000))
    error = refused("no_space", "0.05 GB free", get)
    assert "0.00 GB more" in error.message
    assert model.of_weights() == []


def test_full_or_read_only_disk_is_reported(model: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    def not_allowed(_: int) -> None:
        raise PermissionError(errno.EACCES, "Permission denied", "blobs")

    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", full)
        refused("no_space", "disk is full", get)
        patched.setattr(os, "fsync", not_allowed)
        refused("download_failed", "blobs: Permission denied", get)
    assert get().is_dir()


def test_unreadable_cache_is_reported(model: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    from huggingface_hub import constants

    seen = hub.look_up(NAME)
    monkeypatch.setattr(constants, "HF_HUB_CACHE", "/" + "x" * 300)
    assert hub.find(NAME, seen.commit) is None
    assert hub.find_complete(seen) is None
    refused("download_failed", "cannot be written", lambda: hub.download(seen))


def test_repositories_without_model_are_refused(
    model: Hub, model_folder: Callable[[str], Path]
) -> None:
    files = {p.name: p.read_bytes() for p in model_folder("plain").iterdir()}
    weights = {"model.safetensors": files["model.safetensors"]}
    model.add("a/pickles", {"config.json": b"{}", "pytorch_model.bin": b""})
    model.add("a/ggufs", {"config.json": b"{}", "m.gguf": b""})
    model.add("a/config", weights)
    model.add("a/words", {**weights, "config.json": b"[]"})
    model.add(
        "a/code", {**weights, "config.json": b'{"model_type": "llama", "model_file": "x.py"}'}
    )
    model.add("a/future", {**weights, "config.json": b'{"model_type": "from-2040"}'})
    model.add("a/screen", {**weights, "config.json": rb'{"model_type": "\u001b[2Jllama"}'})
    model.add("a/folder", {"config.json": b"{}", "model_a/b.safetensors": b""})
    odd = b'{"model_type": "from-2040", "architectures": [["A"], 1]}'
    model.add("a/odd", {**weights, "config.json": odd})
    for name, says in (
        ("pickles", "safetensors"),
        ("ggufs", "GGUF"),
        ("config", "config.json"),
        ("words", "model type"),
        ("screen", "model type"),
        ("folder", "no config.json with weights"),
        ("odd", "'from-2040', which"),
        ("code", "requires code"),
        ("future", "'from-2040', which this version does not support"),
    ):
        refused("not_a_model", says, lambda name=name: get(f"a/{name}"))
    assert not hub.look_up("a/future").known
    assert model.of_weights() == []


def test_revision_is_stored_next_to_main(model: Hub, engine: Engine) -> None:
    model.repos[NAME].revisions["v1/rc"] = "1" * 40
    main, old = get(), get(f"{NAME}@v1/rc")
    assert main != old
    assert (hub.find(NAME), hub.find(NAME, "v1/rc"), hub.find(NAME, "1" * 40)) == (main, old, old)
    assert len(model.of_weights()) == 1  # identical content is fetched once
    assert engine.load(f"{NAME}@v1/rc").name == "tiny-model"


def test_two_do_not_write_the_same_files(model: Hub) -> None:
    seen = hub.look_up(NAME)
    with downloads.lock_repository(NAME):
        refused("download_failed", "already", lambda: hub.download(seen))
    hub.download(seen)


def test_discard_deletes_unfinished_download_only(model: Hub, tmp_path: Path) -> None:
    model.cut_at, model.cuts = 1000, 10**6
    refused("download_failed", "closed the connection", get)
    hub.discard(NAME)
    assert not list((tmp_path / "home" / "hub").glob("models--*"))
    model.cuts = 0
    kept = get()
    model.repos[NAME].files["tokenizer_config.json"] += b" "
    model.repos[NAME].files["model.safetensors"] += b"x"
    model.repos[NAME].revisions["main"] = "2" * 40
    model.cuts = 10**6
    refused("download_failed", "closed the connection", get)
    hub.discard(NAME)
    assert hub.find(NAME) == kept
    assert {p.resolve() for p in kept.iterdir()} == {*kept.parents[1].joinpath("blobs").iterdir()}
    hub.discard("somebody/never-seen")


def test_incomplete_snapshot_of_another_program_is_completed(
    model: Hub, engine: Engine, model_folder: Callable[[str], Path]
) -> None:
    files = dict(model.repos[NAME].files)
    weights = files.pop("model.safetensors")
    index = b'{"weight_map": {"a": "model-1-of-2.safetensors", "b": "model-2-of-2.safetensors"}}'
    files |= {"model-1-of-2.safetensors": weights, "model.safetensors.index.json": index}
    model.add("a/halves", files)
    folder = get("a/halves")
    refused("model_load_failed", "1 of its 2 weight files", lambda: engine.load("a/halves"))
    seen = hub.look_up("a/halves")
    assert hub.find_complete(seen) == folder
    (folder / "tokenizer.json").unlink()
    assert hub.find("a/halves") == folder
    assert hub.find_complete(seen) is None
    assert get("a/halves") == folder
    assert (folder / "tokenizer.json").is_file()


@pytest.mark.parametrize(
    "file",
    [
        "../x.json",
        "a/x.json",
        "/x.json",
        ".x.json",
        "x\0.json",
        "x\n.json",
        "x.py",
        "x.bin",
        "x.json\n",
    ],
)
def test_some_files_are_never_downloaded(file: str) -> None:
    assert not is_needed(file)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("a/b", ("a/b", "main")),
        (" Qwen/Some-7B.v2_x ", ("Qwen/Some-7B.v2_x", "main")),
        ("a/b@v1", ("a/b", "v1")),
        ("https://hub.test/a/b", ("a/b", "main")),
        ("https://hub.test/a/b/", ("a/b", "main")),
        ("hub.test/a/b?x=1#y", ("a/b", "main")),
        ("https://hub.test/a/b/tree/refs/pr/1", ("a/b", "refs/pr/1")),
        ("https://hub.test/a/b/blob/v2/config.json", ("a/b", "v2")),
        ("https://elsewhere.test/a/b", None),
        ("https://hub.test/a", None),
        ("a", None),
        ("a/", None),
        ("", None),
        ("a/b/c", None),
        ("../b", None),
        ("a/..", None),
        ("a/b@../x", None),
        ("a/b@", None),
        ("/a/b", None),
        ("https://[", None),
        ("a b/c", None),
    ],
)
def test_pasted_names_are_parsed(text: str, found: tuple[str, str] | None) -> None:
    wanted = hub.parse(text, frozenset({"hub.test"}))
    assert (wanted and (wanted.repo, wanted.revision)) == found


@pytest.mark.parametrize(
    ("fault", "code", "says"),
    [
        ({"refuse": 401}, "gated", "wrong, or it is private"),
        ({"refuse": 403}, "gated", "on the model.s page"),
        ({"refuse": 404}, "not_found", "Check its name"),
        ({"refuse": 429, "retry_after": "30"}, "download_failed", "Try again in 30 s"),
        ({"refuse": 500}, "download_failed", "Try again in a while"),
        ({"answer": b""}, "not_a_model", "is invalid"),
        ({"answer": b'{"siblings": ['}, "not_a_model", "is invalid"),
        ({"answer": b'{"siblings": []}'}, "not_a_model", "no config.json"),
        ({"answer": b"[]"}, "not_a_model", "is invalid"),
        ({"break_off": True}, "offline", "Check the connection"),
        ({"endless": True}, "download_failed", "Try another name"),
        ({"packed": True}, "download_failed", "compressed"),
    ],
)
def test_listing_faults_give_message_and_no_model(
    model: Hub, tmp_path: Path, fault: dict[str, Any], code: str, says: str
) -> None:
    for name, value in fault.items():
        setattr(model, name, value)
    error = refused(code, says, get)
    assert error.message.endswith(".")
    assert not (tmp_path / "home" / "hub").exists()
    for name in fault:
        setattr(model, name, getattr(Hub(), name))
    assert (get() / "model.safetensors").read_bytes() == weights_of(model)


@pytest.mark.parametrize(
    ("fault", "code", "says"),
    [
        ({"status": 401}, "gated", "private"),
        ({"status": 403}, "gated", "on the model.s page"),
        ({"status": 404}, "not_found", "Check its name"),
        ({"status": 429, "retry_after": "7200"}, "download_failed", "Try again in 120 minutes"),
        ({"status": 500}, "download_failed", "Try again in a while"),
        ({"cut_at": 100, "cuts": 10**6}, "download_failed", "The received part is kept"),
        ({"damage": True}, "download_failed", "Download it again"),
    ],
)
def test_weights_faults_give_message_and_no_model(
    model: Hub, fault: dict[str, Any], code: str, says: str
) -> None:
    for name, value in fault.items():
        setattr(model, name, value)
    refused(code, says, get)
    assert hub.find(NAME) is None
    for name in fault:
        setattr(model, name, getattr(Hub(), name))
    assert (get() / "model.safetensors").read_bytes() == weights_of(model)
