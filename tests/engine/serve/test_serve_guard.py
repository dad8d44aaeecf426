"""Access control, rate limits, visible models, and information the server reveals about itself."""

from __future__ import annotations

import json
import logging
import os
import re
import shutil
import socket
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from engine import Engine, EngineError, Model
from engine.cli.main import main
from engine.serve.auth import Keys, Settings
from engine.serve.server import SEND_BUFFER_BYTES, Server
from tests.engine.serve.conftest import Serve
from tests.engine.serving import (
    CHAT,
    Answer,
    ask,
    bearer,
    body,
    connect,
    endless,
    raw,
    rest,
    until_said,
)
from tests.engine.serving import running as replies
from tests.engine.serving import status as status_of
from tests.slices import examples
from tests.waiting import until

PAGE = "https://page.example"


# ---------------------------------------------------------------- keys


def test_keys_are_stored_as_digests(tmp_path: Path) -> None:
    file = tmp_path / "new" / "keys.json"
    keys = Keys(file)
    one, two = keys.make("editor"), keys.make("phone")
    assert one != two
    assert len(one) > 40
    content = file.read_text()
    assert not any(part in content for part in (one, two, one[8:20]))
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    owner = Keys(file).owner(one)
    assert owner is not None
    assert owner.name == "editor"
    assert keys.owner(one + "x") is None
    assert keys.owner("") is None
    assert keys.revoke("editor") == 1
    assert Keys(file).owner(one) is None
    assert keys.owner(two) is not None
    assert [k.name for k in keys.all()] == ["editor", "phone"]


