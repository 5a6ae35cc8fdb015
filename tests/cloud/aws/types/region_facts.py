#!/usr/bin/env python3
"""EC2's types, zones and prices by region, as test_region_facts.c compares them with the built-in catalogue.

    region_facts.py print FACTS-DIRECTORY > tests/cloud/data/region-facts.json   (a sample)
    region_facts.py compare TEST FACTS-DIRECTORY                                 (all regions, all types)

FACTS-DIRECTORY has the files that data/ec2 was made of: regions.json.gz, prices-on-demand.json and instance-types.json. Without it there is
nothing to compare with: status 77 tells so. Each type is [on-demand price, spot price, band of interruptions, number
of zones], 0 where it is unknown; null: it is of the day of the lists, and the region does not offer it.
"""
import gzip
import json
import os
import re
import subprocess
import sys
import tempfile

SAMPLE_REGIONS = ("af-south-1", "ap-northeast-1", "ap-northeast-2", "ap-south-1", "ap-southeast-2", "eu-central-1", "eu-north-1",
                  "eu-west-1", "sa-east-1", "us-east-1", "us-east-2", "us-west-2")
SAMPLE_TYPES = ("c5.large", "c6g.4xlarge", "c7g.xlarge", "c7i.48xlarge", "g4dn.xlarge", "g5.12xlarge", "i4i.2xlarge", "inf2.xlarge",
                "m5.large", "m5.metal", "m6a.8xlarge", "m7i-flex.large", "m8g.2xlarge", "p4d.24xlarge", "p5.48xlarge", "r5.xlarge",
                "r6gd.medium", "r8g.large", "t3.medium", "t3a.2xlarge", "t4g.small", "x2iedn.32xlarge")
BANDS = ("<5%", "5-10%", "10-15%", "15-20%", ">20%")
SKIPPED = 77


def facts_of(name, types, newer):
    known, listed = types.get(name), newer.get(name)
    if known is None and listed is None:
        return None
    known = known or {}
    spot, band = known.get("spot"), known.get("interruption")
    price = listed if listed is not None else known["onDemand"]
    return [price, spot[0] if spot else 0, BANDS.index(band) + 1 if spot and band else 0, len(known.get("zones", ()))]


def whole(directory):
    with gzip.open(os.path.join(directory, "regions.json.gz")) as file:
        regions = json.load(file)["regions"]
    with open(os.path.join(directory, "prices-on-demand.json"), encoding="utf-8") as file:
        newer = json.load(file)["regions"]
    with open(os.path.join(directory, "instance-types.json"), encoding="utf-8") as file:
        described = {entry["name"] for entry in json.load(file)["types"]}
    names = sorted({name for entry in regions.values() for name in entry["types"]} & described)
    facts = {}
    for region, entry in regions.items():
        if not re.fullmatch(r"[a-z]+(-gov)?-[a-z]+-\d+", region):
            continue  # a local or wavelength zone
        types = {name: facts_of(name, entry["types"], newer.get(region, {})) for name in names}
        facts[region] = {"zones": len({zone for known in entry["types"].values() for zone in known.get("zones", ())}), "types": types}
    return facts


def sample(facts):
    """One type a line."""
    rows = []
    for region in SAMPLE_REGIONS:
        types = ",\n".join(f'    "{name}": {json.dumps(facts[region]["types"][name])}' for name in SAMPLE_TYPES)
        rows.append(f'  "{region}": {{"zones": {facts[region]["zones"]}, "types": {{\n{types}}}}}')
    return "{\n" + ",\n".join(rows) + "\n}"


def compare(test, facts):
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump(facts, file)
        file.flush()
        return subprocess.run([test, file.name], check=False).returncode


def main():
    if len(sys.argv) < 3 or sys.argv[1] not in ("print", "compare"):
        sys.exit(__doc__)
    if not os.path.exists(os.path.join(sys.argv[-1], "regions.json.gz")):
        print("nothing to compare with in", sys.argv[-1])
        return SKIPPED
    facts = whole(sys.argv[-1])
    if sys.argv[1] == "compare":
        return compare(sys.argv[2], facts)
    print(sample(facts))
    return 0


if __name__ == "__main__":
    sys.exit(main())
