"""The small files that the tutorials work on: ``python docs/tutorials/make_data.py`` writes data/.

Invented, so that everybody may have them; what each was made about stands beside it, so that one can see what is found.
"""

from __future__ import annotations

import csv
import random
import zipfile
from pathlib import Path

DATA = Path(__file__).parent / "data"
# A sentence takes one piece from each row of its subject.
LIBRARY = {
    "hours": """the library|the reading room|our branch|the upper floor|the return box
        closes|should open|opens|stays closed|is shut
        too early for people who work|on Sundays|in the evening|before school in the morning|on Mondays|during the holidays""",
    "staff": """the librarians|the staff|the woman at the desk|the people at the desk|your new colleague
        helped me|had no time|were patient and kind|gave me a warm welcome|could not answer
        with a question|when I searched the catalogue|as always|on my first visit|and knows every shelf""",
    "books": """new novels|crime novels|graphic novels and comics|authors from abroad|the bestsellers|travel guides
        are missing|are always on loan|have a long waiting list|look worn|are hard to find
        on the shelves|since summer|in large print|in other languages|although people ask for them""",
    "children": """the story hour|the play corner|the workshop for kids|the corner with picture books|the puppet theatre
        is lovely|was full at once|is too small|should be offered twice|is loud
        for toddlers|for my kids|with a baby|for children under six|when parents bring prams""",
    "computers": """the wifi|the printer|the scanner|the computer by the door|printing from my phone|the screen
        does not work|is slow|drops all the time|asks for a new password|broke down
        when I send documents|with my laptop|since the update|and nobody can fix it|while scanning|without sockets nearby""",
    "building": """the heating|the light|the air|the chair by the window|the study room|the toilet
        is too cold|is too noisy|needs cleaning|is uncomfortable|should be quiet
        in winter|for reading|on the second floor|when it rains|near the stairs|for a long afternoon""",
}
BICYCLES = {
    "bicycles": """my bike|the bicycle rack|every cyclist|the stand for bicycles|an electric bike
        was stolen|is full|needs a roof|finds no place to lock|should have a lane
        at the entrance|in the rain|beside the car park|day and night|with a helmet in hand"""
}
NEWS = {
    "flood": """the river|the flood|days of rain|the dam upstream|high water|the storm
        burst its banks|threatened villages|broke dikes|flooded cellars|made firefighters evacuate houses|cut off roads
        along the valley|despite sandbags|overnight|as forecasters had warned|for the second time this spring""",
    "football": """the striker|the goalkeeper|the coach|the young midfielder|the captain|the home team
        scored twice|missed a penalty|praised the defenders|won the match|was injured|trained for the final
        in the second half|before a full stadium|in the last minute of the game|at the tournament|to the joy of fans""",
    "election": """the candidate|the prime minister|the opposition|the governing party|the mayor|parliament
        promised voters lower taxes|opened the campaign|fell back in the polls|demanded a recount of votes|won the debate
        before the election|on television|in the capital|with a small majority|as voters queued at polling stations""",
    "rates": """the central bank|inflation|the economy|the price of energy|the bond market|unemployment
        raised interest rates|fell for the third month|surprised economists|weighed on mortgages|slowed growth
        in the last quarter|against expectations|as wages rose|after the decision on rates|to the relief of investors""",
    "moon": """the probe|the rocket|the lander|the spacecraft|the crew of astronauts|the space agency
        entered orbit|sent pictures of craters|corrected its course|delayed the launch|prepared the landing
        on the moon|after a leak of fuel|on schedule|with new engines|for the lunar mission""",
}
SEASONS = {"flood": (2, 5), "football": (5, 8), "election": (8, 12)}  # months; others come all year
PAPERS = {
    "bees": """colonies of honey bees|queens|foraging workers|wild pollinators|infested hives|bumblebees
        lost weight|collected less pollen|suffered from mites|were exposed to pesticides|visited more flowers
        in winter|beside fields of rape|in orchards|after treatment with acid|in all seasons""",
    "bridges": """steel girders|the cables of the bridge|concrete piers|the bridge deck|welded joints|the expansion joints
        showed cracks|carried less load|vibrated|were inspected by drones|corroded
        under heavy traffic|in strong wind|according to strain sensors|after forty years|near the supports""",
    "sleep": """students|shift workers|adults with insomnia|patients|older volunteers|teenagers
        slept six hours|fell asleep later|had less melatonin|woke up at night|remembered fewer words
        after an evening with screens|during cognitive therapy|in the sleep laboratory|with a regular bedtime|by day""",
}
TICKETS = {
    "billing": """my invoice|your last bill|the payment|my credit card|the refund|the discount
        was charged twice|shows a wrong amount|was declined|is missing|has the wrong tax
        this month|although I paid|for order seven|since I changed the plan|without a reason""",
    "access": """my password|the login page|my account|the code for two-step login|the link to sign in|my user name
        is rejected|never arrives|is locked|was reset|expired
        since yesterday|after three tries|although it is right|on every browser|by mistake""",
    "delivery": """my parcel|the courier|the package|the delivery|the tracking number|my order
        has not arrived|was damaged|went to a neighbour|was promised for Monday|came to the wrong address
        and nobody rang|in the rain|twice|according to the website|with half of it missing""",
    "app": """the app|the start screen|the camera in the app|the button to upload|the notification|the dark mode
        crashes|stays black|drains the battery|does nothing|is slow
        after the update|on my tablet|on an older phone|whenever I open it|in landscape""",
}