def test_keys_survive_changes_by_several_processes(tmp_path: Path) -> None:
    file = tmp_path / "keys.json"
    Keys(file).make("old")
    begin = (
        "import sys; from pathlib import Path; from engine.serve.auth import Keys; "
        "keys = Keys(Path(sys.argv[1])); print('ready', flush=True); input(); "
    )
    makes = begin + "[keys.make(f'{sys.argv[2]}-{i}') for i in range(10)]"
    revokes = begin + "keys.revoke(sys.argv[2])"
    programs = [
        subprocess.Popen(
            [sys.executable, "-c", code, str(file), name],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        for code, name in [(makes, "a"), (makes, "b"), (makes, "c"), (revokes, "old")]
    ]
    for program in programs:
        assert program.stdout
        assert program.stdout.readline() == b"ready\n"
    for program in programs:
        assert program.stdin
        program.stdin.write(b"\n")
        program.stdin.flush()
    for program in programs:
        program.communicate(timeout=60)
        assert program.returncode == 0
    kept = {key.name: bool(key.revoked) for key in Keys(file).all()}
    assert kept == {"old": True} | {f"{name}-{i}": False for name in "abc" for i in range(10)}


@pytest.mark.parametrize("content", ["{", "[5]", '[{"id": "x"}]', "5", "null"])
def test_damaged_key_file_grants_nothing(serve: Serve, keys: Keys, content: str) -> None:
    made = keys.make("editor")
    server = serve(keys)
    assert ask(server, "GET", "/v1/models", **bearer(made)).status == 200
    keys._file.write_text(content)
    assert ask(server, "GET", "/v1/models", **bearer(made)).status == 401
    assert ask(server, "GET", "/v1/models").status == 401


def test_key_file_writable_by_others_is_refused(keys: Keys) -> None:
    keys.make("editor")
    os.chmod(keys._file, 0o666)
    with pytest.raises(ValueError, match="other users can write"):
        Keys(keys._file)


def test_missing_wrong_and_revoked_keys_are_refused(serve: Serve, keys: Keys) -> None:
    good, old = keys.make("editor"), keys.make("old")
    server = serve(keys)
    keys.revoke("old")
    for headers in (
        {},
        bearer("wrong"),
        bearer(old),
        bearer(good[:-1]),
        bearer("ÿ"),
        bearer(good + " x"),
        {"Authorization": f"Basic {good}"},
        {"x_api_key": old},
    ):
        for method, path in (("GET", "/v1/models"), ("POST", CHAT), ("GET", "/metrics")):
            got = ask(server, method, path, body() if method == "POST" else None, **headers)
            assert (got.status, got.code) == (401, "invalid_api_key")
            assert got.headers["www-authenticate"] == "Bearer"
    for headers in (bearer(good), {"Authorization": f"bearer  {good}"}, {"x_api_key": good}):
        assert ask(server, "GET", "/v1/models", **headers).status == 200
    assert ask(server, "POST", CHAT, body(), **bearer(good)).status == 200
    # Without a key, only the health status is reported.
    assert ask(server, "GET", "/health").json == {"status": "ok"}
    assert "models" in ask(server, "GET", "/health", **bearer(good)).json
    keys.revoke("editor")
    assert ask(server, "GET", "/v1/models", **bearer(good)).status == 401
    assert ask(server, "GET", "/v1/models").status == 401, "a server does not open by revoking"


def test_keys_do_not_see_sessions_of_others(serve: Serve, keys: Keys) -> None:
    one, two = bearer(keys.make("one")), bearer(keys.make("two"))
    server = serve(keys)
    long = body("a long beginning " * 30, session_id="a")
    assert ask(server, "POST", CHAT, long, **one).status == 200
    for method, path in (
        ("GET", "/v1/sessions/a"),
        ("DELETE", "/v1/sessions/a"),
        ("POST", "/v1/sessions/a/fork"),
        ("POST", "/v1/sessions/a/steer"),
    ):
        assert ask(server, method, path, **two).code == "session_not_found"
    assert ask(server, "GET", "/v1/sessions", **two).json["data"] == []
    assert ask(server, "POST", CHAT, long, **two).status == 200
    assert ask(server, "DELETE", "/v1/sessions/a", **two).status == 200
    assert ask(server, "GET", "/v1/sessions/a", **one).json["tokens"] > 0
    del long["session_id"]
    before = len(server.engine.stats()["sessions"])
    for headers in (one, two):
        assert ask(server, "POST", CHAT, long, **headers).status == 200
    assert len(server.engine.stats()["sessions"]) == before + 2


def test_responses_cannot_be_continued_with_another_key(serve: Serve, keys: Keys) -> None:
    mine, other = bearer(keys.make("mine")), bearer(keys.make("other"))
    server = serve(keys=keys)
    asked = {"input": "a secret", "max_output_tokens": 4, "temperature": 0}
    kept = ask(server, "POST", "/v1/responses", asked, **mine).json["id"]
    after = {**asked, "previous_response_id": kept}
    for who, status in ((mine, 200), (other, 400)):
        answer = ask(server, "POST", "/v1/responses", after, **who)
        assert answer.status == status
    assert answer.code == "previous_response_not_found"
    place = f"/v1/responses/{kept}"
    assert ask(server, "GET", place, **other).status == 404
    assert ask(server, "DELETE", place, **other).status == 404
    assert ask(server, "GET", place, **mine).json["id"] == kept
    assert ask(server, "DELETE", place, **mine).status == 200


def test_other_machines_need_a_key(keys: Keys, loaded: tuple[Engine, Model]) -> None:
    engine, model = loaded
    with pytest.raises(ValueError, match=r"0\.0\.0\.0.*a key is required"):
        Settings(host="0.0.0.0")
    wanted = Settings(host="0.0.0.0", require_key=True)
    with pytest.raises(ValueError, match="none exists"):
        Server(engine, [model], 0, settings=wanted, keys=keys)
    key = keys.make("phone")
    with Server(engine, [model], 0, settings=wanted, keys=keys) as server:
        elsewhere = {"Host": "desk.local:8080"}
        assert ask(server, "GET", "/v1/models", **elsewhere).status == 401
        assert ask(server, "GET", "/v1/models", **elsewhere, **bearer(key)).status == 200
        page = {"Origin": PAGE, **bearer(key)}
        assert ask(server, "GET", "/v1/models", **page).status == 403


def test_command_creates_lists_and_revokes_keys(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = str(tmp_path / "keys.json")
    assert main(["serve", "--keys", file, "--new-key", "my editor"]) == 0
    made = capsys.readouterr().out.strip()
    assert Keys(Path(file)).owner(made)
    assert main(["serve", "--keys", file, "--list-keys"]) == 0
    listed = capsys.readouterr().out
    assert "my editor" in listed
    assert made not in listed
    assert main(["serve", "--keys", file, "--revoke-key", "my editor"]) == 0
    assert main(["serve", "--keys", file, "--revoke-key", "my editor"]) == 1
    assert main(["serve", "--keys", file, "--host", "0.0.0.0"]) == 2
    assert "--new-key" in capsys.readouterr().err
    assert main(["serve", "--keys", file, "--origin", "*"]) == 2
    assert "origin" in capsys.readouterr().err


# ---------------------------------------------------------------- pages


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "https://example.org"},
        {"Origin": "http://localhost:3000"},
        {"Origin": "http://127.0.0.1:3000"},
        {"Origin": "null"},
        {"Origin": ""},
        {"Origin": "chrome-extension://abcdefghijklmnop"},
        {"Origin": "moz-extension://localhost"},
        {"Origin": "file://"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
        {"Host": "example.org"},
        {"Host": "localhost.example.org"},
        {"Host": "127.0.0.1.example.org"},
    ],
)
def test_pages_extensions_and_other_hosts_are_refused(
    guarded: Server, headers: dict[str, str]
) -> None:
    for method, path in (("GET", "/v1/models"), ("POST", CHAT), ("DELETE", "/v1/sessions/a")):
        got = ask(guarded, method, path, body() if method == "POST" else None, **headers)
        assert got.status == 403
        assert "access-control-allow-origin" not in got.headers
    asked = {**headers, "Access-Control-Request-Method": "POST"}
    got = ask(guarded, "OPTIONS", CHAT, **asked)
    assert got.status == 403
    assert "access-control-allow-origin" not in got.headers


