"""The entry point of the frozen program."""

import multiprocessing
import sys

from app.__main__ import main

if __name__ == "__main__":
    # A library that starts a process by multiprocessing starts this file again.
    multiprocessing.freeze_support()
    sys.exit(main())
