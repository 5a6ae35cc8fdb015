"""Tests of the comparison itself: a recording equals itself, also after a detour through replay's raw form, and every change is found."""
import copy, json, os, random, sys, unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import check, compare, normalise

PRICES = check.read_prices(os.path.join(HERE, "environment"))
CASES = sorted(os.listdir(os.path.join(HERE, "cases")))
WITHOUT_MEANING = ("events", "repeated", "name", "count", "ids", "TotalTargetCapacity", "LaunchTemplateName", "LaunchTemplate", "template")


def read(name):
    with open(os.path.join(HERE, "cases", name)) as f: return json.load(f)


def compared(case, observed):
    theirs, ours = normalise.canonical(case["expect"], observed, case)
    return compare.differences(theirs, ours, PRICES)


# --- back to the raw form -------------------------------------------------------------------------

def wire(value, key="", parent=""):
    """The parameters as the account decodes them, from the recordings' form."""
    if key == "TagSpecification":
        return [{"ResourceType": kind, "Tag": [{"Key": k, "Value": v} for k, v in tags.items()]} for kind, tags in value.items()]
    if key in ("Tags", "Tag") and isinstance(value, dict):
        return {"member": [{"Key": k, "Value": v} for k, v in value.items()]}
    if key == "Overrides":
        return [{c: v for c, v in zip(value["columns"], row) if v is not None} for row in reversed(value["rows"])]
    if isinstance(value, dict): return {k: wire(v, k) for k, v in value.items()}
    if isinstance(value, list): return [wire(v) for v in value]
    return value


def uncooked(case):
    """A raw document that says what the recording says, under other names."""
    expect = copy.deepcopy(case["expect"])
    requests = []
    for phase in ("validation", "launch", "steps", "cleanup", "queries"):
        for r in expect["calls"].get(phase, []):
            raw = {**r, "phase": "validation" if phase == "queries" else phase, "params": wire(r["params"])}
            if r["action"] == "DeleteLaunchTemplate": raw["params"] = {"LaunchTemplateName": r["params"]["LaunchTemplate"]}
            if r["action"] == "CreateFleet": raw["params"]["ClientToken"] = "token-%d" % len(requests)
            requests.append(raw)
    raw = {"requests": requests, "events": expect["events"], "nodeClass": None, "rejected": expect.get("rejected"), "limits": []}
    raw["nodeClaims"] = [{"deleted": c["deleted"], "seen": c["seen"] + [["Initialized", "False", "a", "b"]], "object": {
        "metadata": {"name": c["name"], "annotations": c["annotations"], "labels": c["labels"]}, "spec": c["spec"],
        "status": {**c["status"], "conditions": c["conditions"] + [{"type": "Ready", "status": "True", "reason": "", "message": ""}]}}}
        for c in expect["nodeClaims"]]
    if expect.get("nodeClass"):
        c = expect["nodeClass"]
        raw["nodeClass"] = {"metadata": {"name": "x", "uid": "NODECLASS-UID", "annotations": c["annotations"], "finalizers": c["finalizers"]},
                            "spec": case["input"]["nodeClass"]["spec"] if c["spec"] is None else c["spec"], "status": c["status"]}
    if expect.get("nodePool"):
        p = expect["nodePool"]
        raw["nodePool"] = {"metadata": {"annotations": p["annotations"]}, "status": {"conditions": p["conditions"]}}
    hexed = lambda n: "i-%017x" % (99 - n)
    rename = lambda text: renamed(renamed(renamed(renamed(text, "NODECLASS-UID", "11-22"), "TEMPLATE-", "karpenter.k8s.aws/7"), "PROFILE-", "c_8"),
                                  "NODECLAIM-", "claim-x")
    return normalise.mapped(raw, lambda text: normalise.re.sub(r"INSTANCE-(\d+)", lambda m: hexed(int(m[1])), rename(text)))


def renamed(text, old, new):
    return text.replace(old, new)


# --- mutations ------------------------------------------------------------------------------------

def leaves(value, path=()):
    if isinstance(value, dict):
        for k, v in value.items(): yield from leaves(v, path + (k,))
    elif isinstance(value, list):
        for i, v in enumerate(value): yield from leaves(v, path + (i,))
    else:
        yield path


def is_free(path, value):
    """Whether a change of this leaf has no meaning."""
    if any(p in WITHOUT_MEANING for p in path) or len(path) < 2: return True
    if path[0] == "nodeClaims" and path[2] == "conditions": return True  # test_conditions_of_claims
    return isinstance(value, str) and bool(normalise.NUMBERED.search(value) or "ANY" in value or value == "TIME")