@pytest.fixture(scope="module")
def guarded(loaded: tuple[Engine, Model]) -> Iterator[Server]:
    engine, model = loaded
    with Server(engine, [model], 0) as server:
        yield server


def test_only_listed_origins_are_allowed(serve: Serve, keys: Keys) -> None:
    key = keys.make("page")
    server = serve(keys, origins=(PAGE,))
    wants = {
        "Origin": PAGE,
        "Access-Control-Request-Method": "POST",
        "Access-Control-Request-Headers": "authorization, content-type",
    }
    preflight = ask(server, "OPTIONS", CHAT, **wants)
    assert preflight.status == 200, "a preflight brings no key"
    assert preflight.headers["access-control-allow-origin"] == PAGE
    assert "authorization" in preflight.headers["access-control-allow-headers"].lower()
    page = {"Origin": PAGE, "Sec-Fetch-Site": "cross-site"}
    good = ask(server, "POST", CHAT, body(), **page, **bearer(key))
    assert good.status == 200
    assert good.headers["access-control-allow-origin"] == PAGE
    without = ask(server, "POST", CHAT, body(), **page)
    assert without.status == 401
    assert without.headers["access-control-allow-origin"] == PAGE, "the page can read why"
    for other in (f"{PAGE}.org", PAGE.upper(), "https://page", "null"):
        for method in ("OPTIONS", "POST"):
            got = ask(server, method, CHAT, **{**wants, "Origin": other}, **bearer(key))
            assert got.status == 403
            assert "access-control-allow-origin" not in got.headers
    # Browsers send no origin for a page's images and scripts.
    assert ask(server, "GET", "/v1/models", Sec_Fetch_Site="cross-site").status == 403


# ---------------------------------------------------------------- amounts


def test_key_has_a_rate_limit(serve: Serve, keys: Keys) -> None:
    one, two = bearer(keys.make("one")), bearer(keys.make("two"))
    server = serve(keys, per_minute=3)
    got = [ask(server, "GET", "/v1/models", **one) for _ in range(4)]
    assert [g.status for g in got] == [200, 200, 200, 429]
    assert got[3].code == "rate_limit_exceeded"
    assert 1 <= int(got[3].headers["retry-after"]) <= 21
    assert ask(server, "GET", "/v1/models", **two).status == 200
    assert ask(server, "GET", "/health", **one).status == 200


