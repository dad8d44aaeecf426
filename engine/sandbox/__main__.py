"""Entry point of a child process. `engine.sandbox.process` starts it."""

import sys

from engine.sandbox.child import main

sys.exit(main(sys.argv[1:]))
