"""Problems that several tests share: sparse matrices, texts of plain themes, rules, and the command line."""

import io
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import strategies as st
from scipy.special import rel_entr, xlogy

import quire
from quire.backends.gpu.device import why_no_gpu
from quire.cli.app import main
from quire.engine.rules.beta import Beta, Em
from quire.engine.rules.hals import Anls, Hals
from quire.engine.rules.mu import Mu
from quire.engine.rules.ppc import Posterior
from quire.engine.rules.rule import Penalty
from quire.engine.rules.simplex import Rri
from quire.engine.rules.single import Single
from quire.engine.rules.soft import Soft
from quire.engine.rules.sppc import Both
from quire.places.memory import MemoryPlace
from quire.runs.pipeline import gather
from quire.text.phrases import Phrases, may_have_phrases, phrases_among, sample_step, sampled_texts


def random_sparse(n, d, density=0.2, dtype=np.float64, seed=0, index=np.int32):
    """Non-negative CSR with Zipf-like columns, and at least one entry."""
    rng = np.random.default_rng(seed)
    popularity = 1 / (1 + np.arange(d))
    mask = rng.random((n, d)) < np.minimum(1, density * d * popularity / popularity.sum())
    mask[rng.integers(n), rng.integers(d)] = True
    X = sp.csr_array(np.where(mask, rng.gamma(2.0, 1.0, (n, d)), 0).astype(dtype))
    X.indices, X.indptr = X.indices.astype(index), X.indptr.astype(index)
    return X


def squared_error(X, W, H):
    """‖X − WH‖² in float64."""
    X = X.toarray() if sp.issparse(X) else X
    return float(np.sum((X.astype(np.float64) - W.astype(np.float64) @ H.astype(np.float64)) ** 2))


@st.composite
def problems(draw, min_size=1, max_rows=40, max_columns=30, max_k=12, densities=(0.05, 0.3, 0.9)):
    """A sparse matrix, a number of topics and a random start."""
    n, d = draw(st.integers(min_size, max_rows)), draw(st.integers(min_size, max_columns))
    k = draw(st.integers(1, max_k))
    dtype = draw(st.sampled_from([np.float32, np.float64]))
    seed = draw(st.integers(0, 2**16))
    X = random_sparse(n, d, draw(st.sampled_from(densities)), dtype, seed)
    rng = np.random.default_rng(seed + 1)
    return X, rng.random((n, k)).astype(dtype), rng.random((k, d)).astype(dtype)


# No exact fit and no topic that dies, where rounding alone would decide what happens next.
well_posed = problems(min_size=12, max_k=3, densities=(0.5, 0.9))


THEMES = {
    "space": "orbit moon rocket nasa launch shuttle satellite lunar mission astronaut",
    "sport": "goal team season player league coach match score hockey stadium",
    "food": "bread oven flour butter recipe sugar yeast dough kitchen bake",
}


def stories(n=90, seed=0):
    """Texts of three plain themes, with their labels."""
    rng = np.random.default_rng(seed)
    labels = [list(THEMES)[i % 3] for i in range(n)]
    texts = [" ".join(rng.choice(THEMES[t].split(), 12)) + f" the story {i}" for i, t in enumerate(labels)]
    return texts, labels


PLAIN = {"name": "plain", "factorization": {"method": "NMF"}}  # one run, unless a test makes it several


def several(monkeypatch, m=20, strayed=0.1):
    """Make NMF tell of runs, each with its own numbers for the topics and some documents elsewhere."""
    fit = quire.NMF.fit_transform

    def fit_transform(self, X, *arguments, **named):
        W = fit(self, X, *arguments, **named)
        rng, k, runs = np.random.default_rng(0), self.n_components_, np.tile(self.labels_, (m, 1))
        runs = np.where((rng.random(runs.shape) < strayed) & (runs >= 0), rng.integers(k, size=runs.shape), runs)
        self.runs_ = np.array([np.append(rng.permutation(k), -1)[run] for run in runs])
        return W

    monkeypatch.setattr(quire.NMF, "fit_transform", fit_transform)


def mixed_stories():
    """Stories of three themes, an empty one, and some that are of two themes."""
    texts, labels = stories(60)
    for i in range(6, 12):
        texts[i] += " " + texts[i + 1]
    texts[4] = ""
    return texts, labels


