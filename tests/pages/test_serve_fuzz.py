"""The server as its OpenAPI description says, whatever it is asked: schemathesis tries."""

import json

import pytest
import schemathesis
from hypothesis import HealthCheck, settings
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)

import quire
from quire.pages.full_text import SEARCH, FullText
from quire.pages.openapi import description
from quire.pages.payload import payload_of
from quire.pages.server import make_app

CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
]
TOKEN = "a-token-for-tests"
TEXTS = ["the moon orbits", "a moon in orbit", "goal and team", "team goal </script>"]


SERVER = {}


@pytest.fixture(scope="module", autouse=True)
def server(tmp_path_factory):
    dates, labels = [f"2020-0{i}-01" for i in range(1, 5)], list("aabb")
    run = quire.cluster(TEXTS, 2, random_state=0, dates=dates, labels=labels)
    folder = run.save(tmp_path_factory.mktemp("fuzz") / "run")
    search = FullText(folder / SEARCH, run.documents)
    assert search.wait(60)
    SERVER["app"] = make_app(payload_of(run, served=True), folder, search, hosts={"testserver"}, token=TOKEN)
    yield
    search.close()


async def served(scope, receive, send):
    """The app, which is made when the first test runs: the tests are listed from its description."""
    await SERVER["app"](scope, receive, send)


schema = schemathesis.openapi.from_dict(json.loads(json.dumps(description("0"))))
schema.app = served
BOUNDED = settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))


@schema.parametrize()
@BOUNDED
def test_the_api_is_as_described(case):
    case.call_and_validate(checks=CHECKS, headers={"X-Quire-Token": TOKEN})


@schema.parametrize()
@BOUNDED
def test_whatever_headers_are_sent_the_api_is_as_described(case):
    """Also without the token, and with the headers that schemathesis makes up."""
    case.call_and_validate(checks=CHECKS)
