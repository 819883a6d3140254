"""The update rules that an estimator takes by name: a new one is its own file here, and a line below."""

from __future__ import annotations

from collections.abc import Callable

from quire.engine.rules.hals import Anls, Hals
from quire.engine.rules.mu import Mu
from quire.engine.rules.rule import Penalty, Rule

# For ½‖X − WH‖² and a penalty on W and on H, by the name that ``solver`` has.
SOLVERS: dict[str, Callable[[Penalty, Penalty], Rule]] = {
    "hals": Hals,
    "cd": Hals,  # as scikit-learn calls it
    "mu": Mu,
    "anls": Anls,
}
