"""The same task with Quire, scikit-learn, gensim and BERTopic: topics of labelled documents, each in an environment.

``python benchmarks/beside_peers.py CORPUS.parquet TOOL --python ENVIRONMENT/bin/python`` prints one line of JSON: CPU
seconds and memory of the whole process (imports and reading with it), agreement with the classes, megabytes of the
environment. The tutorials that come from these programs have what it printed. CPU time is told, not seconds: it hardly
depends on what else a machine does.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
from pathlib import Path


def quire(texts: list[str], k: int, seed: int) -> list[int]:
    import quire

    return [int(topic) for topic in quire.cluster(texts, k, random_state=seed).labels]


def sklearn(texts: list[str], k: int, seed: int) -> list[int]:
    from sklearn.decomposition import NMF
    from sklearn.feature_extraction.text import TfidfVectorizer

    X = TfidfVectorizer(stop_words="english", min_df=2, max_df=0.95).fit_transform(texts)
    return [int(topic) for topic in NMF(k, random_state=seed, max_iter=500).fit_transform(X).argmax(axis=1)]


def gensim(texts: list[str], k: int, seed: int) -> list[int]:
    from gensim.corpora import Dictionary
    from gensim.models import LdaModel
    from gensim.parsing.preprocessing import STOPWORDS
    from gensim.utils import simple_preprocess

    words = [[word for word in simple_preprocess(text) if word not in STOPWORDS] for text in texts]
    dictionary = Dictionary(words)
    dictionary.filter_extremes(no_below=2, no_above=0.95)
    bags = [dictionary.doc2bow(one) for one in words]
    model = LdaModel(bags, k, dictionary, passes=10, random_state=seed)
    return [max(model.get_document_topics(bag), key=lambda pair: pair[1], default=(-1, 0))[0] for bag in bags]


def bertopic(texts: list[str], k: int, seed: int) -> list[int]:
    # Its default model of sentences has to be downloaded; its documentation offers this one where there is no network.
    from bertopic import BERTopic
    from sklearn.decomposition import TruncatedSVD
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.pipeline import make_pipeline
    from umap import UMAP

    places = make_pipeline(TfidfVectorizer(stop_words="english", min_df=2), TruncatedSVD(100, random_state=seed))
    umap = UMAP(n_neighbors=15, n_components=5, min_dist=0.0, metric="cosine", random_state=seed)
    topics, _ = BERTopic(embedding_model=places, umap_model=umap, nr_topics=k + 1).fit_transform(texts)
    return [int(topic) for topic in topics]


TOOLS = {"quire": quire, "sklearn": sklearn, "gensim": gensim, "bertopic": bertopic}


def work(tool: str, source: Path, seed: int) -> None:
    """Within the tool's environment: find topics and write them beside the texts."""
    given = json.loads(source.read_text("utf-8"))
    topics = TOOLS[tool](given["texts"], given["k"], seed)
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    seconds = sum(one.ru_utime + one.ru_stime for one in used)
    told = {"topics": topics, "cpu": seconds, "memory": max(one.ru_maxrss for one in used) / 1024}
    source.with_suffix(".told").write_text(json.dumps(told), "utf-8")


def measure(corpus: Path, tool: str, python: str, seed: int) -> dict[str, object]:
    """Let a tool work in its environment, and score what it found here."""
    import polars as pl
    from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score

    table = pl.read_parquet(corpus)
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "texts.json"
        source.write_text(json.dumps({"texts": table["text"].to_list(), "k": table["label"].n_unique()}), "utf-8")
        here = str(Path(__file__).resolve())
        subprocess.run([python, here, "--work", tool, str(source), str(seed)], check=True, stdout=subprocess.DEVNULL)
        told = json.loads(source.with_suffix(".told").read_text("utf-8"))
    labels, topics = table["label"].to_list(), told["topics"]
    prefix = subprocess.run([python, "-c", "import sys; print(sys.prefix)"], capture_output=True, text=True, check=True)
    files = (file for file in Path(prefix.stdout.strip()).rglob("*") if file.is_file() and file.suffix != ".pyc")
    return {
        "tool": tool, "corpus": corpus.stem, "seed": seed,
        "cpu_s": round(told["cpu"], 1), "memory_mb": round(told["memory"]),
        "nmi": round(float(normalized_mutual_info_score(labels, topics)), 3),
        "ari": round(float(adjusted_rand_score(labels, topics)), 3),
        "without_topic": round(sum(topic < 0 for topic in topics) / len(topics), 3),
        "environment_mb": round(sum(file.lstat().st_size for file in files) / 1e6),
    }  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("corpus", type=Path)
    parser.add_argument("tool", choices=TOOLS)
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    print(json.dumps(measure(given.corpus, given.tool, given.python, given.seed)))


if __name__ == "__main__":
    if sys.argv[1:2] == ["--work"]:
        work(sys.argv[2], Path(sys.argv[3]), int(sys.argv[4]))
    else:
        main()
