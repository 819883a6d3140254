"""The crash, fuzz and attack campaign: ``python -m torture --minutes 60``.

A part is one module with a function ``cases`` that yields cases; each case runs in a forked child under limits of
time and memory, and is judged (:mod:`torture.case`). What failed is kept with the way to repeat it.
"""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1] / "tests"))  # crash, which kills processes for the tests too
