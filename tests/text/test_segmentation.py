"""Words of texts that have no spaces: by what is installed, else pairs of characters."""

import threading

import pytest

from quire import Counts
from quire.text import segmentation
from quire.text.segmentation import about_pairs, apart, language_of_script, segmented, segmenters_here, written_together
from quire.text.spelling import Spelling

installed = pytest.mark.skipif(len(segmenters_here()) < 2, reason="the extra cjk is not installed")
BOTH = Spelling(normal=True, segmenters=("jieba", "icu"))
PAIRS = Spelling(normal=True)


@installed
@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("科学家使用Python研究人工智能，2020年。", ["科学家", "使用", "python", "研究", "人工智能", "2020"]),
        ("臺灣科學家發現新的電腦", ["臺灣", "科學家", "發現", "新的", "電腦"]),  # traditional
        ("東京で量子コンピュータが発見された", ["東京", "量子", "コンピュータ", "発見"]),
        ("ﾊﾟｿｺﾝの画面", ["パソコン", "画面"]),  # half-width
        ("วันนี้อากาศดี", ["วัน", "นี้", "อากาศ", "ดี"]),
        ("ມື້ນີ້ອາກາດດີ", ["ມື້ນີ້", "ອາກາດ", "ດີ"]),
        ("ថ្ងៃនេះអាកាសធាតុល្អ", ["ថ្ងៃនេះ", "អាកាសធាតុ", "ល្អ"]),
        ("ကွန်ပျူတာအသစ်", ["ကွန်ပျူတာ", "အသစ်"]),
        ("𠮷野家で飲む", ["飲む"]),  # a character of two units
    ],
)
def test_words_are_found(text, words):
    found = BOTH.words(text)
    assert [word for word in words if word not in found] == []
    assert all(len(word) < 12 for word in found)


@installed
def test_what_was_read_before_changes_nothing():
    """ICU cuts some words otherwise once a dictionary has been loaded: it is, before anything is cut."""
    found = []

    def read():
        found.append(segmented("ージョン ーーーー", ("icu",)))
        segmented("たっ วันนี้ 中国", ("icu",))
        found.append(segmented("ージョン ーーーー", ("icu",)))

    for _ in range(2):  # each thread begins anew
        thread = threading.Thread(target=read)
        thread.start()
        thread.join()
    assert len(set(found)) == 1


def test_pairs_stand_for_words_where_nothing_finds_them():
    assert PAIRS.words("使用Python研究人工智能。") == ["使用", "python", "研究", "究人", "人工", "工智", "智能"]
    assert PAIRS.words("我 ok") == ["ok"]
    assert PAIRS.words("ที่นี่") == ["ที่นี่"]  # two letters, each with its marks


def test_pairs_are_no_neighbours():
    signs = PAIRS.words_and_signs("人工智能")
    assert [sign for sign in signs if len(sign) > 1] == ["人工", "工智", "智能"]
    assert all(len(signs[i]) == 1 for i in (1, 3))


def test_a_sentence_says_what_would_be_better():
    [sentence] = about_pairs(["人工", "moon"], ())
    assert "quire-topics[cjk]" in sentence
    assert "Thai" not in sentence
    assert "Thai" in about_pairs(["อากาศ"], ("jieba",))[0]
    assert (
        about_pairs(["人工"], ("jieba",))
        == about_pairs(["人工", "カメラ"], ("icu",))
        == about_pairs(["moon"], ())
        == []
    )
    assert about_pairs(["カメラ"], ("jieba",))


def test_what_is_missing_later_is_said(monkeypatch):
    monkeypatch.setitem(segmentation._MODULES, "icu", "no_such_module")
    monkeypatch.setattr(segmentation, "_local", threading.local())
    counts = Counts(normalize=True)
    counts.restore({"terms": ["อากาศ", "moon"], "language": None, "stops": None, "stemmed": False, "callable": False,
                    "spelling": {"turkish": False, "segmenters": ["icu"]}})  # fmt: skip
    assert counts.transform(["moon"]).sum() == 1
    with pytest.raises(ValueError, match=r"icu, which is not installed here: pip install 'quire-topics\[cjk\]'\."):
        counts.transform(["อากาศ"])


def test_the_script_tells_the_language():
    assert language_of_script(["人工", "智能", "moon"], [5, 5, 2]) == "zh"
    assert language_of_script(["人工", "です", "コン"], [5, 5, 2]) == "ja"
    assert language_of_script(["อากาศ"], [1]) == "th"
    assert language_of_script(["moon", "智能"], [5, 2]) is None
    assert language_of_script([], []) is None


@installed
def test_stop_words_of_such_languages_are_left_out():
    texts = ["我们因为天气所以离开了公园", "我们研究人工智能"] * 3
    assert not {"我们", "因为", "所以"} & set(Counts(normalize=True, stop_words="auto").fit(texts).terms_)
    assert "我们" in Counts(normalize=True).fit(texts).terms_


def test_apart_and_together():
    assert apart("a中国").replace(segmentation.BETWEEN, "") == "a中国"
    assert apart("plain") == "plain"
    assert written_together("人工 智能") == "人工智能"
    assert written_together("white house 中") == "white house 中"
