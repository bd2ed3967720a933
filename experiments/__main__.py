"""``python -m experiments``: repeat the experiments of the papers."""

import sys

from ._command import main

sys.exit(main())
