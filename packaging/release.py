"""Files of a release: bill of materials (CycloneDX), release notes, and update information.

    python packaging/release.py notes v0.9.0        the changelog's text for a tag
    python packaging/release.py check v0.9.0        fails unless the project has that version
    python packaging/release.py key                 a new key pair: secret and public
    python packaging/release.py sign v0.9.0 PAGE    the signed file that the app requests

`sign` reads the secret key from STRETTO_UPDATES_SECRET. An app checks for updates only if it was
built with STRETTO_UPDATES_URL and STRETTO_UPDATES_KEY, the public key.
"""

from __future__ import annotations

import argparse
import base64
import json
import os
import re
import sys
from pathlib import Path
from typing import Any
from urllib.parse import quote

import bootstrap

CHANGELOG = bootstrap.ROOT / "CHANGELOG.md"


def parts_list(licences: Path) -> dict[str, Any]:
    """Return the software bill of materials, from the bundle's file of licenses."""
    parts = json.loads(licences.read_text(encoding="utf-8"))
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {
            "component": {
                "type": "application",
                "name": "Stretto",
                "version": str(bootstrap.project()["version"]),
                "licenses": [{"license": {"id": "MIT"}}],
            }
        },
        "components": [
            {
                "type": "library",
                "name": part["name"],
                "version": part["version"],
                "licenses": [{"license": {"name": part["licence"]}}],
                "purl": f"pkg:{part['kind']}/{quote(part['name'])}@{quote(part['version'])}",
            }
            for part in parts
        ],
    }


def notes(tag: str) -> str:
    """Return the changelog's section of a version. Raises ValueError if it is missing."""
    version = tag.removeprefix("v")
    text = CHANGELOG.read_text(encoding="utf-8")
    found = re.search(
        rf"^## \[{re.escape(version)}\][^\n]*\n(.*?)(?=^## \[|\Z)", text, re.MULTILINE | re.DOTALL
    )
    if found is None or not found[1].strip():
        raise ValueError(
            f"CHANGELOG.md has no section [{version}]. Rename [Unreleased] before tagging."
        )
    return found[1].strip() + "\n"


def check(tag: str) -> None:
    version = str(bootstrap.project()["version"])
    if tag != f"v{version}":
        raise ValueError(f"The tag is {tag}, pyproject.toml says {version}.")


def new_key() -> tuple[str, str]:
    """Return a new secret key and its public key, in hex."""
    from nacl.signing import SigningKey

    made = SigningKey.generate()
    return bytes(made).hex(), bytes(made.verify_key).hex()


def signed(tag: str, page: str, secret: str) -> dict[str, str]:
    """Return the signed file with the latest version, for `app.system.updates`.

    Raises ValueError if the page is not an https address, or the secret is not a key.
    """
    from nacl.signing import SigningKey

    if not page.startswith("https://"):
        raise ValueError(f"The page must begin with https://, not {page!r}.")
    if not re.fullmatch("[0-9a-f]{64}", secret):
        raise ValueError("STRETTO_UPDATES_SECRET must be 64 hex digits; `key` makes one.")
    said = json.dumps({"version": tag.removeprefix("v"), "page": page, "notes": notes(tag)})
    signature = SigningKey(bytes.fromhex(secret)).sign(said.encode()).signature
    return {"signed": said, "signature": base64.b64encode(signature).decode()}


def updates_source(target: Path) -> bool:
    """Write the address and key of updates from the environment. Return False if they are not
    set."""
    url, key = os.environ.get("STRETTO_UPDATES_URL"), os.environ.get("STRETTO_UPDATES_KEY")
    target.unlink(missing_ok=True)
    if url and key:
        target.write_text(json.dumps({"url": url, "key": key}), encoding="utf-8")
    return bool(url and key)


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("what", choices=("notes", "check", "key", "sign"))
    parser.add_argument("tag", nargs="?", default="")
    parser.add_argument("page", nargs="?", default="")
    options = parser.parse_args()
    if options.what == "key":
        print("secret {}\npublic {}".format(*new_key()))
        return 0
    try:
        check(options.tag)
        text = notes(options.tag)
        if options.what == "sign":
            secret = os.environ.get("STRETTO_UPDATES_SECRET", "")
            print(json.dumps(signed(options.tag, options.page, secret), indent=1))
    except ValueError as error:
        print(error, file=sys.stderr)
        return 1
    if options.what == "notes":
        print(text, end="")
    return 0


if __name__ == "__main__":
    sys.exit(main())