def test_key_has_a_concurrency_limit(serve: Serve, keys: Keys) -> None:
    key = keys.make("one")
    server = serve(keys, per_key=1)
    with connect(server, raw(endless(), f"Authorization: Bearer {key}")) as client:
        until_said(client, b"data: ")
        refused = ask(server, "POST", CHAT, body(), **bearer(key))
        assert (refused.status, refused.code) == (429, "rate_limit_exceeded")
    until(lambda: ask(server, "POST", CHAT, body(), **bearer(key)).status == 200)


def test_each_answer_counts_toward_the_concurrency_limit(serve: Serve, keys: Keys) -> None:
    key = keys.make("one")
    server = serve(keys, per_key=3)
    with connect(server, raw(endless(n=2), f"Authorization: Bearer {key}")) as client:
        until_said(client, b"data: ")
        two = ask(server, "POST", CHAT, body(n=2), **bearer(key))
        assert (two.status, two.code) == (429, "rate_limit_exceeded")
        assert two.headers["retry-after"] == "1"
        assert ask(server, "POST", CHAT, body(), **bearer(key)).status == 200
        other = bearer(keys.make("other"))
        assert ask(server, "POST", CHAT, body(n=3), **other).status == 200
    never = ask(server, "POST", CHAT, body(n=4), **bearer(key))
    assert never.status == 400, "asking again would not help"
    until(lambda: ask(server, "POST", CHAT, body(n=3), **bearer(key)).status == 200)


def test_unread_stream_holds_little_memory(serve: Serve) -> None:
    """Default system buffers would take megabytes of output that the client never reads."""
    server = serve()
    with connect(server, raw(endless())) as client:
        until_said(client, b"data: ")
        (connection,) = server._http.server_state.connections
        wire = connection.transport.get_extra_info("socket")
        held = wire.getsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF)
        assert SEND_BUFFER_BYTES <= held <= 2 * SEND_BUFFER_BYTES


def test_connections_over_the_limit_get_an_error(serve: Serve) -> None:
    server = serve(connections=4)
    clients = []
    try:
        for _ in range(4):
            clients.append(connect(server, raw(endless())))
            until_said(clients[-1], b"data: ")
        with connect(server) as one_more:
            assert status_of(rest(one_more)) == 503
        clients.pop().close()
        until(lambda: server.connections == 3)
        assert ask(server, "GET", "/health").status == 200
    finally:
        for client in clients:
            client.close()
    until(lambda: replies(server) == 0)


def test_slow_bodies_do_not_block_others(serve: Serve) -> None:
    """Incomplete requests use up all connections, and another request is still served."""
    server = serve(connections=4)
    halves = [connect(server, raw(body())[:-1]) for _ in range(4)]
    try:
        until(lambda: server.connections == 4)
        assert ask(server, "POST", CHAT, body()).status == 200
        assert status_of(rest(halves[0])) == 408, "the one that has taken longest makes room"
        halves[3].sendall(b"}")
        assert status_of(rest(halves[3])) == 200
    finally:
        for client in halves:
            client.close()


# ---------------------------------------------------------------- models


@pytest.fixture(scope="module")
def other_folder(
    model_folder: Callable[[str], Path], tmp_path_factory: pytest.TempPathFactory
) -> Path:
    folder = tmp_path_factory.mktemp("named") / "other-model"
    shutil.copytree(model_folder("sliding window"), folder)
    return folder


@pytest.fixture
def loaded_after(loaded: tuple[Engine, Model]) -> Iterator[tuple[Engine, Model]]:
    yield loaded
    engine, model = loaded
    engine.load(model.path)


def states(server: Server, **headers: str) -> dict[str, str]:
    listed = ask(server, "GET", "/v1/models", **headers).json["data"]
    return {m["id"]: m["state"] for m in listed}


def test_named_model_is_loaded_and_unloaded_when_idle(
    serve: Serve, other_folder: Path, loaded_after: tuple[Engine, Model]
) -> None:
    engine, model = loaded_after
    server = serve(folders=(str(other_folder), model.path), unload_after=1.5)
    assert states(server) == {model.name: "loaded", "other-model": "unloaded"}
    answer = ask(server, "POST", CHAT, body(model="other-model", session_id="a"))
    assert answer.json["model"] == "other-model"
    with connect(server, raw(endless(model="other-model"))) as client:
        until_said(client, b"data: ")
        until(lambda: states(server)[model.name] == "unloaded")
        assert states(server)["other-model"] == "loaded", "it is in use"
    until(lambda: states(server)["other-model"] == "unloaded")
    until(lambda: not engine.stats()["models"])
    assert ask(server, "GET", "/health").json["status"] == "ok"
    again = ask(server, "POST", CHAT, body(session_id="a"))
    assert again.json["model"] == "other-model", "the session's own"
    assert again.text == answer.text
    refused = ask(server, "POST", CHAT, body(session_id="a", model=model.name))
    assert refused.status == 400


