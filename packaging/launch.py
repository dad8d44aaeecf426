"""Entry point of the frozen app."""

import multiprocessing
import sys

from app.__main__ import main

if __name__ == "__main__":
    # A library that starts a process with multiprocessing runs this file again.
    multiprocessing.freeze_support()
    sys.exit(main())
