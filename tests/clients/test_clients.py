"""Packages that take topic models, counts and documents: each does with ours what it does with scikit-learn's."""

import numpy as np
import pytest
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline

import quire
from quire import NMF, Counts, Weight

SKY, GAME = "moon planet orbit star sun comet", "goal team match cup league coach"
TEXTS = [" ".join(np.random.default_rng(i).permutation((SKY, GAME)[i % 2].split())[:4]) for i in range(60)]


@pytest.fixture(scope="module")
def fitted():
    counts = Counts()
    X = counts.fit_transform(TEXTS)
    return counts, X, NMF(2, random_state=0).fit(X)


def test_pyldavis(fitted):
    module = pytest.importorskip("pyLDAvis.lda_model")
    counts, X, model = fitted
    shown = module.prepare(model, X, counts, mds="pcoa", n_jobs=1)
    assert len(shown.topic_coordinates) == 2
    assert {"moon", "goal"} <= set(shown.token_table["Term"]) | set(shown.topic_info["Term"])


def test_topicwizard():
    pipelines = pytest.importorskip("topicwizard.pipeline")
    data = pipelines.make_topic_pipeline(Counts(), NMF(2, random_state=0)).prepare_topic_data(TEXTS)
    assert np.asarray(data["document_topic_matrix"]).shape == (60, 2)
    assert set(data["vocab"]) == set(SKY.split() + GAME.split())


def test_umap():
    umap = pytest.importorskip("umap")
    X = Weight().fit_transform(Counts().fit_transform(TEXTS))
    points = umap.UMAP(n_neighbors=5, random_state=0, metric="cosine", init="random").fit_transform(X)
    assert points.shape == (60, 2)
    assert np.isfinite(points).all()


def test_datamapplot(fitted):
    datamapplot = pytest.importorskip("datamapplot")
    pytest.importorskip("matplotlib").use("Agg")
    run = quire.cluster(TEXTS, 2, random_state=0)
    labels = np.array([f"topic {topic}" for topic in run.labels])
    points = run.memberships + np.random.default_rng(0).normal(0, 0.05, run.memberships.shape)
    figure, _ = datamapplot.create_plot(points, labels, use_medoids=False)
    assert figure is not None


def test_wordcloud(fitted):
    wordcloud = pytest.importorskip("wordcloud")
    counts, _, model = fitted
    weights = dict(zip(counts.get_feature_names_out(), model.components_[0]))
    assert wordcloud.WordCloud(width=200, height=100).generate_from_frequencies(weights).words_


def test_skops(fitted):
    io = pytest.importorskip("skops.io")
    counts, X, model = fitted
    stored = io.dumps(make_pipeline(counts, model))
    back = io.loads(stored, trusted=io.get_untrusted_types(data=stored))
    assert np.array_equal(back.transform(TEXTS), model.transform(X))


def test_joblib_and_loky(fitted, tmp_path):
    joblib = pytest.importorskip("joblib")
    counts, X, model = fitted
    joblib.dump((counts, model), tmp_path / "model.joblib")
    mine, topics = joblib.load(tmp_path / "model.joblib")
    assert np.array_equal(topics.transform(mine.transform(TEXTS)), model.transform(X))
    fits = joblib.Parallel(n_jobs=2)(
        joblib.delayed(NMF(2, random_state=0, n_jobs=1).fit_transform)(X) for _ in range(2)
    )
    assert np.array_equal(*fits)


def test_grid_search():
    pipe = make_pipeline(Counts(), Weight(), NMF(random_state=0, n_jobs=1))
    grid = {"counts__ngram_range": [(1, 1), (1, 2)], "counts__max_features": [5, None], "nmf__n_components": [2]}
    searched = GridSearchCV(pipe, grid, cv=2, scoring=lambda fitted, X: -fitted[-1].reconstruction_err_).fit(TEXTS)
    assert set(searched.best_params_) == set(grid)
    assert np.isfinite(searched.cv_results_["mean_test_score"]).all()


def test_datasets():
    datasets = pytest.importorskip("datasets")
    source = datasets.Dataset.from_dict({"text": TEXTS})
    assert list(quire.read_corpus(source).texts()) == TEXTS
    assert list(quire.read_corpus(source.to_iterable_dataset()).texts()) == TEXTS
    with pytest.raises(ValueError, match="several datasets"):
        quire.read_corpus(datasets.DatasetDict({"train": source, "test": source}))


def test_anndata(tmp_path):
    anndata, pandas = pytest.importorskip("anndata"), pytest.importorskip("pandas")
    counts = Counts()
    held = anndata.AnnData(counts.fit_transform(TEXTS).astype(np.float32))
    names = counts.terms_, [f"cell {i}" for i in range(60)]
    # Plain objects: AnnData does not write strings of Arrow, which pandas 3 makes where pyarrow is installed.
    held.var_names, held.obs_names = (pandas.Index(some, dtype=object) for some in names)
    held.write_h5ad(tmp_path / "cells.h5ad")
    backed = anndata.read_h5ad(tmp_path / "cells.h5ad", backed="r")
    for source in (held, backed):
        corpus = quire.read_corpus(source)
        assert corpus.vocabulary == counts.terms_
        assert corpus.documents["id"][0] == "cell 0"
        assert np.array_equal(corpus.counts.toarray(), held.X.toarray())
    assert np.array_equal(quire.read_corpus(backed.X).counts.toarray(), held.X.toarray())
    backed.file.close()


def test_pandas():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"text": TEXTS, "when": pandas.date_range("2024-01-01", periods=60)})
    assert list(quire.read_corpus(frame).texts()) == TEXTS
    assert (Counts().fit_transform(frame["text"]) != Counts().fit_transform(TEXTS)).nnz == 0
    named = NMF(2, random_state=0).set_output(transform="pandas").fit_transform(Counts().fit_transform(TEXTS))
    assert list(named.columns) == ["nmf0", "nmf1"]
