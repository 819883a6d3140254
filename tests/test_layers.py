"""Imports point one way: a module may import only from layers below its own."""

import ast
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[1] / "src" / "quire"
LAYERS = [  # top to bottom; modules in one line do not know each other
    {"cli"},
    {"cli_run"},
    {"cli_serve"},
    {"cli_choose", "cli_compare", "cli_page", "cli_reproduce"},
    {"explore.sections"},
    {"classes_report", "cli_options", "cli_output", "choosing.decide", "choice_report"},
    {
        "evaluation_report",
        "comparison_report",
        "document_report",
        "known_classes",
        "explore.class_matrix",
        "explore.choice_section",
    },
    {"pipeline", "report", "demo", "evaluate"},
    {"reproduce.catalogue", "reproduce.results"},
    {
        "reproduce.xu2003",
        "reproduce.kim2008",
        "reproduce.ding2008",
        "reproduce.tsikhanovich2011",
        "reproduce.conroy2023",
    },
    {"reproduce.xu2003_figure", "reproduce.kim2008_affinity", "reproduce.kim2008_consensus"},
    {"reproduce.kim2008_text", "reproduce.kim2008_generated", "reproduce.tsikhanovich2011_streams"},
    {"reproduce.kim2008_beta", "reproduce.kim2008_differs", "reproduce.tsikhanovich2011_runs"},
    {"reproduce.kim2008_runs"},
    {"reproduce.kim2008_published", "reproduce.protocol", "reproduce.corpora", "reproduce.generated"},
    {"reproduce.experiment", "reproduce.drawing"},
    {"reproduce"},
    {"explore.serve"},
    {"explore.page", "explore.openapi"},
    {"explore.chunks", "explore.full_text"},
    {"explore.payload", "explore.full_text_query", "explore.guard"},
    {"explore.about", "explore.periods", "explore.points", "explore.topic_facts"},
    {"explore.explain", "explore.layout"},
    {"explore.blocks", "explore.rounding"},
    {"explore"},
    {"blocks.making", "blocks.where"},
    {"making", "labelling", "class_fit", "class_scores", "comparison"},
    {"finding"},
    {"blocks.weigh"},
    {"blocks.count"},
    {"prepare", "blocks.read", "blocks.count_terms"},
    {"blocks.read_source", "blocks.read_need"},
    {"blocks.read_ways", "blocks.read_group"},
    {"blocks.read_settle"},
    {"blocks.read_table"},
    {"blocks.read_part"},
    {"choosing.measure", "choosing.search", "choosing.verdict", "choosing.lambdas"},
    {"choosing.choice", "choosing.heldout", "choosing.runs", "choosing.lambda_runs"},
    {"choosing.consensus", "choosing.cache", "choosing.figure", "choosing.lambda_arithmetic"},
    {"run", "options"},
    {"names", "blocks.write", "blocks.describe", "blocks.budget"},
    {"blocks.read_cut"},
    {"recipe", "describe", "metrics", "timeline", "stages", "folder"},
    {"choosing.parse", "keywords"},
    {"phrases"},
    {"weight", "counts", "coherence", "spread"},
    {"tokenise", "trim", "words", "subword"},
    {"vocabulary"},
    {"methods.spectral", "methods.affinity", "methods.ensemble"},
    {"methods.agreement"},
    {"methods.lsi"},
    {
        "methods.nmf",
        "methods.sparse",
        "methods.simplex",
        "methods.posterior",
        "methods.plsi",
        "methods.means",
    },
    {"methods.online"},
    {"methods"},
    {"estimator"},
    {"fitting", "sureness"},
    {"blocks.assign"},
    {"start", "topics", "choosing.elbow", "batched"},
    {"sharing"},
    {"membership"},
    {"linkage", "mixture", "places"},
    {"factorization", "check", "singular"},
    {"rules.plsi", "rules.sppc"},
    {"rules.beta", "rules.ppc"},
    {"rules.mu", "rules.anls", "rules.simplex"},
    {"rules.hals", "rules.single", "rules.soft"},
    {"rules.penalty", "rules.rule", "rules", "trace"},
    {"ops.backend"},
    {"ops.gpublocks"},
    {"ops.rowblocks"},
    {"ops.blocktasks"},
    {"ops.rowtasks", "ops.termside"},
    {"ops.plain", "blocks.memory"},
    {"blocks.matrix"},
    {"blocks.checkpoint", "blocks.dask"},
    {"blocks.dask_crew", "blocks.dask_lineage"},
    {"blocks.dask_graph"},
    {"blocks.dask_connect", "blocks.dask_spread", "blocks.dask_tasks"},
    {"blocks.disk"},
    {"blocks.place", "blocks.workfolder"},
    {"blocks"},
    {"ops.gpu"},
    {"ops.gpufactors"},
    {"ops.gpurows"},
    {"ops.cpu", "ops.reference"},
    {"ops.losses"},
    {"ops.products", "ops.referencelosses", "ops.topicwise"},
    {"ops.csr", "ops.gpukernels", "ops.gpudevice"},
    {"ops.compiled", "ops.threads", "ops.memory", "ops.referencerows", "ops.unit"},
    {"ops.gpuexact"},
    {"ops.gpurowproblem", "ops.gpubeta", "ops.gpugram", "ops.gpuproject", "ops.gpusource", "ops.gpusteps"},
    {"ops.matrix"},
    {"ops.textkernels", "ops.sortkernels", "ops.rowkernels"},
    {"ops.kernels", "ops.betakernels"},
    {"ops.betasimd"},
    {"ops.simd", "ops.textsimd"},
    {"ops"},
    {"corpus"},
    {"reading.sources"},
    {
        "reading.parquet",
        "reading.tables",
        "reading.folder",
        "reading.lines",
        "reading.frames",
        "reading.matrix",
    },
    {"reading.opened"},
    {"reading.quoted"},
    {"reading.tolerant", "reading.convert"},
    {"reading.columns"},
    {"reading.roles", "reading.dates", "reading.holds"},
    {"reading.strings", "reading.notes", "reading.content", "reading.hashing"},
    {"reading.decode"},
    {"reading"},
    {"choosing"},
    {"wording"},
    {"_version"},
]


def _modules():
    for path in sorted(SOURCE.rglob("*.py")):
        parts = path.relative_to(SOURCE).with_suffix("").parts
        name = ".".join(p for p in parts if p != "__init__")
        if name:  # the package itself imports everything, lazily
            yield name, path


def _imports(path):
    known = {name for name, _ in _modules()}
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (a.name.removeprefix("quire.") for a in node.names if a.name.startswith("quire."))
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, f"{path} uses a relative import, which this test does not follow"
            if (node.module or "").split(".")[0] == "quire":
                module = node.module.removeprefix("quire").removeprefix(".")
                names = [f"{module}.{a.name}".removeprefix(".") for a in node.names]
                yield from (name if name in known else module for name in names)


def test_every_module_has_a_layer():
    assert {name for name, _ in _modules()} == set().union(*LAYERS)


@pytest.mark.parametrize(("name", "path"), list(_modules()))
def test_imports_point_down(name, path):
    depth = {module: i for i, layer in enumerate(LAYERS) for module in layer}
    for imported in _imports(path):
        assert depth[imported] > depth[name], f"{name} imports {imported}, which is not below it"
