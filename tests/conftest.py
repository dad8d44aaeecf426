"""What all tests share. OpenBLAS goes in before anything imports MLX, as in the program."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from hypothesis import HealthCheck, settings

from engine.model import backend
from engine.runtime import pressure

backend.take_openblas()
# The texts that tests compare with are English, whatever the machine's language is.
os.environ["STRETTO_LANGUAGE"] = "en"
# What was found out of a model by another test is found out anew.
os.environ["STRETTO_NO_WAYS"] = "1"
# Models that a person has here are none of the tests' affair.
_models = tempfile.TemporaryDirectory(prefix="stretto-models-")
os.environ["STRETTO_MODELS"] = _models.name
# What else runs on the machine must not take a test's caches away.
pressure._STALLS = pressure._MEMORY = Path(os.devnull)
# How fast examples are made and run is the machine's affair, and no fault of what is tested. They
# are the same in each run; `pytest --hypothesis-profile=searching` looks for others.
_slow = [HealthCheck.too_slow]
settings.register_profile("patient", deadline=None, derandomize=True, suppress_health_check=_slow)
settings.register_profile("searching", deadline=None, suppress_health_check=_slow)
settings.load_profile("patient")
