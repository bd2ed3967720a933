"""The report of invented experiments: what it says, and that data cannot break it."""

import base64
import re
from dataclasses import dataclass, replace
from html.parser import HTMLParser
from io import BytesIO

import pytest
from matplotlib.figure import Figure
from matplotlib.image import imread

from experiments.command import print_list, print_summary
from experiments.experiment import Experiment, Finding, Outcome, Paper, Picture, Run, Sheet
from experiments.report import About, Section, save_pictures, write_report
from experiments.report.content import (
    DATA_PLACE,
    duration,
    findings_in_words,
    mark_caption,
    mark_finding,
    mark_sheet,
    tally,
)

PAPERS = (
    Paper("MORF", "Manifold Forests: Closing the Gap on Neural Networks", "Perry et al., 2019"),
    Paper("boundary forest", "The Boundary Forest Algorithm", "Mathy et al., 2015"),
)
ABOUT = About(
    preset="full",
    command="python -m experiments --preset full",
    facts={
        "Date": "2020-01-02",
        "manifoldforest": "1.2.3",
        "Machine": "A processor of ours, 2 cores, Python 3.11.4",
        "Data sets": "collection",
    },
)
EVIL = """<script>alert("1 & 2")</script> | *a* `b` _c_"""


@dataclass(frozen=True, kw_only=True)
class Invented(Experiment):
    """An experiment that is never run."""

    def runs(self, setting):
        return [Run(0, {})]

    def measure(self, run, setting):
        return Outcome({})

    def findings(self, results):
        return []

    def figures(self, results):
        return []


def picture(caption, width=9.0):
    figure = Figure(figsize=(width, 3.4), layout="constrained")
    axes = figure.subplots(1, 2)
    for ax, name in zip(axes, ("circle", "impulse"), strict=True):
        ax.plot(
            [10, 50, 100, 200, 400, 1000], [0.5, 0.42, 0.3, 0.13, 0.07, 0.05], "o-", label="MORF"
        )
        ax.plot(
            [10, 50, 100, 200, 400, 1000], [0.5, 0.49, 0.49, 0.49, 0.48, 0.44], "s-", label="RF"
        )
        ax.set(xscale="log", title=name, xlabel="training examples", ylabel="test error")
        ax.legend(frameon=False)
    return Picture(figure, caption)


def experiment(name, title, paper=PAPERS[0], **more):
    return Invented(
        id=name,
        title=title,
        paper=paper,
        source="Figure 1A",
        question="How fast does the error fall as a forest sees more examples of the circle?",
        stand_in="the digits of scikit-learn in place of MNIST",
        **more,
    )


def invented_sections(folder):
    sizes = ("10", "50", "100", "200", "400", "1000", "2000")
    sheet = Sheet(
        "Test error of every method by training size",
        ("method", *sizes),
        tuple((method, *["0.051 (0.073)"] * len(sizes)) for method in ("MORF", "RF", "SPORF")),
    )
    return [
        Section(
            experiment("M1", "Error on the circle"),
            "python -m experiments M1 --preset full",
            140,
            140,
            4210.0,
            findings=[
                Finding("MORF's error at n = 1000.", "0.048 ± 0.006", "0.051", True),
                Finding(
                    "The CNN is best from n = 400 on.",
                    "MORF 0.061, CNN 0.080",
                    "MORF 0.073, CNN 0.022",
                    False,
                    "Our CNN stops by the rule of the thesis, which its code does not follow.",
                ),
                Finding("Smooth curves.", "see the figure", "-", None, "By eye only."),
            ],
            sheets=[sheet],
            pictures=save_pictures(
                folder / "figures",
                "M1",
                [
                    picture("Test error by training size. Dashed: published. Bands: deviation."),
                    picture("Examples of both classes.", 4.0),
                ],
            ),
        ),
        Section(
            experiment("M5", "Error on MNIST"),
            "python -m experiments M5 --preset full",
            3,
            50,
            12.3,
            findings=[Finding("MORF beats RF at every size.", "at 3 of 3", "at 9 of 9", True)],
            lacks={"mnist.npz": 40},
        ),
        Section(
            experiment("B1", "Growth of one tree", PAPERS[1]),
            "python -m experiments B1 --preset full",
            1,
            2,
            0.04,
            failures=["ValueError: a message"],
        ),
    ]


