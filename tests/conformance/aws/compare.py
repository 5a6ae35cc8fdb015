"""Finds the differences of two canonical sides (normalise.py) and words them in short lines."""
import difflib, json, re
from normalise import matches, text_of

TYPES_MAX = 60  # instance types that one launch offers


def short(value, limit=160):
    text = value if isinstance(value, str) else json.dumps(value, sort_keys=True)
    return text if len(text) <= limit else text[:limit - 3] + "..."


def text_difference(expected, observed):
    """The lines of a longer text that differ."""
    lines = [l for l in difflib.unified_diff(expected.split("\n"), observed.split("\n"), lineterm="", n=0)
             if not l.startswith(("---", "+++", "@@"))]
    return [short(l) for l in lines]


def walk(expected, observed, path, found):
    """Appends (path, difference) for each place that differs."""
    if matches(expected, observed): return
    if isinstance(expected, dict) and isinstance(observed, dict):
        for key in sorted(expected.keys() | observed.keys()):
            at = path + "." + key if path else key
            if key not in observed: found.append((at, "missing: " + short(expected[key])))
            elif key not in expected: found.append((at, "extra: " + short(observed[key])))
            else: walk(expected[key], observed[key], at, found)
    elif isinstance(expected, list) and isinstance(observed, list):
        walk_list(expected, observed, path, found)
    elif isinstance(expected, str) and isinstance(observed, str) and ("\n" in expected or "\n" in observed):
        for line in text_difference(expected, observed): found.append((path, line))
    else:
        found.append((path, "expected %s, observed %s" % (short(expected), short(observed))))


def walk_list(expected, observed, path, found):
    if len(expected) == len(observed) and len(expected) <= 20:
        for i, (e, o) in enumerate(zip(expected, observed)): walk(e, o, "%s[%d]" % (path, i), found)
        return
    left = list(observed)
    missing = []
    for e in expected:
        same = next((o for o in left if matches(e, o)), None)
        if same is None: missing.append(e)
        else: left.remove(same)
    if missing: found.append((path, "%d missing: %s" % (len(missing), ", ".join(short(m, 100) for m in missing[:4]))))
    if left: found.append((path, "%d extra: %s" % (len(left), ", ".join(short(m, 100) for m in left[:4]))))
    if not missing and not left: found.append((path, "another order"))


# --- which of the types of equal price are kept ---------------------------------------------------

def kept_types(claim):
    for requirement in claim["spec"]["requirements"]:
        if requirement["key"] == "node.kubernetes.io/instance-type" and requirement["operator"] == "In":
            return requirement["values"]
    return []


def fleet_types(request):
    return sorted({row[0] for config in request["params"].get("LaunchTemplateConfigs", [])
                   for row in config.get("Overrides", {}).get("rows", [])})


class Prices:
    """List prices and spot prices of an environment; equal ones make the choice of types arbitrary."""

    def __init__(self, prices):
        self.on_demand, self.spot = prices.get("onDemand", {}), prices.get("spot", {})

    def of(self, name):
        prices = list(self.spot.get(name, {}).values()) + ([self.on_demand[name]] if name in self.on_demand else [])
        return self.on_demand.get(name), min(prices) if prices else None

    def interchangeable(self, expected, observed):
        """Two choices of the 60 cheapest that differ only among types of one price."""
        if len(expected) != len(observed) or len(expected) < TYPES_MAX: return False
        ours, theirs = set(observed) - set(expected), set(expected) - set(observed)
        if not ours: return False
        by_list = sorted(self.of(t)[0] or 0 for t in ours) == sorted(self.of(t)[0] or 0 for t in theirs)
        by_best = sorted(self.of(t)[1] or 0 for t in ours) == sorted(self.of(t)[1] or 0 for t in theirs)
        return by_list or by_best


def renamed_types(value, names):
    if isinstance(value, str): return names.get(value, value)
    if isinstance(value, list):
        items = [renamed_types(v, names) for v in value]
        return sorted(items, key=text_of) if all(isinstance(v, (str, list)) for v in items) else items
    if isinstance(value, dict): return {k: renamed_types(v, names) for k, v in value.items()}
    return value


def settle_ties(expected, observed, prices):
    """Gives interchangeable types one name on both sides."""
    choices = [(kept_types(e), kept_types(o)) for e, o in zip(expected["nodeClaims"], observed["nodeClaims"])]
    for ours, theirs in zip(fleets(expected), fleets(observed)): choices.append((fleet_types(ours), fleet_types(theirs)))
    names = {}
    for e, o in choices:
        if not prices.interchangeable(e, o): continue
        for a, b in zip(sorted(set(e) - set(o), key=prices_key(prices)), sorted(set(o) - set(e), key=prices_key(prices))):
            names[a] = names[b] = "TIED-TYPE"
    return names


def prices_key(prices):
    return lambda t: (prices.of(t)[0] or 0, t)


def fleets(side):
    return [r for r in side["calls"].get("launch", []) if r["action"] == "CreateFleet"]


# --- refusals --------------------------------------------------------------------------------------

