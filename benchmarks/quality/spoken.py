"""Do topics have the words that a person would say? Keywords and names beside words expected of each class.

``python -m benchmarks.quality.spoken`` prints it for 20 Newsgroups (train) and BBC News. A topic is judged by its
most frequent class: three expected words among its first seven keywords, and one in its name.
"""

from __future__ import annotations

from collections import Counter

import numpy as np

import quire
from quire.runs.run import Run

FIRST, ENOUGH = 7, 3  # keywords that are looked at, and how many of them must be expected
EXPECTED = {
    "alt.atheism": "atheism atheist atheists god religion religious belief moral morality islam islamic objective",
    "comp.graphics": "graphics image images file files format software program gif jpeg 3d viewer ftp package",
    "comp.os.ms-windows.misc": "windows dos microsoft driver drivers file files ms font fonts ftp mouse printer",
    "comp.sys.ibm.pc.hardware": "drive scsi card ide controller bus motherboard disk pc dos bios ram monitor",
    "comp.sys.mac.hardware": "mac apple drive monitor scsi simms quadra centris powerbook memory video card ram disk",
    "comp.windows.x": "window server motif widget x11 xterm application client display xlib code program",
    "misc.forsale": "sale sell offer shipping price asking condition interested buy sold",
    "rec.autos": "car cars engine dealer ford auto driving oil wheel price honda toyota tires miles",
    "rec.motorcycles": "bike bikes motorcycle ride riding dod bmw rider helmet honda yamaha harley",
    "rec.sport.baseball": "baseball game team players hit pitching year season runs pitcher braves mets hitter jays",
    "rec.sport.hockey": "hockey team game nhl players season play playoffs leafs rangers cup penguins",
    "sci.crypt": "encryption key clipper chip security escrow nsa crypto algorithm privacy pgp secure secret",
    "sci.electronics": "circuit power voltage electronics current wire amp ground output audio radio signal input",
    "sci.med": "doctor medical disease patients treatment medicine health symptoms diet food patient physician",
    "sci.space": "space nasa orbit launch moon shuttle earth lunar satellite mission spacecraft flight",
    "soc.religion.christian": "god jesus christ christian christians church bible faith sin scripture religion",
    "talk.politics.guns": "gun guns weapons firearms crime police handgun criminals fbi batf waco koresh compound",
    "talk.politics.mideast": "israel israeli armenia armenian arab turkish jews jewish turks palestinian genocide",
    "talk.politics.misc": "government president clinton tax state money gay homosexuals sexual men sex health care",
    "talk.religion.misc": "god jesus christian bible religion christians christ faith moral religious church",
    "business": "company market economy shares growth profit sales bank prices oil stock analysts investors",
    "entertainment": "film music actor award awards band album star singer oscar actress comedy",
    "politics": "labour government party blair minister election tory conservative howard leader",
    "sport": "game match cup team win season players coach champion injury rugby victory",
    "tech": "users technology software computer mobile internet phone digital microsoft online web",
}


def said(words: list[str], label: str) -> int:
    """Count the words that are expected of a class; of a phrase, one of its words is enough."""
    expected = set(EXPECTED[label].split())
    return sum(bool(expected & set(word.lower().split())) for word in words)


def judged(run: Run) -> list[bool]:
    """Say of each topic whether it has the words expected of its most frequent class."""
    verdicts = []
    for topic, name, keywords in run.topics.select("topic", "name", "keywords").iter_rows():
        labels = np.array(run.documents["label"].to_list(), object)[run.labels == topic]
        label = Counter(labels.tolist()).most_common(1)[0][0] if len(labels) else None
        enough = label is not None and said(keywords[:FIRST], label) >= ENOUGH
        verdicts.append(enough and said(name.split(", "), label) >= 1)
    return verdicts


def main() -> None:
    """Print the names of all topics, marked where words are missing, for three seeds."""
    from benchmarks.quality.corpora import read

    for corpus, k in (("20ng", 20), ("bbc", 5)):
        for seed in range(3):
            run = quire.cluster(read(corpus), k, random_state=seed)
            verdicts = judged(run)
            print(f"{corpus}, seed {seed}: {sum(verdicts)} of {k} topics have the words expected of their class")
            for name, good in zip(run.topics["name"], verdicts):
                print("   " if good else " ✗ ", name)


if __name__ == "__main__":
    main()
