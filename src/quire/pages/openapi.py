"""The API of ``quire serve``, described as OpenAPI 3.1."""

from __future__ import annotations

from typing import Any

from quire.pages.full_text import MOST
from quire.runs.edits.entry import FIELDS, LONGEST_NOTE, MOST_PARTS
from quire.runs.names import LONGEST, PATTERN

MOST_ROWS, LONGEST_QUERY, LARGEST_BODY = 500, 500, 10_000


def description(version: str) -> dict[str, Any]:
    """Return the description of the API."""
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "quire serve",
            "version": version,
            "description": "A run of Quire, for its page: answers on this machine only, and only to that.",
        },
        "paths": {path: _guarded(item) for path, item in _PATHS.items()},
        "components": {
            "schemas": _SCHEMAS,
            "securitySchemes": {"token": {"type": "apiKey", "in": "header", "name": "X-Quire-Token"}},
        },
    }


def _guarded(item: dict[str, Any]) -> dict[str, Any]:
    """Add the answers that any request may get: it is from another page, for another server, one of too many."""
    more = {"403": _error("Not from the page of this server."), "421": _error("Not for this server."),
            "429": _error("Too many requests are under way.")}  # fmt: skip
    return {method: operation | {"responses": more | operation["responses"]} for method, operation in item.items()}


def _ref(name: str) -> dict[str, Any]:
    return {"$ref": f"#/components/schemas/{name}"}


def _list(of: dict[str, Any]) -> dict[str, Any]:
    return {"type": "array", "items": of}


def _tuple(*parts: dict[str, Any]) -> dict[str, Any]:
    return {"type": "array", "prefixItems": [*parts], "minItems": len(parts), "maxItems": len(parts)}


def _maybe(of: dict[str, Any]) -> dict[str, Any]:
    return {"anyOf": [of, {"type": "null"}]}


