#!/usr/bin/env python3
"""User data judged by parsers that are not adze's: MIME by email, TOML by tomllib, YAML by PyYAML.

The recorded texts are those that test_launch_templates.c finds equal to adze's. TOML is also
drawn at random, copied by `test_toml --copy`, and must mean the same afterwards.
Usage: user_data_formats.py LAUNCH_TEMPLATES_JSON TEST_TOML
"""
import datetime
import email
import email.policy
import json
import math
import random
import subprocess
import sys

try:
    import tomllib
except ImportError:
    print("tomllib needs Python 3.11: skipped")
    sys.exit(77)
try:
    import yaml
except ImportError:
    yaml = None

NODE_CONFIG = "application/node.eks.aws"


def check_archive(text):
    message = email.message_from_string(text, policy=email.policy.default)
    assert message.get_content_type() == "multipart/mixed" and not message.defects, message.defects
    parts = list(message.iter_parts())
    assert parts
    for part in parts:
        assert not part.defects, part.defects
    last = parts[-1]
    body = last.get_payload()
    if last.get_content_type() != NODE_CONFIG:
        assert body.startswith("#!/bin/bash -xe\n") and "/etc/eks/bootstrap.sh" in body
        return
    if yaml is None:
        return
    config = yaml.safe_load(body)
    assert config["apiVersion"] == "node.eks.aws/v1alpha1" and config["kind"] == "NodeConfig"
    assert set(config["spec"]["cluster"]) >= {"name", "apiServerEndpoint", "cidr"}
    kubelet = config["spec"]["kubelet"]["config"]
    assert isinstance(kubelet["maxPods"], int)
    assert any(taint["key"] == "karpenter.sh/unregistered" for taint in kubelet["registerWithTaints"])
    for name in ("kubeReserved", "systemReserved", "evictionHard"):
        assert all(isinstance(value, str) for value in kubelet.get(name, {}).values())


def check_settings(text):
    settings = tomllib.loads(text)["settings"]
    kubernetes = settings["kubernetes"]
    assert isinstance(kubernetes["max-pods"], int) and kubernetes["cluster-name"]
    assert kubernetes["node-taints"]["karpenter.sh/unregistered"] == [":NoExecute"]


def check_recorded(path):
    counts = {"archive": 0, "settings": 0, "script": 0, "custom": 0}
    with open(path, encoding="utf-8") as file:
        scenarios = json.load(file)
    for scenario in scenarios:
        for template in scenario["templates"]:
            text = template["userData"]
            if text.startswith("MIME-Version:"):
                check_archive(text)
                counts["archive"] += 1
            elif text.startswith("[settings]"):
                check_settings(text)
                counts["settings"] += 1
            elif text.startswith("<powershell>\n"):
                assert text.endswith("\n</powershell>") and "Start-EKSBootstrap.ps1" in text
                counts["script"] += 1
            else:
                counts["custom"] += 1
    assert all(counts.values()), counts
    print(counts)


def key_text(draw, key):
    if key and all(c.isascii() and (c.isalnum() or c in "-_") for c in key) and draw.random() < 0.5:
        return key
    return json.dumps(key, ensure_ascii=draw.random() < 0.5).replace("\x7f", "\\u007f")


def draw_string(draw):
    letters = "ab'\"\\\n\t\r\x01\x7f é😀#=[]{}.,"
    return "".join(draw.choice(letters) for _ in range(draw.randrange(6)))


def draw_value(draw, depth):
    """TOML text of a random value."""
    kind = draw.randrange(9 if depth < 3 else 6)
    if kind == 0:
        text = draw_string(draw)
        if draw.random() < 0.3 and not any(c in text for c in "'\r\x01\x7f"):
            return "'''\n" + text + "'''"
        # json writes characters beyond 16 bits as surrogates, which TOML refuses.
        return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
    if kind == 1:
        return draw.choice([str(draw.randrange(-(2**63), 2**63)), "0xff", "0o7_7", "+1_0", "-0"])
    if kind == 2:
        number = draw.uniform(-1, 1) * 10 ** draw.randrange(-30, 30)
        return draw.choice([repr(number) if "." in repr(number) else f"{number:.3f}", "inf", "1e5"])
    if kind == 3:
        return draw.choice(["true", "false"])
    if kind in (4, 5):
        return draw.choice(["2024-02-29", "07:32:00.25", "1979-05-27T07:32:00Z",
                            "1979-05-27 00:32:00.500-07:00", "1979-05-27T07:32:00.123456"])
    if kind == 6:
        items = [draw_value(draw, depth + 1) for _ in range(draw.randrange(4))]
        return "[" + ",\n # comment\n".join(items) + draw.choice(["", ","] if items else [""]) + "]"
    pairs = {draw_string(draw): draw_value(draw, depth + 1) for _ in range(draw.randrange(4))}
    return "{" + ", ".join(f"{key_text(draw, k)} = {v}".replace("\n # comment\n", " ")
                           for k, v in pairs.items() if "\n" not in v) + "}"


def draw_document(draw):
    lines = []
    for index in range(draw.randrange(5)):
        lines.append(f"k{index}.{key_text(draw, draw_string(draw))} = {draw_value(draw, 0)}")
    for index in range(draw.randrange(4)):
        header = f"t{index}.{key_text(draw, draw_string(draw))}"
        times, brackets = (draw.randrange(1, 3), ("[[", "]]")) if draw.random() < 0.4 else (1, "[]")
        for _ in range(times):
            lines.append(brackets[0] + header + brackets[1])
            lines.append(f"{key_text(draw, draw_string(draw))} = {draw_value(draw, 0)}")
    return "\n".join(lines)


def plain(value):
    """Values with NaN and dates in comparable form."""
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, list):
        return [plain(item) for item in value]
    if isinstance(value, float):
        return "nan" if math.isnan(value) else value
    if isinstance(value, (datetime.date, datetime.time)):
        return value.isoformat()
    return value


def check_random(program, count):
    draw = random.Random(1)
    read = 0
    for _ in range(count):
        document = draw_document(draw)
        try:
            expected = tomllib.loads(document)
        except tomllib.TOMLDecodeError:
            expected = None
        result = subprocess.run([program, "--copy"], input=document.encode(), capture_output=True,
                                check=False)
        assert result.returncode in (0, 1), result
        assert (result.returncode == 0) == (expected is not None), (document, result)
        if expected is not None:
            written = result.stdout.decode()
            assert plain(tomllib.loads(written)) == plain(expected), (document, written)
            read += 1
    print(f"{count} documents, {read} of them valid")


if __name__ == "__main__":
    check_recorded(sys.argv[1])
    check_random(sys.argv[2], 300)