def test_models_of_the_same_name_are_numbered(
    serve: Serve, other_folder: Path, tmp_path: Path
) -> None:
    twin = shutil.copytree(other_folder, tmp_path / other_folder.name)
    server = serve(folders=(str(other_folder), str(twin)))
    assert ask(server, "POST", CHAT, body(model="other-model-2")).status == 200
    found = states(server)
    assert (found["other-model"], found["other-model-2"]) == ("unloaded", "loaded")


def test_model_requested_during_unload_is_reloaded(serve: Serve, other_folder: Path) -> None:
    server = serve(folders=(str(other_folder),))
    unload = "/v1/models/other-model/unload"
    with ThreadPoolExecutor() as threads:
        for _ in range(examples(50)):
            going = threads.submit(ask, server, "POST", unload)
            answer = ask(server, "POST", CHAT, body(model="other-model"))
            assert (answer.status, answer.json["model"]) == (200, "other-model")
            assert going.result().status in (200, 409)


def test_models_are_loaded_and_unloaded_on_request(serve: Serve, other_folder: Path) -> None:
    server = serve(folders=(str(other_folder),))
    path = "/v1/models/other-model"
    assert ask(server, "GET", path).json["state"] == "unloaded"
    told = ask(server, "POST", f"{path}/load", {"stream": True})
    assert told.headers["content-type"].startswith("text/event-stream")
    events = [line for line in told.body.decode().split("\n\n") if line]
    assert events[-1] == "data: [DONE]"
    shown = [json.loads(event.removeprefix("data: ")) for event in events[:-1]]
    assert shown[-1]["state"] == "loaded"
    assert all(0 <= s["progress"] < 1 for s in shown[:-1])
    assert ask(server, "POST", f"{path}/load").json["state"] == "loaded"
    with connect(server, raw(endless(model="other-model"))) as client:
        until_said(client, b"data: ")
        busy = ask(server, "POST", f"{path}/unload")
        assert (busy.status, busy.code) == (409, "model_busy")
    until(lambda: ask(server, "POST", f"{path}/unload").status == 200)
    assert ask(server, "GET", path).json["state"] == "unloaded"
    assert ask(server, "POST", "/v1/models/gpt-9/load").status == 404
    assert ask(server, "POST", f"{path}/load", {"stream": 5}).status == 400


def test_failed_load_is_reported_and_others_continue(
    serve: Serve, other_folder: Path, tmp_path: Path, loaded: tuple[Engine, Model]
) -> None:
    damaged = tmp_path / "damaged-model"
    shutil.copytree(other_folder, damaged)
    (damaged / "config.json").write_text("{")
    server = serve(folders=(str(damaged),))
    assert ask(server, "POST", CHAT, body(model="damaged-model")).code == "model_load_failed"
    told = ask(server, "POST", "/v1/models/damaged-model/load", {"stream": True})
    assert b"model_load_failed" in told.body
    assert ask(server, "POST", CHAT, body()).status == 200
    engine, model = loaded
    with pytest.raises(EngineError, match="does not exist"):
        Server(engine, [model], 0, folders=("/does/not exist",))


# ---------------------------------------------------------------- status information


def test_health_shows_models_and_last_step(guarded: Server) -> None:
    assert ask(guarded, "POST", CHAT, body()).status == 200
    told = ask(guarded, "GET", "/health").json
    assert told["status"] == "ok"
    assert told["engine_alive"] is True
    assert told["loaded"] == told["models"]
    assert 0 <= told["last_step_seconds_ago"] < 60
    assert (told["answering"], told["waiting"]) == (0, 0)


