"""What all tests share. OpenBLAS goes in before anything imports MLX, as in the program."""

from __future__ import annotations

import os

from engine.model import backend

backend.take_openblas()
# The texts that tests compare with are English, whatever the machine's language is.
os.environ["STRETTO_LANGUAGE"] = "en"
