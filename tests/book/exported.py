"""How the tests check what other programs read: against the schema, schema.org and FORRT's vocabulary, offline."""

import re
from datetime import date

import jsonschema
import schema_org
from pyld import jsonld

from support.book.exports import claims_schema

TERMS = "https://w3id.org/sciencelive/o/terms/"
STATES = {  # of the template w3id.org/np/RA2zljn0Nw9SadppOyxZoh-_Rxosslrq-vYG-p9SttnJE, its field "validation status"
    TERMS + name for name in ("Validated", "PartiallySupported", "Contradicted", "Inconclusive", "NotTested")
}


def check_results(body):
    """Refuse what is not of the form of claims.json."""
    jsonschema.Draft202012Validator.check_schema(claims_schema())
    jsonschema.validate(body, claims_schema(), jsonschema.Draft202012Validator)


def states_of(body):
    """The FORRT state of each outcome, by its address, as a JSON-LD processor reads the file."""
    expanded = jsonld.expand(body, {"base": "https://book.example/"})
    return {node["@id"]: node[f"{TERMS}hasValidationStatus"][0]["@id"] for node in expanded}


def model(node):
    """A node of JSON-LD as the model of its type, which refuses properties and values that schema.org does not have."""
    if isinstance(node, list):
        return [model(one) for one in node]
    if not isinstance(node, dict):
        return node
    kind = getattr(schema_org, node["@type"])
    values = {name: model(value) for name, value in node.items() if name != "@type"}
    if "datePublished" in values:
        values["datePublished"] = date.fromisoformat(values["datePublished"])
    return kind(**{_snake(name): value for name, value in values.items()})


def _snake(name):
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower()
