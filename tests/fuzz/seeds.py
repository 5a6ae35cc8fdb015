"""What the fuzzers of the command line start from: recorded decisions and the examples, each a list of documents, with few
instance types, so that one case takes a moment."""
import glob, gzip, json, os

HERE = os.path.dirname(os.path.abspath(__file__))
CASES = os.path.join(HERE, "..", "conformance", "cases")
EXAMPLES = os.path.join(HERE, "..", "..", "examples")
CASE_BYTES_MAX = 30000
TYPES_MAX = 12
CAPACITY_TYPE = "karpenter.sh/capacity-type"


def few(types):
    """At most TYPES_MAX of the types, from the whole range."""
    if len(types) <= TYPES_MAX: return types
    return [types[i * len(types) // TYPES_MAX] for i in range(TYPES_MAX)]


def sound(kind):
    """A type whose requirements allow the capacity types of its offerings: those of some recordings do not."""
    offered = {v for o in kind.get("offerings") or [] for r in o["requirements"] if r["key"] == CAPACITY_TYPE for v in r.get("values") or []}
    for r in kind.get("requirements") or []:
        if r["key"] == CAPACITY_TYPE and r["operator"] == "In": r["values"] = sorted(offered | set(r["values"]))
    return kind


def catalog(index, digest, pools):
    with gzip.open(os.path.join(CASES, "catalogs", digest + ".json.gz")) as f:
        types = [sound(kind) for kind in few(json.load(f) or [])]
    return {"apiVersion": "adze/v1", "kind": "InstanceTypeCatalog", "metadata": {"name": "c%d" % index},
            "spec": {"nodePools": pools, "instanceTypes": types}}


def recorded(path):
    with open(path) as f:
        case = json.load(f)
    return list(case["input"]) + [catalog(i, digest, pools) for i, (digest, pools) in enumerate(sorted(case["catalogs"].items()))]


def example(path):
    import yaml
    with open(path) as f:
        return [document for document in yaml.safe_load_all(f) if document]


def names(prefix=""):
    """(name, how to read it) of every seed, in order."""
    paths = [p for p in sorted(glob.glob(os.path.join(CASES, prefix + "*.json"))) if os.path.getsize(p) <= CASE_BYTES_MAX]
    found = [(os.path.basename(p)[:-5], lambda p=p: recorded(p)) for p in paths]
    try:
        import yaml  # noqa: F401: the examples are YAML; without a reader of it the recordings must do
    except ImportError:
        return found
    return found + [(os.path.basename(p), lambda p=p: example(p)) for p in sorted(glob.glob(os.path.join(EXAMPLES, "*.yaml")))]