@pytest.fixture
def sections(tmp_path):
    return invented_sections(tmp_path)


@pytest.fixture
def written(tmp_path, sections):
    """Return a function that writes a report and returns page and Markdown."""

    def write(preset="full", sections=sections, **about):
        write_report(tmp_path, sections, replace(ABOUT, preset=preset, **about))
        texts = (tmp_path / "report.html", tmp_path / "report.md")
        return tuple(path.read_text(encoding="utf-8") for path in texts)

    return write


class Page(HTMLParser):
    """Elements in order with their attributes, the text, and whether all were closed in order."""

    def __init__(self, html):
        super().__init__()
        self.elements, self.open, self.text = [], [], []
        self.feed(html)
        assert not self.open

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        if tag not in ("meta", "link", "img", "input"):
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open and self.open[-1] != "style":
            self.text.append(data)

    def all(self, tag):
        return [attributes for name, attributes in self.elements if name == tag]


def words(html):
    return " ".join("".join(Page(html).text).split())


# ------------------------------------------------------------------------------- page and Markdown


def test_every_experiment_is_there_with_all_it_says(written, sections):
    html, markdown = written()
    plain = words(html)
    for section in sections:
        experiment = section.experiment
        assert {"id": experiment.id, "aria-labelledby": f"{experiment.id}-title"} in Page(html).all(
            "article"
        )
        said = [experiment.title, experiment.source, experiment.question, section.command]
        for finding in section.findings:
            said += [finding.claim, finding.ours, finding.published, finding.note]
        for text in [*said, *section.failures, *(DATA_PLACE for _ in section.lacks)]:
            assert text in plain
            assert text in markdown


def test_states_are_told(written):
    for text in map(" ".join, map(str.split, (words(written()[0]), written()[1]))):
        plain = text.replace("*", "").replace("`", "")
        assert "Incomplete: 3 of 50 runs" in plain
        assert "Lacks data: mnist.npz, for 40 runs." in plain
        assert "Failed: ValueError: a message" in plain
        assert "3 experiments: 1 finished, 2 incomplete, 1 lacking data, 1 with errors." in plain


def test_verdicts_are_badges(written):
    html, markdown = written()
    badges = re.findall(r'class="badge (\w+)"><span aria-hidden="true">.</span> ([\w ]+)<', html)
    expected = [
        ("agrees", "agrees"),
        ("differs", "differs"),
        ("open", "not judged"),
        ("agrees", "agrees"),
    ]
    assert badges == expected
    verdicts = [row[3].strip("*") for row in table_rows(markdown) if len(row) == 5]
    assert [v for v in verdicts if v in dict(map(reversed, expected))] == [v for _, v in expected]


def test_the_summary_counts_the_findings(written):
    html, markdown = written()
    totals = re.findall(r"<b>(\d+)</b> <span>([^<]*)<", html)
    assert totals == [
        ("2", "agree with the papers"),
        ("1", "differ from the papers"),
        ("1", "not judged"),
    ]
    assert "Findings: 2 agree, 1 differs, 1 not judged." in markdown


def test_differences_are_listed_together_near_the_top(written):
    for text, first_paper in zip(written(), ('class="paper"', "## Manifold Forests"), strict=True):
        start = text.index("Where our results differ from the papers")
        listed = " ".join(text[start : text.index(first_paper)].split())
        assert "The CNN is best from n = 400 on." in listed
        assert "MORF 0.061, CNN 0.080" in listed
        assert "MORF 0.073, CNN 0.022" in listed
        assert "which its code does not follow" in listed
        assert "MORF beats RF" not in listed


def test_a_difference_of_an_unfinished_experiment_says_how_much_is_done(written, sections):
    finding = replace(sections[1].findings[0], agrees=False)
    for text in written(sections=[replace(sections[1], findings=[finding])]):
        assert "So far: 3 of 50 runs" in text


def test_no_differences_are_said_to_be_none(written, sections):
    for text in written(sections=sections[1:]):
        assert "No finding that could be judged contradicts the papers." in text


def test_a_quick_report_is_a_try_out_and_judges_nothing(written):
    html, markdown = written("quick")
    for text in (words(html), markdown):
        assert "A try-out: small sizes, and stand-ins" in text
        assert "the digits of scikit-learn in place of MNIST" in text
        assert "Where our results differ" not in text
    assert html.count('class="badge tryout"') == html.count('class="badge ') == 4
    assert "agrees |" not in markdown
    assert "differs" not in markdown


