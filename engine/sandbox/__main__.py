"""A child; see `engine.sandbox.process` for how it is started."""

import sys

from engine.sandbox.child import main

sys.exit(main(sys.argv[1:]))