def causes(message):
    """[(field, text)] of the API server's refusal. Which rules it leaves unchecked once one is broken does not count."""
    text = message.partition(" is invalid: ")[2]
    if text.startswith("[") and text.endswith("]"): text = text[1:-1]
    found = []
    for cause in re.split(r", (?=spec|metadata|<nil>)", text):
        field, _, rest = cause.partition(": ")
        if field == "<nil>": continue
        # kube-apiserver shows the value before the rule's text.
        rest = re.sub(r'^(?:Invalid value|Unsupported value|Too many|Too long): (?:"[^"]*": |-?\d+: )?', "", rest)
        found.append((field, rest))
    return found


# How kube-apiserver and adze word what the schema alone refuses: kind, bounds, form, presence.
SCHEMA_WORDS = re.compile(
    r"in body (?:should|must) |^\"|^supported values|^Required value|is required$|is (?:more|less) than|is not one of|"
    r"^must have at (?:most|least)|^may not be (?:more|longer)|entries; at|characters long; at|must not be empty$|"
    r"^must be (?:an? |true or false).*, not |^must be of type|^Duplicate value")
UNCHECKED = "<nil>"  # kube-apiserver evaluates no rule of an object whose schema is badly broken


def explains(theirs, ours):
    """Whether both causes are one: the field or an entry of it, and the rule's text; schema rules have their own words."""
    if not (ours[0] == theirs[0] or ours[0].startswith((theirs[0] + "[", theirs[0] + "."))): return False
    return theirs[1] == ours[1] or bool(SCHEMA_WORDS.search(theirs[1]) and SCHEMA_WORDS.search(ours[1]))


def compare_refusals(expected, observed, found):
    if expected is None or observed is None: return walk(expected, observed, "rejected", found)
    for key in ("code", "object"): walk(expected.get(key), observed.get(key), "rejected." + key, found)
    theirs, ours = causes(expected["message"]), causes(observed["message"])
    for cause in theirs:
        if not any(explains(cause, o) for o in ours): found.append(("rejected.message", "missing: %s: %s" % cause))
    unchecked = UNCHECKED in expected["message"]
    for cause in ours:
        if unchecked and not SCHEMA_WORDS.search(cause[1]): continue
        if not any(explains(t, cause) for t in theirs): found.append(("rejected.message", "extra: %s: %s" % cause))


# --- a case ---------------------------------------------------------------------------------------

def label_of(request):
    name = request["params"].get("LaunchTemplateName") or ""
    if isinstance(name, list): name = ", ".join(name)
    return request["action"] + (" " + name if name else "")


def pair_requests(expected, observed):
    """Pairs requests of one action in order of likeness: exactly equal ones first, then as they come."""
    left = list(observed)
    pairs, open_ones = [], []
    for e in expected:
        same = next((o for o in left if matches(e, o)), None)
        if same is not None: left.remove(same)
        else: open_ones.append(e)
    for e in open_ones:
        like = next((o for o in left if label_of(o) == label_of(e)), None)
        if like is not None: left.remove(like)
        pairs.append((e, like))
    return pairs + [(None, o) for o in left]


def compare_calls(expected, observed, found):
    for phase in ("validation", "launch", "steps", "cleanup", "queries"):
        theirs, ours = expected.get(phase, []), observed.get(phase, [])
        for e, o in pair_requests(theirs, ours):
            request = e or o
            at = "calls.%s.%s" % (phase, label_of(request))
            if o is None: found.append((at, "missing: " + short(e["params"])))
            elif e is None and o["action"] == "GetParameter": pass  # left out where it had been read before
            elif e is None: found.append((at, "extra: %s %s" % (short(o["params"]), short(o.get("error") or ""))))
            else: walk(e, o, at, found)
        if phase == "validation" and not any(p.startswith("calls.validation") for p, _ in found):
            if [label_of(r) for r in theirs] != [label_of(r) for r in ours]:
                found.append(("calls.validation", "another order: " + ", ".join(label_of(r) for r in ours)))


def compare_claims(expected, observed, found):
    left = list(observed)
    open_ones = []
    for e in expected:
        same = next((o for o in left if matches(e, o)), None)
        if same is not None: left.remove(same)
        else: open_ones.append(e)
    for i, e in enumerate(open_ones):
        if not left:
            found.append(("nodeClaims", "missing: a NodeClaim of %s, deleted: %s" % (short(kept_types(e), 60), e["deleted"])))
            continue
        like = next((o for o in left if o["deleted"] == e["deleted"] and o["labels"] == e["labels"]),
                    next((o for o in left if o["deleted"] == e["deleted"]), left[0]))
        left.remove(like)
        walk(e, like, "nodeClaims[%d]" % i, found)
    for o in left: found.append(("nodeClaims", "extra: a NodeClaim of %s, deleted: %s" % (short(kept_types(o), 60), o["deleted"])))


def differences(expected, observed, prices, events=False):
    """[(path, difference)] of two canonical sides."""
    found = []
    names = settle_ties(expected, observed, prices)
    if names: expected, observed = renamed_types(expected, names), renamed_types(observed, names)
    compare_refusals(expected.get("rejected"), observed.get("rejected"), found)
    if expected.get("rejected"): return found  # then there is nothing else
    for field in ("nodeClass", "nodePool"): walk(expected.get(field), observed.get(field), field, found)
    compare_calls(expected["calls"], observed["calls"], found)
    compare_claims(expected["nodeClaims"], observed["nodeClaims"], found)
    if events: walk(expected["events"], observed["events"], "events", found)
    return found
