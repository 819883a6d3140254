"""Archives, read as the folder that they hold; nothing is unpacked to where their names lead."""

from __future__ import annotations

import io
import shutil
import tarfile
import tempfile
import zipfile
from pathlib import Path, PurePosixPath
from typing import IO, Any

from quire.corpus.content import opened_bytes
from quire.corpus.expansion import check_archive, check_size
from quire.corpus.formats.document import UnreadableError
from quire.corpus.formats.folder import Registry, read_holdings
from quire.corpus.formats.format import Format, Reading
from quire.corpus.formats.holdings import Holdings
from quire.corpus.request import OWN, Request
from quire.places.place import Place

ENDINGS = dict.fromkeys([".zip", ".tar", ".tgz", ".tbz2", ".tbz", ".txz"], "archive")
_HELD = 1 << 26  # bytes of a compressed tar file that are held in memory, and not in a file


def archives(formats: Registry) -> Format:
    """Return the format of archives, whose files may be of other formats."""

    def read(source: str | Path, request: Request, place: Place) -> Reading:
        holdings = _opened(Path(source))
        try:
            return read_holdings(holdings, formats(), request, place)
        finally:
            holdings.close()

    about = "as the folder that it holds; an archive inside it is not opened"
    return Format(read, ENDINGS, about=about, options=frozenset(OWN))


def _opened(path: Path) -> Holdings:
    with path.open("rb") as file:
        is_zip = file.read(2) == b"PK"
    try:
        return Zipped(path) if is_zip else Tarred(path)
    except Exception as error:  # damaged archives raise nearly anything
        damaged = ValueError(f"{path} is a damaged archive, or none: download or make it anew.")
        raise (error if str(error).startswith(str(path)) else damaged) from None


class _Archive:
    """The files of an archive by their names; what leads out of it, links and hidden files are not among them."""

    what = "archive"

    def __init__(self, path: Path, members: dict[str, Any]) -> None:
        self.name, self.members = str(path), members
        self.files = sorted((name for name in members if _is_read(name)), key=_as_in_a_folder)
        self.left = dict.fromkeys(filter(_leads_out, members), "its name leads out of the archive")


class Zipped(_Archive):
    """A ZIP archive, of which a member is decompressed when it is read."""

    def __init__(self, path: Path) -> None:
        check_archive(path, path.stat().st_size, str(path))
        self._file = zipfile.ZipFile(path)
        super().__init__(path, {one.filename: one for one in self._file.infolist() if not one.is_dir()})

    def read(self, name: str) -> bytes:
        """Return what a file holds."""
        member = self.members[name]
        if member.flag_bits & 1:
            raise UnreadableError("encrypted")
        try:
            return self._file.read(member)
        except Exception:  # damaged members raise nearly anything
            raise UnreadableError("damaged in the archive") from None

    def close(self) -> None:
        """Close the archive."""
        self._file.close()


class Tarred(_Archive):
    """A tar file, compressed or not."""

    def __init__(self, path: Path) -> None:
        size, self._spool = path.stat().st_size, _decompressed(path)
        self._file = tarfile.open(fileobj=self._spool, mode="r:", encoding="utf-8")  # noqa: SIM115 (it is closed)
        members = {one.name.removeprefix("./"): one for one in self._file if one.isreg() and not one.issparse()}
        check_size(sum(one.size for one in members.values()), size, str(path))
        super().__init__(path, members)

    def read(self, name: str) -> bytes:
        """Return what a file holds."""
        try:
            file = self._file.extractfile(self.members[name])
            raw = b"" if file is None else file.read()
        except Exception:  # damaged members raise nearly anything
            raise UnreadableError("damaged in the archive") from None
        if len(raw) < self.members[name].size:
            raise UnreadableError("damaged in the archive")
        return raw

    def close(self) -> None:
        """Close the archive, and let go of what was decompressed."""
        self._file.close()
        self._spool.close()


def _decompressed(path: Path) -> IO[bytes]:
    """Return a file that can be read at any place; how far it may expand was checked when it was opened."""
    with opened_bytes(path) as file:
        if isinstance(file, io.BufferedReader) and type(file.raw) is io.FileIO:
            return path.open("rb")
        spool: IO[bytes] = tempfile.SpooledTemporaryFile(_HELD)  # noqa: SIM115
        try:
            shutil.copyfileobj(file, spool)
            spool.seek(0)
        except BaseException:
            spool.close()
            raise
        return spool


def _leads_out(name: str) -> bool:
    return name.startswith("/") or ".." in PurePosixPath(name).parts


def _is_read(name: str) -> bool:
    """Say whether a name stays in the archive, and is none that a folder would hide."""
    hidden = (part.startswith(".") or part == "__MACOSX" for part in PurePosixPath(name).parts)
    return bool(name) and not _leads_out(name) and not any(hidden)


def _as_in_a_folder(name: str) -> list[tuple[bool, str]]:
    """Return by what names are sorted as in a folder: the files of a folder before the folders in it."""
    *above, last = PurePosixPath(name).parts
    return [*((True, one) for one in above), (False, last)]
