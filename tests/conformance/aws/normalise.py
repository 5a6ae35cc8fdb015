"""Brings what replay observed, and what was recorded, into one form (README.md says what has no meaning)."""
import collections, copy, difflib, fractions, json, re

TEMPLATE = re.compile(r"TEMPLATE-\w+")
# Upstream's placeholders whose number has no meaning once objects have been paired by content.
NUMBERED = re.compile(r"\b(NODECLAIM|INSTANCE|NODE|PROFILE)-\w+")
INSTANCE_ID = re.compile(r"\bi-[0-9a-f]{8,17}\b")
REQUEST_ID = re.compile(r"aws-request-id=[-0-9a-zA-Z]+")
# key=value pairs in kubelet flags: their order is random upstream.
PAIRS = re.compile(r"(--(?:kube-reserved|system-reserved|eviction-hard|eviction-soft|eviction-soft-grace-period|"
                   r"system-reserved-memory|kube-reserved-memory)=)(['\"]?)([^'\"\s]*)\2")
TIMED_CLAIM_CONDITIONS = ("Initialized", "Ready", "ConsistentStateFound")
TIMED_POOL_CONDITIONS = ("NodeRegistrationHealthy",)
# They come with CreateTags, some time after the registration.
TAGGING_ANNOTATIONS = ("karpenter.k8s.aws/tagged", "compatibility.karpenter.k8s.aws/cluster-name-tagged")
# Reasons whose messages follow from other conditions or are the framework's: they are compared to the letter.
PLAIN_REASONS = ("UnhealthyDependents", "ReconcilingDependents", "AwaitingReconciliation", "NodeClassReadinessUnknown",
                 "NodeNotFound")
OWN_TEXT = "(a message of its own)"
SUFFIXES = {"": 1, "k": 10**3, "M": 10**6, "G": 10**9, "T": 10**12, "P": 10**15, "E": 10**18, "m": fractions.Fraction(1, 10**3),
            "Ki": 2**10, "Mi": 2**20, "Gi": 2**30, "Ti": 2**40, "Pi": 2**50, "Ei": 2**60}
NUMBER = re.compile(r"[0-9]+(?:\.[0-9]+)?(?:e[-+]?[0-9]+)?")
QUANTITY = re.compile(r"([0-9]+(?:\.[0-9]+)?)([kMGTPEm]|[KMGTPE]i)?")
READS = ("Describe", "Get", "List", "Receive", "Decode", "Assume")
QUERIES = {("ec2", "DescribeCapacityReservations"), ("ec2", "DescribeImages"), ("ec2", "DescribeLaunchTemplates"),
           ("ec2", "DescribePlacementGroups"), ("ec2", "DescribeSecurityGroups"), ("ec2", "DescribeSubnets"),
           ("iam", "GetInstanceProfile"), ("ssm", "GetParameter")}
MUTATING_SERVICES = ("ec2", "iam")


def text_of(value):
    return json.dumps(value, sort_keys=True)


def mapped(value, change):
    """The value with change() applied to every text in it, keys included."""
    if isinstance(value, str): return change(value)
    if isinstance(value, list): return [mapped(v, change) for v in value]
    if isinstance(value, dict): return {change(k): mapped(v, change) for k, v in value.items()}
    return value


# --- the wire's parameters ------------------------------------------------------------------------

def flattened(override, prefix=""):
    flat = {}
    for key, value in override.items():
        if isinstance(value, dict): flat.update(flattened(value, prefix + key + "."))
        else: flat[prefix + key] = value
    return flat


# The order of a table's columns; others follow by name.
COLUMNS = ("InstanceType", "AvailabilityZone", "AvailabilityZoneId", "SubnetId", "ImageId", "Priority")


def override_table(overrides):
    flat = [flattened(o) for o in overrides]
    names = {name for row in flat for name in row}
    columns = [c for c in COLUMNS if c in names] + sorted(names - set(COLUMNS))
    return {"columns": columns, "rows": sorted(([row.get(c) for c in columns] for row in flat), key=text_of)}


def sorted_pairs(user_data):
    return PAIRS.sub(lambda m: m[1] + m[2] + ",".join(sorted(m[3].split(","))) + m[2], user_data)


def is_tag_list(value):
    return isinstance(value, list) and value and all(isinstance(v, dict) and set(v) <= {"Key", "Value"} and "Key" in v
                                                     for v in value)


