"""The methods of a run by which it is looked at, in a notebook above all.

What is drawn stands above the runs (:mod:`quire.pages`): a run asks the root of the package for it, by name.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from quire.messages import counted
from quire.runs.html import run_html
from quire.runs.named import named_documents
from quire.runs.ranks import typicality_ranks
from quire.runs.topic_view import TopicView, checked_topic

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# What other parts of Quire ask a run for: they can be called, but nobody needs to be offered them.
_MACHINERY = frozenset({
    "assign_counts", "guessed_classes", "heard", "memberships_of", "nearest_topics", "novelty", "others", "recounted",
    "silent", "totals", "updates",
})  # fmt: skip


class Showing:
    """What can be looked at."""

    documents: pl.DataFrame
    topics: pl.DataFrame
    recipe: Any

    def topic(self, number: int) -> TopicView:
        """Return one topic: name, words, a passage to quote, documents to read. A notebook shows it as a card.

        Parameters
        ----------
        number : int
            The topic.

        Examples
        --------
        >>> import quire
        >>> texts = ["the moon orbits", "a moon in orbit", "goal and team", "team goal"]
        >>> quire.cluster(texts, 2, random_state=0).topic(0).size
        2
        """
        return TopicView.of(self, number)

    def documents_of(self, topic: int) -> pl.DataFrame:
        """Return the documents of a topic, the most typical first.

        Parameters
        ----------
        topic : int
            The topic; −1 for documents that have none.

        Examples
        --------
        >>> import quire
        >>> texts = ["the moon orbits", "a moon in orbit", "goal and team", "team goal"]
        >>> len(quire.cluster(texts, 2, random_state=0).documents_of(0))
        2
        """
        if topic != -1:
            checked_topic(self, topic)
        own = np.flatnonzero(self.documents["topic"].to_numpy() == topic)
        return self.documents[own[np.argsort(typicality_ranks(self)[own])]]

    def search(self, words: str, limit: int = 50) -> pl.DataFrame:
        """Return the documents in which all of these words occur, best first: id, title, topic, its name, a passage.

        Every word of the texts, titles and ids is found, also those that the fit leaves out; "in quotes" they must
        stand side by side, and the last one may be the beginning of a word. The first search reads all texts once.

        Parameters
        ----------
        words : str
            What to look for.
        limit : int, default=50
            How many documents, 200 at the most.

        Examples
        --------
        >>> import quire
        >>> texts = ["the moon orbits", "a moon in orbit", "goal and team", "team goal"]
        >>> quire.cluster(texts, 2, random_state=0).search("moon")["id"].to_list()
        ['1', '2']
        """
        from quire import _view

        found: pl.DataFrame = _view("found_documents")(self, words, limit)
        return found

    def to_pandas(self) -> Any:
        """Return the documents as a data frame of pandas, with the ``name`` of each one's topic.

        Examples
        --------
        >>> import quire
        >>> texts = ["the moon orbits", "a moon in orbit", "goal and team", "team goal"]
        >>> quire.cluster(texts, 2, random_state=0).to_pandas().groupby("topic").size().to_list()
        [2, 2]
        """
        try:
            pd: Any = import_module("pandas")
        except ImportError:
            raise ImportError(
                "Data frames of pandas need pandas, which is not installed: pip install pandas."
            ) from None
        return pd.DataFrame({column.name: column.to_numpy() for column in named_documents(self)})

    def page(self, height: int = 720, limit: float = 10, **shown: Any) -> Any:
        """Show the page in a cell of a notebook; it is kept there, and needs no network.

        :func:`quire.page` writes it to a file.

        Parameters
        ----------
        height : int, default=720
            Of the cell, in pixels.
        limit : float, default=10
            Megabytes that the page may have, and so the notebook; what does not fit is left out, and the page says so.
        **shown
            ``title``, ``choice``, ``other`` and ``layout``, as for :func:`quire.page`.
        """
        from quire import _view

        return _view("page_in_cell")(self, height, limit, **shown)

    def topics_plot(self, topics: int = 20, words: int = 6) -> Figure:
        """Return a figure of the topics: a bar each, as long as it is large, with its name and words.

        Parameters
        ----------
        topics : int, default=20
            How many, the largest first.
        words : int, default=6
            How many words of each.
        """
        from quire import _view

        figure: Figure = _view("topics_figure")(self, topics, words)
        return figure

    def stream(self, topics: int = 12) -> Figure:
        """Return a figure of topics over time: a band each, as wide as it has documents. It needs dates.

        Parameters
        ----------
        topics : int, default=12
            How many bands, the largest first; the others are one grey band.
        """
        from quire import _view

        figure: Figure = _view("stream_figure")(self, topics)
        return figure

    def map(self, layout: str = "topics", names: int = 30) -> Figure:
        """Return a figure in which every document is a point, near those that are like it, as on the page.

        Parameters
        ----------
        layout : {"topics", "tsne"}
            As for :func:`quire.page`.
        names : int, default=30
            How many topics are named, the largest first; a name that would cover another one is left out.
        """
        from quire import _view

        figure: Figure = _view("map_figure")(self, layout, names)
        return figure

    def __repr__(self) -> str:
        many = f"{counted(len(self.documents), 'document')}, {counted(len(self.topics), 'topic')}"
        return f"<Run: {many}, recipe {self.recipe.name}>"

    def _repr_html_(self) -> str:
        return run_html(self)

    def __dir__(self) -> list[str]:
        return [name for name in super().__dir__() if name not in _MACHINERY]
