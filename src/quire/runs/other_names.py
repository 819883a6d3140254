"""What options are called in other tools: who types ``--min-df`` is told that it is ``--min-docs`` here."""

from __future__ import annotations

from collections.abc import Iterable

from quire.messages import meant

# Of scikit-learn, gensim, BERTopic, MALLET, spaCy, pandas, and what people try first.
OTHER_NAMES = {
    "topics": "n_topics num_topics nr_topics number_of_topics n_components num_components k n_clusters clusters",
    "stop_words": "stopwords stop_word stopword stoplist stop_list extra_stopwords extra_stop_words stop",
    "keep_words": "keepwords protect protected_words whitelist keep",
    "min_docs": "min_df mindf no_below min_documents min_doc_freq prune_rare",
    "max_share": "max_df maxdf no_above max_docs max_doc_freq",
    "min_count": "min_freq min_frequency min_term_freq min_tf",
    "language": "lang languages locale",
    "stem": "stemming stemmer lemmatize lemmas",
    "tokens": "tokenizer tokeniser analyzer token_pattern",
    "ngrams": "ngram ngram_range n_gram_range n_grams ngram_size",
    "seed": "random_state random_seed rng",
    "threads": "n_jobs jobs workers n_workers num_workers cores n_threads num_threads processes",
    "text": "text_column text_col column col body content field",
    "id": "id_column id_col index_col",
    "label": "label_column label_col labels classes target",
    "date": "date_column date_col dates timestamp timestamps time",
    "recipe": "model method algorithm algo",
    "memory": "max_memory mem ram",
    "encoding": "charset",
    "device": "gpu cuda use_gpu",
    "embeddings": "embedding vectors embedding_model",
    "out": "output output_dir outdir output_folder save save_to",
    "quiet": "silent no_progress",
    "replace": "overwrite force",
    "json": "as_json output_json",
}
_HERE = {other: name for name, others in OTHER_NAMES.items() for other in others.split()}


def known_here(name: str, known: Iterable[str]) -> str:
    """Return `` (did you mean …?)``: what other tools call so is called here, else the nearest name."""
    known = list(known)
    here = _HERE.get(name.lower().replace("-", "_").strip("_"))
    return f" (did you mean {here!r}?)" if here in known else meant(name, known)


def option_meant(message: str) -> str:
    """Return the message of a parser on an unknown option with the option that is called otherwise here."""
    unknown = message.partition("Unknown option: ")[2].split()
    typed = unknown[0].rstrip(".").partition("=")[0].strip("\"'") if unknown else ""
    here = _HERE.get(typed.strip("-").lower().replace("-", "_"))
    return f"Unknown option: {typed}. Did you mean --{here.replace('_', '-')}?" if here else message