def tidy(value, key=""):
    """One request's parameters as the recordings show them; those of a recording stay as they are."""
    if isinstance(value, dict):
        if set(value) == {"member"}: return tidy(value["member"], key)
        if key == "UserData" and set(value) == {"Value"}: return tidy(value["Value"], key)
        return {k: tidy(v, k) for k, v in value.items() if k not in ("ClientToken", "Action", "Version") or
                k == "Version" and "LaunchTemplateName" in value}
    if isinstance(value, list):
        if is_tag_list(value): return {v["Key"]: v.get("Value", "") for v in value}
        if key == "TagSpecification":
            return {v.get("ResourceType", ""): tidy(v.get("Tag", []), "Tag") or {} for v in value}
        if key == "Overrides": return override_table(value)
        items = [tidy(v) for v in value]
        if key == "Filter":
            items = [dict(f, Value=sorted(f["Value"])) if isinstance(f.get("Value"), list) else f for f in items]
            return sorted(items, key=text_of)
        if key == "LaunchTemplateConfigs": return sorted(items, key=text_of)
        return items
    if key == "UserData" and isinstance(value, str): return sorted_pairs(value)
    return value


# --- from replay's raw document -------------------------------------------------------------------

def reply_of(reply):
    instances = [{"ids": sorted(i["ids"]), "lifecycle": i.get("lifecycle"), "template": i.get("template"), "type": i.get("type"),
                  "zone": i.get("zone")} for i in reply.get("instances", [])]
    return {"errors": sorted(list(e) for e in reply.get("errors", [])), "instances": instances}


def request_of(raw):
    request = {"service": raw["service"], "action": raw["action"], "params": tidy(raw["params"])}
    if raw.get("error"): request["error"] = raw["error"]
    if raw["action"] == "CreateFleet" and raw.get("reply"): request["reply"] = reply_of(raw["reply"])
    if raw.get("count"): request["count"] = raw["count"]
    return request


def is_check(request):
    """Whether the request belongs to the validation of a NodeClass: profiles and dry runs."""
    params = request["params"]
    if request["service"] == "iam": return request["action"] in ("CreateInstanceProfile", "AddRoleToInstanceProfile", "TagInstanceProfile")
    if params.get("DryRun") == "true": return True
    tags = params.get("TagSpecification", {})
    return request["action"] == "CreateLaunchTemplate" and tags.get("launch-template", {}).get("karpenter.sh/nodepool") == ""


def deleted_template(request, names):
    params = request["params"]
    return dict(request, params={"LaunchTemplate": params.get("LaunchTemplateName") or names.get(params.get("LaunchTemplateId"), "unknown")})


def template_names(requests):
    """Id of each template that was deleted by it -> its name. The requests do not say: in the order of creation."""
    created, by_name, ids = [], set(), []
    for r in requests:
        name, id = r["params"].get("LaunchTemplateName"), r["params"].get("LaunchTemplateId")
        if r["action"] == "CreateLaunchTemplate" and name not in created and not r.get("error"): created.append(name)
        if r["action"] == "DeleteLaunchTemplate" and name: by_name.add(name)
        if r["action"] == "DeleteLaunchTemplate" and id and id not in ids: ids.append(id)
    return dict(zip(ids, [name for name in created if name not in by_name]))


def phase_of(request, phase):
    if request["action"] == "DeleteLaunchTemplate": return "cleanup"
    if is_check(request) and phase == "launch": return "validation"
    if phase == "validation" and not is_check(request): return "launch"
    return phase


def calls_of(raw, tagged, queries):
    phases = collections.defaultdict(list)
    names = template_names(raw.get("requests", []))
    for item in raw.get("requests", []):
        request = request_of(item)
        if request["service"] not in MUTATING_SERVICES + ("ssm",): continue
        if request["action"].startswith(READS):
            if queries and item["phase"] != "cleanup" and (request["service"], request["action"]) in QUERIES:
                phases["queries"].append(request)
            continue
        if request["action"] == "DeleteLaunchTemplate": request = deleted_template(request, names)
        if request["action"] == "CreateTags" and not tagged: continue
        if request["action"] == "CreateTags" and item["phase"] in ("steps", "cleanup"): continue
        phases[phase_of(request, item["phase"])].append(request)
    return phases


def conditions_of(conditions, left_out=()):
    return sorted(({k: c.get(k, "") for k in ("type", "status", "reason", "message")} for c in conditions or []
                   if c["type"] not in left_out), key=lambda c: c["type"])