MAIN = [sys.executable, "-c", "from quire.cli.app import main; main()"]


def said(*arguments, columns="80", cwd=None, input=None, env=None):
    """Run the command in this process and return what it said; ``said_apart`` has one of its own."""
    streams = {name: io.TextIOWrapper(io.BytesIO(), "utf-8") for name in ("stdout", "stderr")}
    streams["stdin"] = io.TextIOWrapper(io.BytesIO((input or "").encode()), "utf-8")
    around, here, code = {"COLUMNS": columns, "NO_COLOR": "1"} | (env or {}), Path.cwd(), 0
    with pytest.MonkeyPatch.context() as patch:
        for name, value in around.items():
            patch.setenv(name, value)
        for name, stream in streams.items():
            patch.setattr(sys, name, stream)
        patch.setattr(sys, "argv", ["quire", *map(str, arguments)])
        os.chdir(cwd or here)
        try:
            main()
        except SystemExit as end:
            code = end.code or 0
        finally:
            os.chdir(here)
    texts = {}
    for name in ("stdout", "stderr"):
        streams[name].flush()
        texts[name] = streams[name].buffer.getvalue().decode()
    return subprocess.CompletedProcess(arguments, code, **texts)


def said_apart(*arguments, columns="80", cwd=None, input=None, env=None):
    """Run the command in a process of its own and return what it said."""
    return subprocess.run(
        [*MAIN, *map(str, arguments)], capture_output=True, text=True, cwd=cwd, input=input, check=False,
        env=os.environ | {"COLUMNS": columns, "NO_COLOR": "1"} | (env or {}), timeout=120,
    )  # fmt: skip


def one_sentence(found, *words):
    """Assert that the command refused with one line and exit code 2."""
    assert found.returncode == 2, found.stderr + found.stdout
    assert "Traceback" not in found.stderr
    assert found.stderr.startswith("quire: ")
    assert len(found.stderr.strip().splitlines()) == 1, found.stderr
    for word in words:
        assert word in found.stderr


def mixture(k, seed, n=1000, d=500):
    """kim2008 §4.2: k Gaussians that share no dimension, negative values cut off."""
    rng = np.random.default_rng(seed)
    means = np.zeros((k, d))
    means[rng.integers(k, size=d), np.arange(d)] = rng.integers(1, 4, size=d)
    classes = np.arange(n) % k
    noise = np.sqrt(0.3) * rng.standard_normal((n, d)) * (means[classes] > 0)
    return np.maximum(means[classes] + noise, 0), classes


L1, BOTH, SPARSE, RIDGE = Penalty(l1=0.1), Penalty(0.2, 0.3), Penalty(square=0.5), Penalty(l2=2.0)

RULES = {
    "hals": lambda: Hals(BOTH, L1),
    "hals sparse": lambda: Hals(SPARSE, RIDGE),
    "mu": Mu,
    "mu penalised": lambda: Mu(BOTH, L1),
    "mu sparse": lambda: Mu(SPARSE, RIDGE),
    "anls": Anls,
    "anls penalised": lambda: Anls(BOTH, L1),
    "anls sparse": lambda: Anls(SPARSE, RIDGE),
    "kl": Beta,
    "kl penalised": lambda: Beta(BOTH, L1),
    "is": lambda: Beta(beta=0),
    "is penalised": lambda: Beta(BOTH, L1, beta=0),
    "plsi": Em,
    "simplex": lambda: Rri(L1),
    "simplex of 3": lambda: Rri(size=3.0),
    "nnl2": lambda: Rri(L1, constraint="nnl2"),
    "free": lambda: Rri(L1, constraint="free"),
    "ppc": Posterior,
    "ppc printed": lambda: Posterior(exact=False),
    "sppc": Both,
    "sppc printed": lambda: Both(exact=False),
    "means": Single,
    "directions": lambda: Single("directions"),
    "orthogonal": lambda: Single("orthogonal"),
    "soft": lambda: Soft(0.3),
}


