"""What a run takes is told before anything is read."""

from tables import N, table_of, texts_of, written

from quire.runs.need import need_of
from quire.runs.options import Options


def test_the_need_is_told_before_anything_is_read(tmp_path):
    texts = texts_of()
    size = sum(len(text) for text in texts)
    written(table_of(), tmp_path / "a.parquet")
    written(table_of(), tmp_path / "a.csv")
    (tmp_path / "a.txt").write_text("\n".join(texts))
    folder = tmp_path / "folder"
    folder.mkdir()
    for i, text in enumerate(texts):
        (folder / f"{i}.txt").write_text(text)
    for source in (texts, table_of(), tmp_path / "a.parquet", tmp_path / "a.txt", folder):
        need = need_of(source, Options(topics=5))
        assert abs(need.documents - N) <= 1, source
        assert size - N <= need.text_bytes <= size + N, source
    need = need_of(tmp_path / "a.csv", Options(topics=5))
    assert need.documents in (N, N + 1)
    assert need.text_bytes == (tmp_path / "a.csv").stat().st_size
    assert need_of(tmp_path / "nothing.csv", Options()).documents == 0
    larger = need_of(tmp_path / "a.parquet", Options(topics=50))
    assert need_of(tmp_path / "a.parquet", Options(topics=5)).memory < larger.memory