def test_a_full_report_has_neither_banner_nor_stand_ins(written):
    for text in written():
        assert "try-out:" not in text.lower()
        assert "the digits of scikit-learn" not in text


def test_machine_date_and_versions_are_told(written):
    for text in written():
        for fact in ("2020-01-02", "1.2.3", "A processor of ours, 2 cores, Python 3.11.4"):
            assert fact in text
        assert "collection" in text


def test_the_same_results_give_the_same_bytes_but_for_the_date(tmp_path):
    files = []
    for name, date in (("a", "2020-01-02"), ("b", "2021-03-04")):
        sections = invented_sections(tmp_path / name)
        about = replace(ABOUT, facts={**ABOUT.facts, "Date": date})
        paths = write_report(tmp_path / name, sections, about)
        files.append([path.read_bytes().replace(date.encode(), b"") for path in paths])
    assert files[0] == files[1]


# ------------------------------------------------------------------------------------- the page


def test_the_page_needs_nothing_else(written):
    html, _ = written()
    page = Page(html)
    assert not page.all("script")
    targets = [a[key] for _, a in page.elements for key in ("src", "href", "srcset") if key in a]
    assert targets
    assert all(target.startswith(("#", "data:")) for target in targets)
    assert "url(" not in html
    assert "@import" not in html
    assert not re.search(r"https?://", html)


def test_images_are_the_figures(written, sections, tmp_path):
    images = Page(written()[0]).all("img")
    files = ["M1-1.png", "M1-2.png"]
    assert sorted(path.name for path in (tmp_path / "figures").iterdir()) == files
    for image, name, shown in zip(images, files, sections[0].pictures, strict=True):
        png = base64.b64decode(image["src"].removeprefix("data:image/png;base64,"), validate=True)
        assert png == (tmp_path / "figures" / name).read_bytes()
        height, width = imread(BytesIO(png)).shape[:2]
        assert (int(image["width"]), int(image["height"])) == (
            pytest.approx(width * 96 / 144, abs=0.5),
            pytest.approx(height * 96 / 144, abs=0.5),
        )
        assert image["alt"] == shown.caption


def test_figures_of_an_earlier_report_go(written, sections, tmp_path):
    written()
    (tmp_path / "figures" / "M1-x.png").write_bytes(b"not ours")
    (tmp_path / "figures" / "M10-1.png").write_bytes(b"of an experiment that is not in the report")
    save_pictures(tmp_path / "figures", "M1", [picture("The only one.")])
    left = sorted(path.name for path in (tmp_path / "figures").iterdir())
    assert left == ["M1-1.png", "M1-x.png", "M10-1.png"]


def test_headings_leave_out_no_level(written):
    for preset in ("full", "quick"):
        tags = [tag for tag, _ in Page(written(preset)[0]).elements if re.fullmatch("h[1-6]", tag)]
        levels = [0, *(int(tag[1]) for tag in tags)]
        assert levels.count(1) == 1
        assert all(b <= a + 1 for a, b in zip(levels, levels[1:], strict=False))


def test_links_lead_somewhere(written):
    page = Page(written()[0])
    names = [attributes["id"] for _, attributes in page.elements if "id" in attributes]
    assert len(names) == len(set(names))
    assert {a["href"].removeprefix("#") for a in page.all("a")} <= set(names)


def test_published_numbers_in_cells_are_set_apart(written):
    html, _ = written()
    assert '<td>0.051 <span class="published">(0.073)</span></td>' in html


# ------------------------------------------------------------------------- anything may be in data


def evil_section(folder):
    return Section(
        replace(experiment("M1", EVIL), question=EVIL, source=EVIL, stand_in=EVIL),
        EVIL,
        1,
        2,
        1.0,
        findings=[Finding(EVIL, EVIL, EVIL, answer, EVIL) for answer in (True, False, None)],
        sheets=[Sheet(EVIL, ("a", EVIL), ((EVIL, EVIL), ("1 (2)", "\n3 | 4")))],
        pictures=save_pictures(folder / "figures", "M1", [picture(EVIL)]),
        lacks={EVIL: 1},
        failures=[EVIL],
    )


