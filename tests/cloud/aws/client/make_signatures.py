#!/usr/bin/env python3
"""Writes data/signatures.json and data/endpoints.json with botocore (pip install botocore): requests with the signatures
that AWS's own library gives them, and where it finds each service in each region.

    make_signatures.py FOLDER
"""
import datetime
import json
import pathlib
import sys

import botocore.auth
import botocore.awsrequest
import botocore.credentials
import botocore.session
from botocore.config import Config

NOW = datetime.datetime(2026, 1, 1, 0, 0, 0, tzinfo=datetime.timezone.utc)
SERVICES = {  # ours: botocore's, the name it is signed with
    "ec2": ("ec2", "ec2"), "iam": ("iam", "iam"), "sts": ("sts", "sts"), "ssm": ("ssm", "ssm"), "sqs": ("sqs", "sqs"),
    "eks": ("eks", "eks"), "pricing": ("pricing", "pricing"), "arc-zonal-shift": ("arc-zonal-shift", "arc-zonal-shift"),
    "servicequotas": ("service-quotas", "servicequotas"),
}
REGIONS = ["us-east-1", "us-west-2", "eu-central-1", "ap-southeast-2", "cn-north-1", "cn-northwest-1", "us-gov-west-1",
           "us-gov-east-1", "us-iso-east-1", "us-isob-east-1", "eu-isoe-west-1", "us-isof-south-1"]
ODD = "a b+c/d?e=f&g%h~i_j-k.l*m'n(o)p!q$r,s;t:u@v#w[x]y|zäß漢字\"\\"


def sign(service, region, token, method, path, query, headers, body):
    class Clock(datetime.datetime):
        @classmethod
        def utcnow(cls):
            return NOW.replace(tzinfo=None)

        @classmethod
        def now(cls, zone=None):
            return NOW

    botocore.auth.datetime.datetime = Clock
    if hasattr(botocore.auth, "get_current_datetime"):
        botocore.auth.get_current_datetime = lambda remove_tzinfo=True: NOW.replace(tzinfo=None)
    url = f"https://{service}.{region}.amazonaws.com{path}" + (f"?{query}" if query else "")
    request = botocore.awsrequest.AWSRequest(method=method, url=url, headers=dict(headers), data=body.encode())
    credentials = botocore.credentials.Credentials("AKIDEXAMPLE", "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY", token)
    botocore.auth.SigV4Auth(credentials, service, region).add_auth(request)
    return {"service": service, "region": region, "token": token, "method": method,
            "host": f"{service}.{region}.amazonaws.com", "path": path, "query": query, "headers": headers, "body": body,
            "authorization": request.headers["Authorization"], "date": request.headers["X-Amz-Date"]}


def signatures():
    import urllib.parse
    form = [["content-type", "application/x-www-form-urlencoded; charset=utf-8"]]
    bodies = ["", "Action=DescribeSubnets&Version=2016-11-15",
              "Action=X&Value=" + urllib.parse.quote(ODD, safe="-._~"), '{"Name":"/aws/service/é"}']
    for service, (_, signing) in SERVICES.items():
        for token in (None, "AQoDYXdzEPT//////////wEXAMPLE+/=" * 8):
            for body in bodies:
                yield sign(signing, "us-west-2", token, "POST", "/", "", form + [["x-amz-target", "A.B"]], body)
            yield sign(signing, "cn-north-1", token, "GET", "/clusters/" + urllib.parse.quote(ODD, safe="-._~"), "", [], "")
            yield sign(signing, "us-west-2", token, "GET", "/a/b", "b=2&a=1&a=0&c=%2F&d", [], "")
    yield sign("ec2", "us-west-2", None, "POST", "/", "", [["content-type", "  a   b  c  "]], "x")


def endpoints():
    session = botocore.session.get_session()
    for service, (name, _) in SERVICES.items():
        for region in REGIONS:
            for fips in (False, True):
                for dual in (False, True):
                    try:
                        client = session.create_client(
                            name, region, aws_access_key_id="a", aws_secret_access_key="b",
                            config=Config(use_fips_endpoint=fips, use_dualstack_endpoint=dual))
                        from botocore.endpoint_provider import EndpointProvider  # noqa: F401
                        ruleset = client._ruleset_resolver
                        info = ruleset._provider.resolve_endpoint(
                            Region=region, UseFIPS=fips, UseDualStack=dual,
                            **({"UseGlobalEndpoint": False} if name == "sts" else {}))
                        yield {"service": service, "region": region, "fips": fips, "dual": dual, "url": info.url}
                    except Exception as fault:  # the partition has none
                        print(service, region, fips, dual, type(fault).__name__, fault, file=sys.stderr)


def write(path, rows):
    path.write_text("[\n" + ",\n".join(json.dumps(row, ensure_ascii=False) for row in rows) + "\n]\n", encoding="utf-8")


folder = pathlib.Path(sys.argv[1])
folder.mkdir(parents=True, exist_ok=True)
write(folder / "signatures.json", list(signatures()))
write(folder / "endpoints.json", list(endpoints()))
