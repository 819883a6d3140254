"""``quire --install-completion``: the shell completes commands and options."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from cyclopts import App, Parameter

_SHELL = "bash, zsh or fish [default: the one that runs]"


def add_completion(app: App) -> None:
    """Give an app the command that installs its completion."""

    def install_completion(
        *, shell: Annotated[Literal["bash", "zsh", "fish"] | None, Parameter(help=_SHELL, show_choices=False)] = None
    ) -> None:
        """Let the shell complete commands and options of quire."""
        install: Any = getattr(app, "install_completion", None)
        if install is None:
            raise ValueError("Completion needs cyclopts 4 or newer: pip install --upgrade cyclopts.")
        from cyclopts.completion.detect import ShellDetectionError

        try:
            script = install(shell=shell, add_to_startup=True)
        except ShellDetectionError:
            raise ValueError("Which shell runs could not be told: name it with --shell bash, zsh or fish.") from None
        print(f"Completion is in {script}; open a new shell to use it.")

    app.command(install_completion, name="--install-completion")
