"""What all tests share. OpenBLAS goes in before anything imports MLX, as in the program."""

from __future__ import annotations

from engine.model import backend

backend.take_openblas()