def _object(**parts: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": parts, "required": [*parts]}


def _answer(words: str, schema: dict[str, Any], kind: str = "application/json") -> dict[str, Any]:
    return {"description": words, "content": {kind: {"schema": schema}}}


def _error(words: str) -> dict[str, Any]:
    return _answer(words, _ref("Error"))


def _get(words: str, answer: dict[str, Any], *parameters: dict[str, Any], **errors: str) -> dict[str, Any]:
    responses = {"200": answer, **{code.removeprefix("_"): _error(reason) for code, reason in errors.items()}}
    return {"get": {"summary": words, "parameters": [*parameters], "responses": responses}}


def _parameter(name: str, place: str, words: str, schema: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"name": name, "in": place, "description": words, "schema": schema, **more}


_TEXT: dict[str, Any] = {"type": "string"}
_NAME: dict[str, Any] = {"type": "string", "maxLength": LONGEST, "pattern": PATTERN}
_YES: dict[str, Any] = {"type": "boolean"}
_NUMBER: dict[str, Any] = {"type": "number"}
_WHOLE: dict[str, Any] = {"type": "integer"}
_COUNT: dict[str, Any] = {"type": "integer", "minimum": 0}
_SHARE: dict[str, Any] = {"type": "number", "minimum": 0, "maximum": 1.0001}  # rounded
_ANY: dict[str, Any] = {"type": "object"}
_WEIGHED = _tuple(_TEXT, _NUMBER)

_LISTED = {"row": _COUNT, "id": _maybe(_TEXT), "title": _maybe(_TEXT), "snippet": _maybe(_TEXT)}
_FULL_DOCUMENT = _LISTED | {
    "text": _maybe(_TEXT), "label": _maybe(_TEXT), "date": _maybe(_TEXT), "beside": _list(_tuple(_TEXT, _TEXT)),
    "url": _maybe(_TEXT),
}  # fmt: skip
_SCHEMAS: dict[str, Any] = {
    "Error": _object(error=_TEXT),
    "Rated": _tuple(_COUNT, _NUMBER),  # a topic or a bin, and a number
    "Head": _object(
        schema={"const": 1}, title=_TEXT, n=_COUNT, unassigned=_COUNT, topics=_list(_ref("Topic")),
        labels=_maybe(_list(_TEXT)), spark=_maybe(_object(bin=_ref("Bin"), starts=_list(_TEXT))),
        by=_maybe(_ANY), classes=_maybe(_ANY), choice=_maybe(_ANY), compare=_maybe(_ANY),
        tables=_list(_ANY), about=_ANY,
        columns=_list(_object(name=_TEXT, type=_TEXT, offset=_COUNT)), left={"type": "null"}, cuts=_list(_COUNT),
        edits=_ref("Edits"), parts=_maybe(_ANY),
        has=_object(text=_YES, words=_YES, confidence=_YES, search=_YES, rename=_YES, edit=_YES),
    ),
    "Topic": _object(
        topic=_COUNT, name=_TEXT, note=_maybe(_TEXT), size=_COUNT, share=_SHARE, stability=_maybe(_SHARE),
        confidence=_maybe(_SHARE), membership=_SHARE, clear=_COUNT, keywords=_list(_WEIGHED),
        terms=_list(_tuple(_TEXT, _NUMBER, _NUMBER)), nearest=_list(_ref("Rated")), passage=_maybe(_TEXT),
        typical=_list(_COUNT), borderline=_list(_COUNT), x=_NUMBER, y=_NUMBER,
        spark=_maybe(_list(_COUNT)),
    ),
    "Bin": {"enum": ["day", "week", "month", "quarter", "year", "decade"]},
    "Terms": _object(
        words=_list(_TEXT), totals=_list(_NUMBER), topics=_list(_list(_ref("Rated"))), left=_COUNT
    ),
    "Time": _object(
        bin=_ref("Bin"), undated=_COUNT,
        bins={"type": "object", "additionalProperties": _ref("Binned")},
    ),
    "Binned": _object(
        starts=_list(_TEXT), counts=_list(_list(_COUNT)),
        words=_list(_list(_tuple(_TEXT, _list(_ref("Rated"))))),
    ),
    "Listed": _object(**_LISTED),
    "Full": _object(**_FULL_DOCUMENT),
    "Whole": _object(
        **_FULL_DOCUMENT, length=_COUNT, memberships=_list(_tuple(_COUNT, _SHARE)), why=_maybe(_ref("Why"))
    ),
    "Why": _object(
        topic=_COUNT, other=_WHOLE, score=_NUMBER, other_score=_NUMBER,
        terms=_list(_tuple(_TEXT, _list(_TEXT), _NUMBER, _NUMBER, _NUMBER, _maybe(_NUMBER))),
        rest=_object(terms=_COUNT, mine=_NUMBER, others=_NUMBER, evidence=_maybe(_NUMBER)),
    ),
    "Found": _object(
        documents=_list(_object(row=_COUNT, title=_maybe(_TEXT), id=_maybe(_TEXT), passage=_TEXT)),
        total=_COUNT, more=_YES, ready=_SHARE,
    ),
    "Edits": _object(
        version=_COUNT, undo=_COUNT, redo=_COUNT, log=_list(_object(text=_TEXT, who=_TEXT, when=_TEXT, holds=_YES))
    ),
    "Editing": {
        "type": "object", "additionalProperties": False, "required": ["version", "what"],
        "properties": {
            "version": _COUNT, "what": {"enum": [*FIELDS]}, "topic": _COUNT, "name": _NAME, "word": _TEXT,
            "topics": _list(_COUNT) | {"minItems": 2}, "into": {"type": "integer", "minimum": 2, "maximum": MOST_PARTS},
            "note": {"type": "string", "maxLength": LONGEST_NOTE}, "document": _TEXT,
            "documents": _list(_TEXT) | {"minItems": 2, "maxItems": 2},
        },
    },
}  # fmt: skip

_ROWS = _parameter(
    "rows", "query", f"Rows, at most {MOST_ROWS}, with commas between them.",
    _TEXT | {"pattern": "^([0-9]{1,9}(,[0-9]{1,9})*)?$"},
)  # fmt: skip
_FULL = _parameter("full", "query", "1: with their texts and all their columns.", {"enum": [0, 1]})
_ROW = _parameter("row", "path", "From 0.", _COUNT, required=True)
_Q = _parameter(
    "q", "query", 'Words and "phrases" that all must occur; the last word may be the beginning of one.',
    _TEXT | {"maxLength": LONGEST_QUERY},
)  # fmt: skip
_CUT = _parameter(
    "cut", "query", "One of the head's `cuts`, by its number of topics; the run's own by default.",
    _COUNT,
)  # fmt: skip
_NO_CUT = "There is no such cut."
_LIMIT = _parameter("limit", "query", "Documents to list.", {"type": "integer", "minimum": 1, "maximum": MOST})
_ANY_OF = _parameter(
    "any", "query", "1: one of the words is enough, and the more and the rarer the better.", {"enum": [0, 1]}
)
_EDIT = {
    "summary": "Edit the topics, which the run keeps; what each edit has is in docs/edit.md.",
    "security": [{"token": []}],
    "parameters": [_CUT],
    "requestBody": {"required": True, "content": {"application/json": {"schema": _ref("Editing")}}},
    "responses": {
        "200": _answer("The head of the run as it is now.", _ref("Head")),
        "400": _error("The body is no such JSON, or the edit cannot be made."),
        "403": _error("The token is missing or wrong, or the request is from another page."),
        "404": _error("There is no such cut."),
        "408": _error("The body did not come in time."),
        "409": _error("Others edited the run since `version`, or nothing can be written into it."),
        "413": _error(f"The body has more than {LARGEST_BODY} bytes."),
    },
}
_PATHS: dict[str, dict[str, Any]] = {
    "/": _get("The page.", _answer("The app.", _TEXT, "text/html")),
    "/openapi.json": _get("This description.", _answer("OpenAPI 3.1.", _ANY)),
    "/api/head": _get("What the first view needs.", _answer("The head.", _ref("Head")), _CUT, _404=_NO_CUT),
    "/api/terms": _get(
        "The vocabulary.", _answer("Terms, most frequent first.", _ref("Terms")), _CUT, _404=_NO_CUT
    ),
    "/api/time": _get(
        "Topics over time.", _answer("Null where no dates are known.", _maybe(_ref("Time"))), _CUT, _404=_NO_CUT
    ),
    "/api/points": _get(
        "A few numbers for every document, in columns as the head says.",
        _answer("Little-endian columns.", {}, "application/octet-stream"), _CUT, _404=_NO_CUT,
    ),
    "/api/documents": _get(
        "Documents as lists show them.",
        _answer("In the order asked for.", _list({"anyOf": [_ref("Listed"), _ref("Full")]})), _ROWS, _FULL,
        _400="Too many rows, or no rows.", _404="There is no such document.",
    ),
    "/api/documents/{row}": _get(
        "A document as a whole.", _answer("The document.", _ref("Whole")), _ROW, _CUT,
        _404="There is no such document, or no such cut.",
    ),
    "/api/search": _get(
        "Documents in which all words occur, best first.", _answer("What was found.", _ref("Found")), _Q,
        _LIMIT, _ANY_OF, _400="The query is too long or takes too long, or the limit is out of range.",
    ),
    "/api/search/rows": _get(
        "Every document in which all words occur, by its row.",
        _answer("Rows, 32 bits each, little-endian.", {}, "application/octet-stream"), _Q,
        _400="The query is too long or takes too long.",
    ),
    "/api/edits": {"post": _EDIT},
}  # fmt: skip
