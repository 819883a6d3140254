"""Ask for known holes in the pinned dependencies, where that can be asked: ``python requirements/audit.py``.

It fails where a hole is known, and says a sentence where pip-audit is not installed or advisories cannot be reached.
"""

from __future__ import annotations

import json
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

LOCKS = ("dev.lock", "bench.lock", "clients.lock")
_SECONDS = 300


def main() -> int:
    """Audit the locks; 1 where a hole is known."""
    if find_spec("pip_audit") is None:
        print("Dependencies were not audited: pip-audit is not installed (pip install pip-audit).")
        return 0
    return max([_audited(Path(__file__).parent / name) for name in LOCKS])


def _audited(lock: Path) -> int:
    command = [sys.executable, "-m", "pip_audit", "--disable-pip", "--require-hashes", "-r", str(lock)]
    command += ["--format", "json", "--progress-spinner", "off"]
    try:
        told = subprocess.run(command, capture_output=True, text=True, timeout=_SECONDS, check=False)
        dependencies = json.loads(told.stdout)["dependencies"]
    except (subprocess.TimeoutExpired, ValueError, KeyError, TypeError):  # it exits with 1 for this and for a hole
        dependencies = []
    looked_up = [one for one in dependencies if "skip_reason" not in one]  # an index without advisories knows none
    if not looked_up:
        print(f"{lock.name} was not audited: advisories cannot be reached from here.")
        return 0
    holes = [(one, hole) for one in looked_up for hole in one.get("vulns", [])]
    for one, hole in holes:
        mended = ", ".join(hole["fix_versions"]) or "none yet"
        print(f"{lock.name}: {one['name']} {one['version']} has {hole['id']}, mended in {mended}.")
    if not holes:
        print(f"{lock.name}: {len(looked_up)} of {len(dependencies)} dependencies looked up, no known hole.")
    return int(bool(holes))


if __name__ == "__main__":
    sys.exit(main())