def objective(rule, X, W, H):
    """What the rule says it minimises, written out in float64."""
    A, W, H = (F.toarray().astype(float) if sp.issparse(F) else F.astype(float) for F in (X, W, H))
    Y = W @ H
    if isinstance(rule, Beta):
        Z = np.maximum(Y, 1e-30)
        value = (rel_entr(A, Z) - A + Y).sum() if rule.beta else (A / Z - np.log(A / Z) - 1).sum()
    elif isinstance(rule, Soft):
        distances = (A**2).sum(axis=1)[:, None] - 2 * A @ H.T + (H**2).sum(axis=1)
        value = 0.5 * np.sum(W * distances) + xlogy(W, W).sum() / rule.stiffness
    else:
        value = 0.5 * np.sum((A - Y) ** 2)
    for penalty, F in ((getattr(rule, "W", Penalty()), W), (getattr(rule, "H", Penalty()), H)):
        value += penalty.l1 * F.sum() + penalty.l2 * np.sum(F**2) / 2
        value += penalty.square * np.sum(F.sum(axis=1) ** 2) / 2
    return value


def planted(sizes, d=40, words=12, seed=0, common=0.3):
    """Return log counts of documents with a topic each, and their topics; some words are of all topics."""
    rng = np.random.RandomState(seed)
    k, labels = len(sizes), np.repeat(np.arange(len(sizes)), sizes)
    terms = rng.dirichlet(np.full(d, 0.08), size=k) * (1 - common) + common * rng.dirichlet(np.ones(d))
    counts = np.array([rng.multinomial(words + rng.poisson(words), terms[t]) for t in labels])
    return sp.csr_array(np.log1p(counts).astype(np.float32)), labels


def themed(n_topics=5, each=120, seed=0):
    """Texts of several subjects, some of them about two."""
    rng = np.random.default_rng(seed)
    texts = []
    for i in range(n_topics * each):
        own, other = i % n_topics, int(rng.integers(n_topics))
        mixed = rng.random() < 0.2
        words = [f"word{other if mixed and j % 3 == 0 else own}x{rng.integers(30)}" for j in range(20)]
        texts.append(" ".join(words))
    return texts


on_gpu = pytest.mark.skipif(bool(why_no_gpu()), reason=why_no_gpu() or "a GPU is there")
TOLERANCE = {np.float32: 2e-4, np.float64: 1e-10}
SIDES = [("W", "H"), ("H", "W")]
types = pytest.mark.parametrize("dtype", [np.float32, np.float64])
widths = pytest.mark.parametrize("k", [1, 2, 3, 16, 33, 64, 100, 257, 512])


def sparse(n=1500, d=70, dtype=np.float64, seed=0):
    """Rows and columns without entries, and one column that nearly every row has."""
    rng = np.random.default_rng(seed)
    X = sp.random_array((n, d), density=0.15, rng=rng, dtype=np.float64).toarray()
    X[:, 5] = rng.random(n) + 0.1
    X[[0, 7, n - 1]] = 0
    X[:, [2, d - 1]] = 0
    return sp.csr_array(X.astype(dtype))


def problem(k, dtype, n=None, d=70):
    """X and factors with a row of zeros each; one column has more entries than a piece of a long row."""
    n = n or (1500 if k <= 100 else 600)  # the reference is slow
    X = sparse(n, d, dtype, seed=k)
    rng = np.random.default_rng(k + 1)
    factors = {"W": rng.random((n, k)).astype(dtype), "H": rng.random((d, k)).astype(dtype)}
    factors["W"][3], factors["H"][4] = 0, 0
    return X, factors


def close(found, wanted, tolerance):
    """Compare beside the largest number."""
    scale = max(1.0, float(np.abs(wanted).max(initial=0)))
    np.testing.assert_allclose(found, wanted, rtol=tolerance, atol=tolerance * scale)


def steady(G):
    """Make G well conditioned, lest a rounding error grow from topic to topic."""
    return G + 0.3 * np.trace(G) / len(G) * np.eye(len(G))


def run_in_memory(source, options, stages=None, **how):
    """A run, made in memory whatever its size."""
    return gather(source, options, MemoryPlace(), stages, **how).run()


def run_at(place, source, options, out, stages=None, **how):
    """The folder of a run whose parts lie at a place."""
    return gather(source, options, place, stages, **how).write(out)


def find_phrases(texts, counts):
    """Find the phrases of a Series of texts, in a sample as that of a corpus."""
    if texts is None or not may_have_phrases(counts):
        return Phrases.none()
    step = sample_step(len(texts), int(texts.str.len_bytes().sum()))
    return phrases_among(sampled_texts(texts, step), np.arange(0, len(texts), step), counts)
