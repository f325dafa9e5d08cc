"""Call operations of a client that openapi-generator made, one for each line of standard input.

A line is a JSON object: host, token, operation (its operationId), path (values of the parts of
the address), and either body (a JSON value), or file (its name). What became of the call is one
line of standard output: kind (answered, refused or raised), status and message.
"""
import importlib
import inspect
import json
import re
import sys

sys.path.insert(0, sys.argv[1])
client = importlib.import_module("figshare_client")


def plain(name):
    """The form in which names of operations and methods are the same."""
    return re.sub(r"[^a-z0-9]", "", name.lower())


def methods(api_client):
    found = {}
    for name in dir(client):
        if name.endswith("Api"):
            api = getattr(client, name)(api_client)
            for method, call in inspect.getmembers(api, inspect.ismethod):
                if not method.endswith("_with_http_info"):
                    found[plain(method)] = call
    return found


def arguments(method, order):
    given = dict(order.get("path") or {})
    given.update(order.get("query") or {})
    rest = [n for n, p in inspect.signature(method).parameters.items()
            if p.kind == p.POSITIONAL_OR_KEYWORD and n not in given]
    for key in ("body", "file"):
        if key in order:
            given[rest[0] if rest else order["name"]] = order[key]
    return given


def outcome(order):
    configuration = client.Configuration(host=order["host"])
    configuration.access_token = order["token"]
    with client.ApiClient(configuration) as api_client:
        try:
            method = methods(api_client)[plain(order["operation"])]
            value = method(**arguments(method, order))
            return {"kind": "answered", "message": type(value).__name__}
        except client.ApiException as e:
            return {"kind": "refused", "status": e.status, "message": str(e.body)}
        except Exception as e:  # a null where the client takes none, most of all
            return {"kind": "raised", "message": "%s: %s" % (type(e).__name__, e)}


for line in sys.stdin:
    print(json.dumps(outcome(json.loads(line))), flush=True)