def sentence(rng: random.Random, subject: str) -> str:
    """Return one piece of each row, joined."""
    words = " ".join(rng.choice(row.strip().split("|")) for row in subject.splitlines())
    return words[0].upper() + words[1:] + "."


def text_of(rng: random.Random, subject: str, most: int, other: str = "") -> str:
    """Return a few sentences, now and then with one of another subject."""
    sentences = [sentence(rng, subject) for _ in range(rng.randint(2, most))]
    if other and rng.random() < 0.25:
        sentences.append(sentence(rng, other))
    return " ".join(sentences)


def survey(rng: random.Random, n: int, year: int, subjects: dict[str, str]) -> list[dict[str, object]]:
    """Answers to “What should the library change?”, by people of two ages."""
    rows: list[dict[str, object]] = []
    for i in range(n):
        age = rng.choice(["under 40", "over 40"])
        weights = [3 if name == ("children" if age == "under 40" else "building") else 1 for name in subjects]
        subject = rng.choices(list(subjects), weights)[0]
        other = subjects[rng.choice(list(subjects))]
        day = f"{year}-{rng.randint(1, 12):02d}-{rng.randint(1, 28):02d}"
        answer = text_of(rng, subjects[subject], 3, other)
        rows.append({"id": f"{year}-{i + 1}", "date": day, "age": age, "answer": answer})
    return rows


def news(rng: random.Random, n: int) -> list[dict[str, object]]:
    """Return reports of one year; some subjects have their season."""
    rows: list[dict[str, object]] = []
    for i in range(n):
        subject = rng.choice(list(NEWS))
        date = f"2024-{rng.randint(*SEASONS.get(subject, (1, 12))):02d}-{rng.randint(1, 28):02d}"
        title = sentence(rng, NEWS[subject]).rstrip(".")
        rows.append({"id": f"n{i + 1}", "date": date, "title": title, "text": text_of(rng, NEWS[subject], 4)})
    return sorted(rows, key=lambda row: str(row["date"]))


def tickets(rng: random.Random, n: int) -> list[dict[str, object]]:
    """Letters to a shop and the team that got each: every twentieth went astray, every sixth waits for a team."""
    rows: list[dict[str, object]] = []
    for i in range(n):
        subject = rng.choice(list(TICKETS))
        team = rng.choice([one for one in TICKETS if one != subject]) if i % 20 == 7 else subject
        rows.append({"id": f"t{i + 1}", "team": "" if i % 6 == 5 else team, "text": text_of(rng, TICKETS[subject], 3)})
    return rows


def pdf(lines: list[str]) -> bytes:
    """Return a PDF of one page, in the fewest words that the format allows."""
    shown = " ".join(f"({line}) Tj T*" for line in lines)
    stream = f"BT /F1 11 Tf 14 TL 60 760 Td {shown} ET"
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>", "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>",
        f"<< /Length {len(stream)} >>\nstream\n{stream}\nendstream", "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]  # fmt: skip
    body, places = "%PDF-1.4\n", []
    for number, content in enumerate(objects, 1):
        places.append(len(body))
        body += f"{number} 0 obj\n{content}\nendobj\n"
    table = "".join(f"{place:010d} 00000 n \n" for place in places)
    end = f"xref\n0 6\n0000000000 65535 f \n{table}trailer\n<< /Size 6 /Root 1 0 R >>\nstartxref\n{len(body)}\n%%EOF\n"
    return (body + end).encode("ascii")


def papers(rng: random.Random, each: int) -> dict[str, bytes]:
    """Short reports as PDF."""
    found = {}
    for subject, pieces in PAPERS.items():
        for i in range(each):
            found[f"{subject}-{i + 1:02d}.pdf"] = pdf([sentence(rng, pieces) for _ in range(6)])
    return found


def write_table(path: Path, rows: list[dict[str, object]]) -> None:
    """Write rows as CSV."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def main(folder: Path = DATA) -> None:
    """Write all of them."""
    folder.mkdir(exist_ok=True)
    write_table(folder / "survey-2023.csv", survey(random.Random(1), 300, 2023, LIBRARY))
    write_table(folder / "survey-2024.csv", survey(random.Random(2), 150, 2024, LIBRARY | BICYCLES))
    write_table(folder / "news.csv", news(random.Random(3), 300))
    write_table(folder / "tickets.csv", tickets(random.Random(4), 240))
    with zipfile.ZipFile(folder / "papers.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in papers(random.Random(5), 12).items():
            archive.writestr(zipfile.ZipInfo(name, (2024, 1, 1, 0, 0, 0)), content)


if __name__ == "__main__":
    main()