def class_of(raw):
    status = copy.deepcopy(raw.get("status", {}))
    status["conditions"] = conditions_of(status.get("conditions"))
    for reservation in status.get("capacityReservations", []):
        if "endTime" in reservation: reservation["endTime"] = "TIME"
    status.pop("observedGeneration", None)
    return {"annotations": raw["metadata"].get("annotations", {}), "finalizers": raw["metadata"].get("finalizers", []),
            "spec": raw["spec"], "status": status}


def claim_of(raw):
    claim = raw["object"]
    status = {k: v for k, v in claim.get("status", {}).items() if k not in ("conditions", "lastPodEventTime")}
    seen = sorted({tuple(s) for s in raw["seen"] if s[0] not in TIMED_CLAIM_CONDITIONS})
    return {"annotations": claim["metadata"].get("annotations", {}), "labels": claim["metadata"].get("labels", {}),
            "conditions": conditions_of(claim.get("status", {}).get("conditions"), TIMED_CLAIM_CONDITIONS),
            "deleted": raw["deleted"], "name": claim["metadata"]["name"], "seen": [list(s) for s in seen],
            "spec": claim["spec"], "status": status}


def placeholders(raw):
    """Name in the observed world -> placeholder."""
    names = {}
    for claim in raw.get("nodeClaims", []):
        names[claim["object"]["metadata"]["name"]] = "NODECLAIM-1"
        node = claim["object"].get("status", {}).get("nodeName")
        if node: names[node] = "NODE-1"
    if raw.get("nodeClass"): names[raw["nodeClass"]["metadata"]["uid"]] = "NODECLASS-UID"
    templates = []
    for item in raw.get("requests", []):
        params = item["params"]
        if item["action"] in ("CreateInstanceProfile", "GetInstanceProfile") and "_" in params.get("InstanceProfileName", ""):
            names[params["InstanceProfileName"]] = "PROFILE-1"
        if item["action"] == "CreateLaunchTemplate" and params["LaunchTemplateName"] not in templates:
            templates.append(params["LaunchTemplateName"])
    for i, name in enumerate(templates): names[name] = "TEMPLATE-x%d" % (i + 1)
    return names


def observed_to_expect(raw, case):
    """The observation in the form of a scenario's `expect`."""
    expect = {"calls": calls_of(raw, case.get("tagged"), case["area"] == "discover"),
              "nodeClaims": [claim_of(c) for c in raw.get("nodeClaims", [])],
              "events": raw.get("events", []),
              "nodeClass": class_of(raw["nodeClass"]) if raw.get("nodeClass") else None}
    if raw.get("rejected"): expect["rejected"] = raw["rejected"]
    if raw.get("nodePool"):
        pool = raw["nodePool"]
        expect["nodePool"] = {"annotations": pool["metadata"].get("annotations", {}),
                              "conditions": conditions_of(pool.get("status", {}).get("conditions"), TIMED_POOL_CONDITIONS)}
    names = placeholders(raw)
    if names:
        known = re.compile("|".join(re.escape(n) for n in sorted(names, key=len, reverse=True)))
        expect = mapped(expect, lambda text: known.sub(lambda m: names[m[0]], text))
    instances = {}
    return mapped(expect, lambda text: INSTANCE_ID.sub(
        lambda m: instances.setdefault(m[0], "INSTANCE-%d" % (len(instances) + 1)), text))


# --- both sides -----------------------------------------------------------------------------------

def matches(expected, observed):
    """Equal, but for ANY and ANY-TYPE in the expected value."""
    if expected == observed: return True
    if isinstance(expected, str) and isinstance(observed, str) and "ANY" in expected:
        if re.search(r"\bANY(-TYPE)?\b", expected):
            pattern = re.sub(r"ANY(-TYPE|\\-TYPE)?", r"[-a-z0-9.]+", re.escape(expected))
            return re.fullmatch(pattern, observed) is not None
    if isinstance(expected, dict) and isinstance(observed, dict):
        return expected.keys() == observed.keys() and all(matches(expected[k], observed[k]) for k in expected)
    if isinstance(expected, list) and isinstance(observed, list):
        return len(expected) == len(observed) and all(map(matches, expected, observed))
    return False


def templates_of(expect):
    """Template -> its content, nameless."""
    return {r["params"]["LaunchTemplateName"]: dict(r["params"], LaunchTemplateName="")
            for phase in expect["calls"].values() for r in phase if r["action"] == "CreateLaunchTemplate"}


def types_by_template(expect):
    types = collections.defaultdict(set)
    for phase in expect["calls"].values():
        for r in phase:
            if r["action"] != "CreateFleet": continue
            for config in r["params"].get("LaunchTemplateConfigs", []):
                name = config.get("LaunchTemplateSpecification", {}).get("LaunchTemplateName", "")
                types[name].update(row[0] for row in config.get("Overrides", {}).get("rows", []))
    return types