def test_metrics_are_prometheus_text(guarded: Server) -> None:
    from prometheus_client.parser import text_string_to_metric_families

    def figures() -> dict[tuple[str, ...], float]:
        got = ask(guarded, "GET", "/metrics")
        assert got.headers["content-type"].startswith("text/plain")
        families = text_string_to_metric_families(got.body.decode())
        return {(s.name, *s.labels.values()): s.value for f in families for s in f.samples}

    before = figures()
    answer = ask(guarded, "POST", CHAT, body(stream=True))
    assert answer.status == 200
    ask(guarded, "GET", "/nothing/secret")
    after = figures()

    def grown(*name: str) -> float:
        return after[name] - before.get(name, 0)

    assert grown("stretto_requests_total", CHAT, "200") == 1
    assert grown("stretto_requests_total", "(no route)", "404") == 1
    assert grown("stretto_tokens_total", "generated") > 0
    assert grown("stretto_first_token_seconds_bucket", "+Inf") == 1
    assert after[("stretto_first_token_seconds_count",)] >= 1
    assert after[("stretto_engine_up",)] == 1
    assert after[("stretto_models_loaded",)] == 1
    assert after[("stretto_memory_in_use",)] > 0
    assert not any("secret" in part for name in after for part in name)


def test_key_sees_no_figures_of_another_key(serve: Serve, keys: Keys, other_folder: Path) -> None:
    one, two = keys.make("one"), bearer(keys.make("two"))
    server = serve(keys, folders=(str(other_folder),))

    def seen() -> list[str]:
        told = [
            ask(server, "GET", path, **two).body.decode()
            for path in ("/health", "/v1/models", "/api/tags", "/api/ps", "/metrics")
        ]
        told[0] = re.sub(r'"last_step_seconds_ago":[^,]*', "", told[0])
        own = r'stretto_requests_\w+\{route="/(health|v1/models|api|metrics).*\n'
        told[4] = re.sub(own, "", told[4])
        return told

    before = seen()
    for asked in (body(session_id="a"), body(model="other-model"), body(n=2)):
        assert ask(server, "POST", CHAT, asked, **bearer(one)).status == 200
    assert states(server, **bearer(one))["other-model"] == "loaded"
    with connect(server, raw(endless(), f"Authorization: Bearer {one}")) as client:
        until_said(client, b"data: ")
        assert ask(server, "GET", "/health", **bearer(one)).json["answering"] == 1
        assert seen() == before
        assert ask(server, "GET", "/health", **two).json["last_step_seconds_ago"] is None
    ask(server, "POST", CHAT, body(), **two)
    assert 'stretto_replies_total{reason="length"} 1.0' in seen()[4]


def test_log_omits_prompts_paths_and_keys(
    serve: Serve, keys: Keys, caplog: pytest.LogCaptureFixture, tmp_path: Path
) -> None:
    key = keys.make("SECRETname")
    folder = tmp_path / "SECRETfolder"
    folder.mkdir()
    (folder / "config.json").write_text("SECRET")
    with caplog.at_level(logging.INFO):
        server = serve(keys, folders=(str(folder),))
        good = bearer(key)
        asked: list[Answer] = [
            ask(server, "POST", CHAT, body("SECRET", session_id="SECRET"), **good),
            ask(server, "POST", CHAT, body("SECRET", model="SECRETfolder"), **good),
            ask(server, "POST", CHAT, {"SECRET": 1}, **good),
            ask(server, "GET", "/v1/sessions/SECRET?q=SECRET", **good),
            ask(server, "GET", "/v1/models/SECRET", **good),
            ask(server, "GET", "/SECRET", **good),
            ask(server, "GET", "/v1/models", **bearer("SECRET")),
            ask(server, "GET", "/v1/models", Origin="https://SECRET"),
        ]
        assert [a.status for a in asked] == [200, 500, 400, 200, 404, 404, 401, 403]
        until(lambda: caplog.text.count(" s\n") >= len(asked))
    assert not re.search(re.escape(key) + "|SECRET|" + re.escape(str(tmp_path)), caplog.text)
    assert "POST /v1/chat/completions 200" in caplog.text
    assert "GET /v1/sessions/{id} 200" in caplog.text