def test_text_is_never_markup_in_the_page(written, tmp_path):
    for preset in ("full", "quick"):
        html, _ = written(preset, [evil_section(tmp_path)], command=EVIL, facts={"Machine": EVIL})
        page = Page(html)
        assert not page.all("script")
        assert page.all("img")[0]["alt"] == EVIL
        assert words(html).count(EVIL) > 15


def test_tables_of_the_markdown_have_equal_rows(written, sections, tmp_path):
    for content in (sections, [evil_section(tmp_path)]):
        _, markdown = written(sections=content)
        tables = re.findall(r"(?:^\|.*\|\n?)+", markdown, flags=re.MULTILINE)
        assert len(tables) >= 4
        for table in tables:
            rows = [cells(line) for line in table.splitlines()]
            assert len({len(row) for row in rows}) == 1
            assert set(rows[1]) == {"---"}


def test_text_is_never_markup_in_the_markdown(written, tmp_path):
    _, markdown = written(sections=[evil_section(tmp_path)])
    outside_code = re.sub(r"```sh\n.*?\n```|``.*?``", "", markdown, flags=re.DOTALL)
    for markup in ("<script", "*a*", "`b`", "_c_"):
        for found in re.finditer(re.escape(markup), outside_code):
            assert outside_code[found.start() - 1] == "\\"


def cells(line):
    return [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]


def table_rows(markdown):
    return [cells(line) for line in markdown.splitlines() if line.startswith("|")]


def test_figures_are_linked_from_the_markdown(written, tmp_path):
    _, markdown = written()
    links = re.findall(r"!\[([^]]*)\]\(([^)]*)\)", markdown)
    assert [link for _, link in links] == ["figures/M1-1.png", "figures/M1-2.png"]
    assert all((tmp_path / link).is_file() for _, link in links)


# ---------------------------------------------------------------------------------- the terminal


def test_the_summary_has_a_line_per_experiment_and_the_differences(sections, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "140")
    print_summary(sections, ABOUT, "folder/report.html")
    out = capsys.readouterr().out
    flat = " ".join(out.split())
    assert re.search(r"M1 +Error on the circle +finished +1 agrees, 1 differs, 1 not judged", out)
    assert re.search(r"M5 +Error on MNIST +3 of 50, lacks data +1 agrees", out)
    assert re.search(r"B1 +Growth of one tree +1 of 2, failed +none", out)
    assert "Differs M1: The CNN is best from n = 400 on. Ours: MORF 0.061, CNN 0.080;" in flat
    assert "Missing data mnist.npz for M5. Put it into the folder given by --data;" in flat
    assert "Failed B1: ValueError: a message" in flat
    assert "Findings: 2 agree, 1 differs, 1 not judged." in flat
    assert "Report: folder/report.html" in flat


def test_the_summary_of_a_try_out_judges_nothing(sections, capsys):
    print_summary(sections, replace(ABOUT, preset="quick"))
    out = " ".join(capsys.readouterr().out.split())
    assert "A try-out" in out
    assert "iffer" not in out