def likeness(a, b):
    """How alike two templates are: first by the texts but for the user data, then by that."""
    rest = lambda t: text_of({**t, "LaunchTemplateData": {**t["LaunchTemplateData"], "UserData": ""}})
    return (difflib.SequenceMatcher(None, rest(a), rest(b), autojunk=False).quick_ratio() +
            difflib.SequenceMatcher(None, a["LaunchTemplateData"].get("UserData", ""), b["LaunchTemplateData"].get("UserData", ""),
                                    autojunk=False).quick_ratio())


def paired_templates(expected, observed):
    """Observed template -> the recorded one that it is, or that it should probably have been."""
    wanted, have, pairs = templates_of(expected), templates_of(observed), {}
    for name in sorted(wanted):
        same = [o for o in sorted(have) if o not in pairs and matches(wanted[name], have[o])]
        if same: pairs[same[0]] = name
    left = [n for n in sorted(wanted) if n not in pairs.values()]
    if left:
        their, our = types_by_template(expected), types_by_template(observed)
        score = lambda o, n: len(their[n] & our[o]) / (len(their[n] | our[o]) or 1) + likeness(wanted[n], have[o])
        options = sorted(((score(o, n), n, o) for n in left for o in have if o not in pairs), reverse=True)
        for _, name, other in options:
            if other not in pairs and name not in pairs.values(): pairs[other] = name
    return pairs


def one_termination(requests):
    """The terminations of a phase as one, of each instance once: upstream merges them as time will have it."""
    ids = sorted({i for r in requests if r["action"] == "TerminateInstances" for i in r["params"]["InstanceId"]})
    others = [r for r in requests if r["action"] != "TerminateInstances"]
    return others + [{"service": "ec2", "action": "TerminateInstances", "params": {"InstanceId": ids}}] if ids else others


def priced(params):
    """Priorities of overrides are numbers: nine digits of them count, not how a sum of doubles ends."""
    for config in params.get("LaunchTemplateConfigs", []):
        overrides = config.get("Overrides", {})
        if "Priority" not in overrides.get("columns", []): continue
        at = overrides["columns"].index("Priority")
        for row in overrides["rows"]: row[at] = "%.9g" % float(row[at]) if NUMBER.fullmatch(row[at] or "") else row[at]
        overrides["rows"].sort(key=text_of)
    return params


def without_subnets(request):
    """A dry run of RunInstances tries one subnet after the other: one request, whose end counts (AWN-436)."""
    if request["action"] != "RunInstances" or request["params"].get("DryRun") != "true": return request
    interfaces = [{k: v for k, v in i.items() if k != "SubnetId"} for i in request["params"].get("NetworkInterface", [])]
    return dict(request, params=dict(request["params"], NetworkInterface=interfaces))


def merged(requests, phase):
    """Equal requests as one: refused ones are repeated, fleets add up their capacities."""
    found = collections.OrderedDict()
    for request in requests:
        request = {k: v for k, v in request.items() if k != "repeated"}
        launches = (request.get("reply") or {}).get("instances") or []
        key = copy.deepcopy(request)
        target = key["params"].get("TargetCapacitySpecification")
        if target: target["TotalTargetCapacity"] = ""
        if request["action"] == "CreateFleet" and phase in ("launch", "steps") and key.get("reply"):
            key["reply"]["instances"] = sorted(({**i, "ids": []} for i in launches), key=text_of)
        if request["service"] == "ssm": key["count"] = None
        if phase in ("validation", "cleanup"):  # what became of it in the end counts
            found[text_of({**without_subnets(key), "error": None})] = copy.deepcopy(request)
            continue
        same = found.get(text_of(key))
        if same is None: found[text_of(key)] = copy.deepcopy(request)
        elif launches:
            total = same["params"]["TargetCapacitySpecification"]
            total["TotalTargetCapacity"] = str(int(total["TotalTargetCapacity"]) +
                                               int(request["params"]["TargetCapacitySpecification"]["TotalTargetCapacity"]))
            by_kind = {text_of({**i, "ids": []}): i for i in same["reply"]["instances"]}
            for i in launches: by_kind[text_of({**i, "ids": []})]["ids"].extend(i["ids"])
    return list(found.values())


def without_numbers(expect):
    return mapped(expect, lambda text: REQUEST_ID.sub("aws-request-id=ID", NUMBERED.sub(r"\1", text)))


