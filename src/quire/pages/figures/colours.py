"""A colour for every topic, and names that can be drawn."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

GREY = (0.78, 0.78, 0.77)
INK, SOFT = "#1d2129", "#5a6170"
_LIGHT = (0.55, 0.74, 0.64)  # one after the other, so that neighbours differ by more than their hue
_CHROMA = 0.13
_TO_LMS = np.array([
    [1.0, 0.3963377774, 0.2158037573], [1.0, -0.1055613458, -0.0638541728], [1.0, -0.0894841775, -1.2914855480],
])  # fmt: skip
_TO_RGB = np.array([
    [4.0767416621, -3.3077115913, 0.2309699292], [-1.2684380046, 2.6097574011, -0.3413193965],
    [-0.0041960863, -0.7034186147, 1.7076147010],
])  # fmt: skip


def topic_colours(centres: NDArray[np.float64], shares: NDArray[np.float64] | None = None) -> NDArray[np.float64]:
    """Return a colour for each topic, by the angle at which it lies on the map (OKLCH, Ottosson 2020).

    A topic has hues to itself, half of them by its share, so that those that are seen most tell apart best.
    """
    k = max(len(centres), 1)
    around = centres - centres.mean(axis=0)
    order = np.argsort(np.arctan2(around[:, 1], around[:, 0]), kind="stable")
    turn = np.argsort(order, kind="stable")
    room = np.full(len(centres), 1 / k) if shares is None else shares / max(shares.sum(), 1e-12) + 1 / k
    hue = 2 * np.pi * ((np.cumsum(room[order]) - room[order] / 2) / max(room.sum(), 1e-12))[turn]
    light = np.array([_LIGHT[place % len(_LIGHT)] for place in turn])
    return np.array([_within_gamut(one, angle) for one, angle in zip(light, hue)]).reshape(-1, 3)


def _within_gamut(light: float, hue: float) -> NDArray[np.float64]:
    """Return a colour as a screen has it, as strong as it can be."""
    for chroma in np.linspace(_CHROMA, 0, 27):
        lms = _TO_LMS @ np.array([light, chroma * np.cos(hue), chroma * np.sin(hue)])
        linear = _TO_RGB @ lms**3
        if (linear >= 0).all() and (linear <= 1).all():
            break
    linear = np.clip(linear, 0, 1)
    return np.asarray(np.where(linear <= 0.0031308, 12.92 * linear, 1.055 * linear ** (1 / 2.4) - 0.055))


def drawn(text: str, most: int = 60) -> str:
    """Return a text on one line, no longer than a figure can hold."""
    line = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    return line if len(line) <= most else line[: most - 1] + "…"