def test_square_brackets_are_no_markup_in_the_terminal(sections, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    finding = Finding("[bold]claim[/bold]", "[1, 2]", "[/x]", False, "[red]")
    print_summary([replace(sections[0], findings=[finding])], ABOUT)
    out = " ".join(capsys.readouterr().out.split())
    assert "[bold]claim[/bold] Ours: [1, 2]; published: [/x]. [red]" in out


def test_at_80_columns_no_title_is_cut(sections, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    title = "A title that is so long that it does not fit into one line of the table"
    section = replace(sections[1], experiment=replace(sections[1].experiment, title=title))
    print_summary([section], ABOUT)
    out = capsys.readouterr().out
    assert max(map(len, out.splitlines())) <= 80
    assert "…" not in out
    assert all(word in out for word in title.split())


def test_packages_that_are_missing_are_named_with_what_needs_them(sections, written, capsys):
    lacking = replace(sections[0], left_out={"torch": 6, "xgboost": 2}, absent={"CNN": "torch"})
    print_summary([lacking, replace(sections[2], left_out={"torch": 1})], ABOUT)
    out = " ".join(capsys.readouterr().out.split())
    needed = "Not measured: torch is not installed. It is needed for CNN of M1; 1 run of B1."
    assert f"{needed} To add it: pip install '.[torch]'" in out
    assert "xgboost is not installed. It is needed for 2 runs of M1." in out
    html, markdown = written(sections=[lacking])
    assert "torch is not installed. It is needed for CNN of M1." in words(html)
    assert "torch is not installed. It is needed for CNN of M1." in markdown
    assert "6 more not measured: torch is not installed" in markdown


def test_the_list_names_every_experiment(sections, capsys):
    print_list([section.experiment for section in sections])
    out = capsys.readouterr().out
    assert re.search(r"M1 +Error on the circle +MORF, Figure 1A", out)
    assert re.search(r"B1 +Growth of one tree +boundary forest,", out)


# ------------------------------------------------------------------------------------ the parts


def test_statuses(sections):
    assert [section.statuses for section in sections] == [
        ("finished",),
        ("incomplete", "lacks data"),
        ("incomplete", "failed"),
    ]
    all_else_done = replace(sections[1], n_finished=10)
    assert all_else_done.statuses == ("lacks data",)


@pytest.mark.parametrize(
    ("claim", "ours", "marked"),
    [
        ("CNN is best", "–", "not measured: torch is not installed"),
        ("MORF is better than CNN at n = 50", "", "not measured: torch is not installed"),
        ("MORF is best", "–", "–"),  # there is another reason
        ("MORF is best", "", "not measured"),
        ("CNN is best", "at 3 of 3 sizes", "at 3 of 3 sizes"),
        ("CNN2 is best", "-", "-"),
    ],
)
def test_findings_about_a_method_without_its_package(claim, ours, marked):
    finding = mark_finding(Finding(claim, ours, "0.1", None), {"CNN": "torch"})
    assert finding.ours == marked


def test_no_cell_of_a_sheet_is_empty():
    rows = (("CNN", "", "– (0.5)", "-"), ("RF", "", "– (0.4)", "0.2"))
    sheet = mark_sheet(Sheet("errors", ("method", "a", "b", "XGB"), rows), {"CNN": "torch"})
    assert sheet.rows == (
        ("CNN", "not measured", "not measured (0.5)", "not measured"),
        ("RF", "–", "– (0.4)", "0.2"),
    )
    sheet = mark_sheet(Sheet("errors", ("n", "RF", "XGB"), (("10", "1", "–"),)), {"XGB": "xgboost"})
    assert sheet.rows == (("10", "1", "not measured"),)


def test_captions_name_methods_that_are_not_there():
    shown = Picture(Figure(), "Errors.")
    assert mark_caption(shown, {}).caption == "Errors."
    caption = "Errors. Not measured: CNN (torch is not installed)."
    assert mark_caption(shown, {"CNN": "torch"}).caption == caption


def test_tally(sections):
    assert tally(sections) == {"agrees": 2, "differs": 1, "not judged": 1}
    assert findings_in_words(sections[1:], "full") == "1 agrees"
    assert findings_in_words(sections, "quick") == "4 findings"
    assert findings_in_words([], "full") == "none"


@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        (0.04, "under 0.1 s"),
        (0.34, "0.3 s"),
        (12.3, "12 s"),
        (150.0, "2 min"),
        (4210.0, "70 min"),
        (9000.0, "2.5 h"),
    ],
)
def test_durations(seconds, said):
    assert duration(seconds) == said


@pytest.mark.parametrize("separator", [";", ","])
def test_parts_of_a_number_have_a_line_each(written, sections, separator):
    finding = Finding("A claim.", f"n = 10: 0.5{separator} n = 50: 0.4 ± 0.1, or less", "-", None)
    html, _ = written(sections=[replace(sections[0], findings=[finding])])
    first = f"<span>n\u00a0=\u00a010: 0.5{separator}</span>"
    assert f"<dd>{first}<span>n\u00a0=\u00a050: 0.4\u00a0±\u00a00.1, or less</span></dd>" in html


def test_the_summary_has_all_findings_and_no_figures(tmp_path, sections):
    write_report(tmp_path, sections, ABOUT)
    text = (tmp_path / "summary.md").read_text()
    for section in sections:
        name = section.experiment.id
        assert f"### {name} " in text
        assert f"| [{name}](#{name.lower()}) | {section.experiment.title} |" in text
    report = (tmp_path / "report.md").read_text()
    for line in report.splitlines():
        if line.startswith("|") and "| agrees |" in line:
            assert line in text
    assert "![" not in text
