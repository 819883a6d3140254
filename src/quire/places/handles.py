"""Files that cannot be opened since too many are: said in a sentence, wherever that is."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from contextlib import contextmanager

NONE_LEFT = (errno.EMFILE, errno.ENFILE)


@contextmanager
def enough_handles() -> Iterator[None]:
    """Say what to do where no file can be opened any more; other errors are left as they are."""
    try:
        yield
    except OSError as error:
        if error.errno in NONE_LEFT:
            raise OSError("Too many files are open: close some, or raise the limit (ulimit -n).") from None
        raise
