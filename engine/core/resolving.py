"""Which folder a caller means: a path, or a model from the hub that has been downloaded."""

from __future__ import annotations

from pathlib import Path

from engine import hub
from engine.hub.gguf import kept
from engine.model.folder import refuse


def resolve(path_or_id: str) -> Path:
    """The folder of a model: a path, or a hub id (``@revision``) that has been downloaded.

    A GGUF file is converted the first time, which may take a minute.

    Raises:
        EngineError: `model_load_failed`, saying what is missing and what to do.
    """
    if not path_or_id.strip():
        raise refuse("No model was named. Give a folder or the id of a downloaded model.")
    folder = Path(path_or_id).expanduser()
    if folder.is_dir():
        file = kept.only_one(folder)
        return folder if file is None else kept.folder_of(file)
    if kept.is_gguf(folder):
        return kept.folder_of(folder)
    if folder.exists():
        raise refuse(
            f"{path_or_id} is a file. Choose the folder that holds config.json, or a GGUF file."
        )
    wanted = hub.parse(path_or_id)
    if wanted is None:
        raise refuse(f"There is no folder {path_or_id}.")
    downloaded = hub.find(wanted.repo, wanted.revision)
    if downloaded is None:
        raise refuse(
            f"There is no folder {path_or_id}, and no model of that name has been downloaded. "
            "Download it first."
        )
    return downloaded


def resolve_adapter(asked: str) -> Path:
    """The folder of an adapter.

    Raises:
        EngineError: `model_load_failed`, saying what is missing and what to do.
    """
    folder = Path(asked).expanduser()
    if not asked.strip() or not folder.is_dir():
        raise refuse(
            f"There is no adapter folder {asked[:500]!r}. Choose the folder that holds "
            "adapter_config.json, or use the model without an adapter."
        )
    return folder