def mutate(expect, path):
    place = expect
    for p in path[:-1]: place = place[p]
    value = place[path[-1]]
    if is_free(path, value): return False
    if "message" in path or "seen" in path:  # one sentence is as good as another
        place[path[-1]] = "" if normalise.is_legible(value) else value + "x"
        return True
    place[path[-1]] = (not value) if isinstance(value, bool) else value + "x" if isinstance(value, str) else 77 if value is None else value + 1
    return True


class Comparison(unittest.TestCase):
    def test_a_recording_equals_itself(self):
        for name in CASES:
            case = read(name)
            self.assertEqual(compared(case, copy.deepcopy(case["expect"])), [], name)

    def test_the_raw_form_leads_back(self):
        for name in CASES[::2]:
            case = read(name)
            observed = normalise.observed_to_expect(uncooked(case), case)
            self.assertEqual(compared(case, observed), [], name)

    def test_every_mutation_is_found(self):
        chance, found = random.Random(1), 0
        for name in CASES[::16]:
            case = read(name)
            paths = list(leaves(case["expect"]))
            for path in chance.sample(paths, min(30, len(paths))):
                mutated = copy.deepcopy(case["expect"])
                if not mutate(mutated, path): continue
                self.assertNotEqual(compared(case, mutated), [], "%s: %s" % (name, path))
                found += 1
        self.assertGreater(found, 150)

    def test_conditions_of_claims(self):
        case = read("drift-tags.json")
        for key in ("status", "reason", "message"):
            other = copy.deepcopy(case["expect"])
            other["nodeClaims"][0]["conditions"][0][key] += "x"
            self.assertNotEqual(compared(case, other), [], key)

    def test_a_lost_request_or_claim_is_found(self):
        for name in CASES[::12]:
            case = read(name)
            for phase, requests in case["expect"]["calls"].items():
                for i, request in enumerate(requests):
                    if request["action"] == "GetParameter": continue
                    less = copy.deepcopy(case["expect"])
                    del less["calls"][phase][i]
                    self.assertNotEqual(compared(case, less), [], "%s: %s %s" % (name, phase, request["action"]))
            if case["expect"]["nodeClaims"]:
                less = copy.deepcopy(case["expect"])
                less["nodeClaims"].pop()
                self.assertNotEqual(compared(case, less), [], name)

    def test_an_additional_request_is_found(self):
        case = read("drift-tags.json")
        more = copy.deepcopy(case["expect"])
        more["calls"]["launch"].append({"service": "ec2", "action": "RunInstances", "params": {"InstanceType": "m5.large"}})
        self.assertNotEqual(compared(case, more), [])