def canonical_calls(calls):
    result = {}
    seen = set()
    for phase in ("validation", "launch", "steps", "cleanup", "queries"):
        if not calls.get(phase): continue
        requests = [dict(r, params=priced(copy.deepcopy(tidy(r["params"])))) for r in calls[phase]]
        requests = merged(requests, phase)
        if phase == "validation": seen = {text_of(r) for r in requests}
        # A check that was made before, or whose template is still there, says nothing new.
        if phase == "steps": requests = [r for r in requests if text_of(r) not in seen]
        for r in requests:
            for i in (r.get("reply") or {}).get("instances", []): i["ids"] = sorted(i["ids"])
            if r.get("reply"): r["reply"]["instances"].sort(key=text_of)
        if phase != "validation": requests.sort(key=lambda r: (r["action"], text_of(r)))
        if requests: result[phase] = requests
    return result


def is_legible(message):
    """A sentence for people, not a mere code: three words at least, one of them in small letters."""
    words = message.split()
    return len(words) >= 3 and any(re.fullmatch(r"[a-z']+", word) for word in words)


def own_text(status, reason, message):
    """AWN-37, AWN-437, AWN-611: message texts of what is not True are adze's own; status and reason are not."""
    own = status != "True" and reason not in PLAIN_REASONS and is_legible(message)
    return OWN_TEXT if own else message


def with_own_texts(conditions):
    return [dict(c, message=own_text(c["status"], c["reason"], c["message"])) for c in conditions or []]


def by_value(quantities):
    """75G and 75000000000 are one quantity."""
    values = {}
    for name, text in (quantities or {}).items():
        match = QUANTITY.fullmatch(text) if isinstance(text, str) else None
        values[name] = str(fractions.Fraction(match[1]) * SUFFIXES[match[2] or ""]) if match else text
    return values


def tidy_claim(claim, tagged):
    claim["conditions"] = with_own_texts(conditions_of(claim["conditions"], TIMED_CLAIM_CONDITIONS))
    claim["seen"] = sorted(s[:3] + [own_text(s[1], s[2], s[3])] for s in claim["seen"])
    if not tagged: claim["annotations"] = {k: v for k, v in (claim.get("annotations") or {}).items() if k not in TAGGING_ANNOTATIONS}
    for part in ("capacity", "allocatable"):
        if claim["status"].get(part): claim["status"][part] = by_value(claim["status"][part])
    requests = claim["spec"].get("resources", {}).get("requests")
    if requests: claim["spec"]["resources"]["requests"] = by_value(requests)


def canonical_claims(claims, tagged):
    """Sorted by content; equal ones that were given up count once."""
    result, given_up = [], set()
    for claim in sorted(claims, key=text_of):
        claim = copy.deepcopy(claim)
        tidy_claim(claim, tagged)
        # Whether a drained one had ended when the run was over depends on time.
        if any(s[:2] == ["Launched", "True"] for s in claim["seen"]): claim["deleted"] = False
        claim["spec"]["requirements"] = sorted(claim["spec"].get("requirements", []), key=text_of)
        if claim["deleted"]:
            # Whether the first state was written before the claim was given up depends on time.
            claim["conditions"] = [c for c in claim["conditions"] if c["status"] != "Unknown"]
            if text_of(claim) in given_up: continue
            given_up.add(text_of(claim))
        result.append(claim)
    return result


def canonical(expected, observed, case):
    """Both sides with the same names, ready for comparison."""
    pairs = paired_templates(expected, observed)
    observed = mapped(observed, lambda text: TEMPLATE.sub(lambda m: pairs.get(m[0], m[0]), text))
    sides = []
    for side in (expected, observed):
        side = without_numbers({**side, "calls": {phase: one_termination(requests) for phase, requests in side["calls"].items()}})
        side["calls"] = canonical_calls(side["calls"])
        side["nodeClaims"] = canonical_claims(side.get("nodeClaims") or [], case.get("tagged"))
        if side.get("nodePool"): side["nodePool"]["conditions"] = with_own_texts(side["nodePool"].get("conditions"))
        node_class = side.get("nodeClass")
        if node_class:
            if node_class.get("spec") is None: node_class["spec"] = without_numbers(case["input"]["nodeClass"]["spec"])
            status = node_class.get("status") or {}
            if "conditions" in status: status["conditions"] = with_own_texts(status["conditions"])
            if "amis" in status: status["amis"].sort(key=lambda a: (a.get("id", ""), text_of(a)))
        side["events"] = sorted(side.get("events") or [], key=text_of)
        sides.append(side)
    return sides
