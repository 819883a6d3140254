"""The GPU itself, through CuPy: whether one is there, what fits into its memory, and how numbers travel."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quire.backends.matrix import Small

_BYTES_A_VALUE = 64  # of X: both sides of it, and what sorting one into the other takes
_MOST = 0.8  # of the memory that is free, for X


def why_no_gpu() -> str:
    """Return a sentence that says why no GPU can be used, or an empty text where one can."""
    try:
        import cupy
    except ImportError:
        return "A GPU needs CuPy: pip install 'quire-topics[gpu]'."
    try:
        if cupy.cuda.runtime.getDeviceCount() > 0:
            cupy.zeros(1)
            return ""
    except Exception as error:  # whatever a driver may answer
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        return f"No GPU can be used ({reason}): install NVIDIA's driver, or use device='cpu'."
    return "No NVIDIA GPU was found: use device='cpu'."


def wake() -> None:
    """Let the driver, which takes a while, begin beside other work; who ends before waits for it."""
    threading.Thread(target=why_no_gpu, name="quire-gpu").start()


def on_host(array: Any) -> NDArray[Any]:
    """Return an array that may lie on a device, here."""
    return array.get() if hasattr(array, "get") else np.asarray(array)


def free_bytes() -> int:
    """Return how much of the GPU's memory may be taken; ``QUIRE_GPU_MEMORY`` (bytes) sets a limit."""
    import cupy

    free = int(cupy.cuda.runtime.memGetInfo()[0]) + int(cupy.get_default_memory_pool().free_bytes())
    return min(free, int(float(os.environ.get("QUIRE_GPU_MEMORY", free))))


def rows_that_fit(X: Any) -> int:
    """Return how many rows of X may be on the GPU at once: all, if X fits as a whole."""
    n = int(X.shape[0])
    size = X.nbytes if isinstance(X, np.ndarray) else _BYTES_A_VALUE * int(X.nnz) + 32 * sum(X.shape)
    room = _MOST * free_bytes()
    return n if size <= room else max(1, int(n * room / size))


@contextmanager
def full_device_explained(what: str) -> Iterator[None]:
    """Turn CuPy's report of a full device into a sentence with a remedy."""
    from cupy.cuda.memory import OutOfMemoryError

    try:
        yield
    except OutOfMemoryError as error:
        raise ValueError(
            f"{what} does not fit into the GPU's memory: ask for fewer topics, use float32, or device='cpu'."
        ) from error


class Messenger:
    """Brings small arrays to the device and back through memory that the device reads directly."""

    def __init__(self) -> None:
        import cupy

        self._cupy: Any = cupy
        self._held: dict[tuple[Any, ...], tuple[Any, NDArray[Any]]] = {}

    def _pair(self, name: str, shape: tuple[int, ...], dtype: Any) -> tuple[Any, NDArray[Any]]:
        """Return an array on the device and one here, used again for the next of that name and shape."""
        key = (name, shape, np.dtype(dtype))
        if key not in self._held:
            size = int(np.prod(shape))
            pinned = self._cupy.cuda.alloc_pinned_memory(max(size, 1) * np.dtype(dtype).itemsize)
            here = np.frombuffer(pinned, dtype, size).reshape(shape)
            self._held[key] = self._cupy.empty(shape, dtype), here
        return self._held[key]

    def there(self, name: str, array: NDArray[Any]) -> Any:
        """Copy to the device; the copy lives until the next of that name and shape."""
        device, here = self._pair(name, array.shape, array.dtype)
        here[...] = array
        device.set(here)
        return device

    def room(self, name: str, shape: tuple[int, ...]) -> Any:
        """Return float64 on the device for kernels to write to."""
        return self._pair(name, shape, np.float64)[0]

    def back(self, device: Any) -> Small:
        """Copy from the device once all before it is done."""
        _, here = self._pair("back", device.shape, device.dtype)
        device.get(out=here)
        return np.array(here)
