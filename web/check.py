"""Check the page: types, unit tests, that the committed build is that of its source, and a real browser.

``--lint`` looks at its style alone, and ``--format`` mends what can be mended by itself.

Says loudly what it leaves out where Node.js or a browser is missing, which is a failure only with
``QUIRE_BROWSER=required``.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

WEB = Path(__file__).resolve().parent
BUILT = WEB.parent / "src" / "quire" / "pages" / "app.html"
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
LEAST_NODE = (20, 19)


def main() -> None:
    """Do what is asked for."""
    parser = argparse.ArgumentParser(description="Check the page, or its style alone.")
    one = parser.add_mutually_exclusive_group()
    one.add_argument("--lint", action="store_true", help="run the linter, and see that all is formatted")
    one.add_argument("--format", action="store_true", help="let the linter rewrite the files")
    asked = parser.parse_args()
    if asked.lint:
        if installed("The linter of the page"):
            run("npx", "biome", "check", "--error-on-warnings")
    elif asked.format:
        if installed("The formatter of the page"):
            run("npx", "biome", "check", "--write")
    elif installed("The tests of the page"):
        test()


def test() -> None:
    """Check what this machine can check."""
    run("npx", "tsc", "--noEmit")
    run("npx", "vitest", "run", "--project", "unit")
    compare_build()
    browser = os.environ.get("QUIRE_CHROMIUM") or next(filter(None, map(shutil.which, BROWSERS)), None)
    if browser is None:
        leave_out("The browser tests", "there is no Chromium: install it, or name one with QUIRE_CHROMIUM")
        return
    names = {"QUIRE_CHROMIUM": browser, "QUIRE_PYTHON": sys.executable}
    run("npx", "vitest", "run", "--project", "browser", **names)


def installed(what: str) -> bool:
    """Install what the lock file names where it is not yet; say what is left out where that cannot be."""
    reason = missing_node()
    if reason is None and (not (WEB / "node_modules").is_dir() or stale()):
        command = ["npm", "ci", "--no-audit", "--no-fund", "--loglevel=error"]
        if subprocess.run(command, cwd=WEB).returncode:
            reason = "`npm ci` could not install what it needs"
    if reason is not None:
        leave_out(what, reason)
    return reason is None


def missing_node() -> str | None:
    """Say why Node.js cannot be used; None where it can."""
    if not shutil.which("node") or not shutil.which("npm"):
        return "there is no Node.js: install version 20.19 or newer, with npm"
    said = subprocess.run(["node", "--version"], capture_output=True, text=True, check=True).stdout
    version = tuple(int(part) for part in re.findall(r"\d+", said)[:2])
    return None if version >= LEAST_NODE else f"Node.js is {said.strip()}: install version 20.19 or newer"


def stale() -> bool:
    """Say whether other packages are installed than the lock file names."""
    installed = WEB / "node_modules" / ".package-lock.json"
    return not installed.exists() or installed.stat().st_mtime < (WEB / "package-lock.json").stat().st_mtime


def compare_build() -> None:
    """Fail where building from source does not give the committed file."""
    with tempfile.TemporaryDirectory() as folder:
        run("npx", "vite", "build", "--logLevel", "warn", "--outDir", folder, "--emptyOutDir")
        if (Path(folder) / "index.html").read_bytes() != BUILT.read_bytes():
            sys.exit(f"{BUILT.name} is not what web/ builds: run `make page` and commit it.")


def run(*command: str, **environment: str) -> None:
    """Run a command in web/; end with its exit code where it fails."""
    print(f"$ {' '.join(command)}", flush=True)
    done = subprocess.run(command, cwd=WEB, env=os.environ | environment)
    if done.returncode:
        sys.exit(done.returncode)


def leave_out(what: str, reason: str) -> None:
    """Say it so that nobody misses it; fail where it was required."""
    print(f"\n{'!' * 80}\n{what} did NOT run: {reason}.\n{'!' * 80}\n", file=sys.stderr)
    if os.environ.get("QUIRE_BROWSER") == "required":
        sys.exit(1)


if __name__ == "__main__":
    main()
