"""Numbers as they are told: so many significant digits, wherever they are shown."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def digits(values: Any, n: int = 4) -> NDArray[np.float64]:
    """Round to so many significant digits; what is no number becomes 0."""
    values = np.nan_to_num(np.asarray(values, np.float64), posinf=0.0, neginf=0.0)
    large = np.abs(values) > 1e-290
    power = np.floor(np.log10(np.abs(np.where(large, values, 1.0))))
    unit = np.where(large, 10.0 ** np.clip(n - 1 - power, -300, 300), 1.0)
    # Division by a power of ten gives the nearest number to the decimal, which is written with few digits.
    down = 10.0 ** np.clip(power - n + 1, 0, 300)
    return np.asarray(np.where(power > n - 1, np.rint(values / down) * down, np.rint(values * unit) / unit))