class Meaningless(unittest.TestCase):
    def test_order_of_templates_and_repetitions(self):
        case = read("types-all.json")
        other = copy.deepcopy(case["expect"])
        other["calls"]["launch"].reverse()
        for r in other["calls"]["launch"]:
            if r["action"] == "CreateFleet": r["params"]["LaunchTemplateConfigs"].reverse()
        self.assertEqual(compared(case, other), [])

    def test_repeated_refusals_count_once(self):
        case = read("failure-throttled.json")
        other = copy.deepcopy(case["expect"])
        refused = [r for r in other["calls"]["launch"] if r.get("error")]
        other["calls"]["launch"] = refused + refused + other["calls"]["launch"]
        self.assertEqual(compared(case, other), [])

    def test_types_of_one_price_are_interchangeable(self):
        prices = compare.Prices({"onDemand": {**{"a%d" % i: i for i in range(59)}, "x": 99, "y": 99, "z": 100}, "spot": {}})
        first = ["a%d" % i for i in range(59)]
        self.assertTrue(prices.interchangeable(first + ["x"], first + ["y"]))
        self.assertFalse(prices.interchangeable(first + ["x"], first + ["z"]))
        self.assertFalse(prices.interchangeable(first[1:] + ["x"], first[1:] + ["y"]))

    def test_pairs_of_kubelet_flags(self):
        self.assertEqual(normalise.sorted_pairs("a --kube-reserved='b=2,a=1' c"), "a --kube-reserved='a=1,b=2' c")

    def test_refusals(self):
        theirs = compare.causes('X "n" is invalid: [spec.tags: Invalid value: empty, <nil>: Invalid value: null: some, spec.a: Invalid value: 65: '
                                'spec.a in body should be less than or equal to 64]')
        self.assertEqual(theirs, [("spec.tags", "empty"), ("spec.a", "spec.a in body should be less than or equal to 64")])
        self.assertTrue(compare.explains(theirs[0], ('spec.tags["a"]', "empty")))
        self.assertTrue(compare.explains(theirs[1], ("spec.a", "65 is more than 64")))
        self.assertFalse(compare.explains(theirs[0], ("spec.tags", "full")))
        self.assertFalse(compare.explains(theirs[0], ("spec.tagsets", "empty")))

    def test_words_of_schemas(self):
        """The kinds of refusal that come from the schema have words of their own on either side."""
        for theirs, ours in (("Required value", "is required"),
                             ('Invalid value: "integer": spec.a in body must be of type string: "integer"', "must be a string, not a number"),
                             ("Too many: 31: must have at most 30 items", "has 31 entries; at most 30 are allowed"),
                             ("Too long: may not be more than 30 bytes", "is 35 characters long; at most 30 are allowed"),
                             ('Invalid value: "x": spec.a in body should match \'^cr-$\'', '"x" does not have the form ^cr-$'),
                             ("Invalid value: -1: spec.a in body should be greater than or equal to 0", "-1 is less than 0"),
                             ('Invalid value: "": spec.a in body should be at least 1 chars long', "must not be empty")):
            expected = {"code": 422, "object": "X", "message": 'X "n" is invalid: spec.a: ' + theirs}
            found = []
            compare.compare_refusals(expected, {**expected, "message": 'X "n" is invalid: spec.a: ' + ours}, found)
            self.assertEqual(found, [], theirs)
            compare.compare_refusals(expected, {**expected, "message": 'X "n" is invalid: spec.a: a rule of its own'}, found)
            self.assertEqual(len(found), 2, theirs)

    def test_rules_left_unchecked(self):
        """A badly broken schema ends kube-apiserver's checks before the rules; adze goes on."""
        expected = {"code": 422, "object": "X", "message": 'X "n" is invalid: [spec.a: Required value, <nil>: Invalid value: null: some rules were not checked]'}
        found = []
        compare.compare_refusals(expected, {**expected, "message": 'X "n" is invalid: [spec.a: is required, spec: one of a and b]'}, found)
        self.assertEqual(found, [])
        compare.compare_refusals(expected, {**expected, "message": 'X "n" is invalid: [spec.a: is required, spec.b: is required]'}, found)
        self.assertEqual(len(found), 1)


class Exceptions(unittest.TestCase):
    EXCEPTION = {"rule": "AWN-1", "reason": "wrong upstream", "differs": "^a: ", "instead": [{"at": "c/type=R/m", "is": "new"}]}

    def test_an_exception_explains_its_difference_only(self):
        observed = {"c": [{"type": "R", "m": "new"}]}
        left, complaints = check.excused([("a", "x"), ("b", "y")], [self.EXCEPTION], observed)
        self.assertEqual((left, complaints), ([("b", "y")], []))

    def test_an_exception_without_difference_is_a_fault(self):
        left, complaints = check.excused([], [self.EXCEPTION], {"c": [{"type": "R", "m": "new"}]})
        self.assertEqual((left, len(complaints)), ([], 1))

    def test_what_happens_instead_is_checked(self):
        self.assertEqual(len(check.excused([("a", "x")], [self.EXCEPTION], {"c": []})[1]), 1)
        self.assertEqual(len(check.excused([("a", "x")], [{**self.EXCEPTION, "instead": []}], {})[1]), 1)


class Rules(unittest.TestCase):
    NAMES = check.all_cases()

    def test_the_tables_name_cases(self):
        rules = check.read_rules()
        self.assertEqual(list(check.without_proof(rules, self.NAMES)), [])
        self.assertGreater(len(rules), 50)

    def test_a_case_that_is_missing_is_told(self):
        told = list(check.without_proof({"R-1": ["drift-tags", "gone"], "R-2": []}, self.NAMES))
        self.assertEqual(told, ["R-1: there is no case gone", "R-2: no case proves it"])

    def test_calls_that_are_never_made_AWN_572(self):
        # An additional request is a difference, so adze makes none of them either.
        made = {r["service"] + ":" + r["action"] for name in CASES for rs in read(name)["expect"]["calls"].values() for r in rs}
        self.assertIn("iam:CreateInstanceProfile", made)
        self.assertEqual(made & {"iam:TagInstanceProfile", "iam:GetRole", "iam:PassRole"}, set())


if __name__ == "__main__":
    unittest.main()
