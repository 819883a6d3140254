"""The tree of a run that is there already, and runs that are cut from it."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from quire.messages import Update
from quire.methods.ensemble.estimator import Ensemble
from quire.runs import tongues
from quire.runs.asked import Asked
from quire.runs.cut import Describer, is_of_lost_topics
from quire.runs.fit import seen_to_choose, settled_from
from quire.runs.hearing import heard_sample
from quire.runs.history import renumbered
from quire.runs.materials import Materials, materials_of
from quire.runs.options import Options, merged
from quire.runs.seeding import retold
from quire.runs.tree import Tree
from quire.runs.tree_nodes import tree_of
from quire.runs.words import sample_of

# of run.json: which other cuts a run has, and what people said of its topics
_OF_CUTS = ("also", "cuts", "chosen", "given")


def grown_tree(
    run: Asked, leaves: int | None = None, counts: Any = None, update: Update = lambda done, total: None
) -> Tree:
    """Return the tree of a run, grown anew: the same that it would have been made with."""
    if leaves is not None and leaves < 1:
        raise ValueError(f"leaves={leaves} must be a whole number of at least 1.")
    made = materials_of(run, counts)
    X, labels = seen_to_choose(made.X, made.terms, run.recipe), run.documents["topic"].to_numpy().astype(np.intp)
    how = (run.info["seed"], leaves, run.info["options"].get("threads"), update)
    return tree_of(X, made.terms.matrix, labels, run.H, run.words, *how)


def cut_parts(run: Asked, tree: Tree, k: int, counts: Any = None) -> dict[str, Any]:
    """Return what is otherwise of a run whose topics begin as the k nodes at which a tree is cut."""
    if not isinstance(run.estimator, Ensemble):
        raise ValueError(
            f"Topics of the recipe {run.recipe.name} cannot be cut from a tree, those of the default recipe can: "
            f"make another run with --topics {k}."
        )
    labels, made, options = tree.cut(k).labels, materials_of(run, counts), merged(run.info["options"])
    estimator, W = settled_from(run.estimator, made.X, made.terms.matrix, labels, run.recipe, options)
    cut = _describer(run, made, options).cut(estimator, W, k, None)
    estimator.memberships_ = np.asarray(estimator.memberships_)
    before = run.documents["topic"].to_numpy()
    now = _became(before, np.asarray(cut.description.labels))
    info = cut.info | {"history": renumbered(run.info["history"], now)} if run.info.get("history") else cut.info
    if run.info.get("seeds"):
        info = info | {"seeds": retold(run.info["seeds"], now, before, cut.description, made.corpus, made.terms)}
    return {
        "documents": run.documents.with_columns(pl.concat(cut.columns())), "topics": cut.description.topics,
        "timeline": cut.timeline, "W": np.asarray(W), "H": estimator.components_, "estimator": estimator,
        "info": info, "X": made.X.whole(), "novelty": cut.novelty,
    }  # fmt: skip


def _became(before: NDArray[Any], after: NDArray[Any]) -> dict[int, int]:
    """Return for each topic that had documents the one that has most of them now."""
    both = before[(before >= 0) & (after >= 0)], after[(before >= 0) & (after >= 0)]
    return {int(topic): int(np.bincount(both[1][both[0] == topic]).argmax()) for topic in np.unique(both[0])}


def _describer(run: Asked, made: Materials, options: Options) -> Describer:
    sentences = tongues.renumbered(run.info["corpus"]["sentences"], {})
    told = [one for one in sentences if not is_of_lost_topics(one)]
    info = {name: value for name, value in run.info.items() if name not in _OF_CUTS}
    info |= {"corpus": info["corpus"] | {"sentences": told}, "cut_from": len(run.H)}
    corpus, terms = made.corpus, made.terms
    return Describer(corpus, sample_of(corpus, terms), heard_sample(corpus, terms), terms, run.weight, options, info)
