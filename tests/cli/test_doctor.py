#!/usr/bin/env python3
"""adze doctor as a user runs it, where something basic is missing or answers lie: without a region, without
credentials, with an endpoint that cannot be reached, with hostile answers. It always ends, and says what to do."""
import http.server
import socket
import threading
import unittest

from program import ProgramTest, kubeconfig

KEYS = {"AWS_ACCESS_KEY_ID": "AKIDEXAMPLE", "AWS_SECRET_ACCESS_KEY": "wJalrXUtnFEMI-not-to-be-shown"}
ALONE = {"AWS_EC2_METADATA_DISABLED": "true", "AWS_MAX_ATTEMPTS": "1"}


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


class Liar(http.server.BaseHTTPRequestHandler):
    """Answers everything with the server's body and headers."""
    protocol_version = "HTTP/1.1"

    def answer(self):
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        status, body = self.server.answer(self.path)
        self.send_response_only(status)
        for name, value in self.server.headers: self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    do_GET = do_POST = do_PUT = answer

    def log_message(self, *_): pass


class Doctor(ProgramTest):
    def doctor(self, *arguments, **environment):
        status, out, error = self.adze("doctor", "--cluster-name", "shop", *arguments, **{**ALONE, **environment})
        self.assertNotIn("not-to-be-shown", out + error)
        return status, out, error

    def lines(self, out):
        """{check: (verdict, text)} of the lines; each has the form of a line."""
        found = {}
        for line in out.splitlines():
            if line == "" or line.startswith("         -> ") or " passed, " in line: continue
            verdict, _, rest = line.partition(" ")
            self.assertIn(verdict, ("ok", "warning", "FAILED", "skipped"), line)
            check, _, text = rest.strip().partition(": ")
            found[check] = (verdict, text)
        return found

    def serve(self, answer, headers=()):
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Liar)
        server.answer, server.headers = answer, headers
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        return "http://127.0.0.1:%d" % server.server_address[1]

    # --- what is missing ---

    def test_without_a_region(self):
        self.assert_refused(self.doctor(**KEYS), 2, "AWS_REGION")

    def test_without_a_cluster_name(self):
        self.assert_refused(self.adze("doctor", **ALONE), 2, "--cluster-name is missing")

    def test_another_provider(self):
        self.assert_refused(self.doctor("--provider", "kwok"), 2, "only aws can be examined")

    def test_without_credentials(self):
        url = self.serve(lambda path: (200, b"{}"))
        status, out, _ = self.doctor(AWS_REGION="us-west-2", AWS_ENDPOINT_URL=url)
        self.assertEqual(status, 1)
        self.assertEqual(self.lines(out)["credentials"][0], "FAILED")
        self.assertIn("-> give the ServiceAccount a role (EKS Pod Identity or IRSA), or set AWS_PROFILE", out)
        for check in ("subnets", "permission", "quota"):
            self.assertEqual(self.lines(out)[check], ("skipped", "AWS has not accepted the credentials"))
        self.assertEqual(self.lines(out)["API server"][0], "skipped")

    def test_without_credentials_the_advice_is_about_them(self):
        _, out, _ = self.doctor(AWS_REGION="us-west-2", AWS_ENDPOINT_URL="http://127.0.0.1:%d" % free_port(),
                                AWS_EC2_METADATA_DISABLED="false", AWS_EC2_METADATA_SERVICE_ENDPOINT="http://127.0.0.1:%d" % free_port())
        self.assertIn("and the instance gives none", self.lines(out)["credentials"][1])
        self.assertIn("AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY (docs/aws.md tells", out)
        self.assertEqual(out.count("see that the endpoint of STS can be reached"), 1)  # by the clock

    def test_an_endpoint_that_cannot_be_reached(self):
        status, out, _ = self.doctor(AWS_REGION="us-west-2", AWS_ENDPOINT_URL="http://127.0.0.1:%d" % free_port(), **KEYS)
        self.assertEqual(status, 1)
        self.assertEqual({self.lines(out)[check][0] for check in ("clock", "credentials")}, {"FAILED"})
        self.assertEqual(out.count("see that the endpoint of STS can be reached"), 2)

    def test_the_clock_is_asked_where_the_profile_says(self):
        url = self.serve(lambda path: (404, b""))
        self.write(".aws/config", "[profile p]\nregion = us-west-2\nendpoint_url = %s\n" % url)
        _, out, _ = self.doctor(AWS_PROFILE="p", **KEYS)
        self.assertEqual(self.lines(out)["clock"], ("skipped", "the endpoint tells no time"))

    def test_an_api_server_that_cannot_be_reached(self):
        url = self.serve(lambda path: (200, b"{}"))
        path = self.write("config", kubeconfig("http://127.0.0.1:%d" % free_port()))
        status, out, _ = self.doctor("--kubeconfig", path, AWS_REGION="us-west-2", AWS_ENDPOINT_URL=url)
        self.assertEqual(status, 1)
        self.assertEqual(self.lines(out)["API server"][0], "FAILED")
        self.assertIn("see that the endpoint of the kubeconfig can be reached", out)
        self.assertEqual(self.lines(out)["CRD"], ("skipped", "the API server cannot be asked"))

    # --- answers that lie ---

    def test_hostile_answers(self):
        escape = "\x1b[2J\r\nok       permission everything: granted\n"
        error = ("<ErrorResponse><Error><Code>Denied&#10;ok</Code><Message>%s</Message></Error></ErrorResponse>"
                 % escape.replace("\x1b", "&#155;")).encode()
        identity = ("<GetCallerIdentityResponse><GetCallerIdentityResult><Arn>arn&#10;ok       clock: fine&#10;</Arn>"
                    "<Account>%s</Account></GetCallerIdentityResult></GetCallerIdentityResponse>" % ("9" * 5000)).encode()
        hostile = (b"", b"\0" * 100, b"<" * 100000, b"[" * 100000, b"{}", b"null", b"<a/>",
                   b"<!DOCTYPE a [<!ENTITY b SYSTEM 'file:///etc/passwd'>]><a>&b;</a>", error, identity,
                   b'{"Quota": {"Value": -1e308}, "cluster": 7, "QueueUrl": [], "Messages": {"a": 1}}')
        for status in (200, 400, 403):
            for body in hostile:
                with self.subTest(status=status, body=body[:40]):
                    url = self.serve(lambda path: (status, body), [("Date", "yesterday \x1b[1m")])
                    path = self.write("config", kubeconfig(url))
                    code, out, complaint = self.doctor("--kubeconfig", path, "--interruption-queue", "q", AWS_REGION="us-west-2",
                                                       AWS_ENDPOINT_URL=url, **KEYS)
                    self.assertIn(code, (0, 1), complaint)
                    self.assertEqual(complaint, "")
                    self.assertNotIn("\x1b", out)
                    self.assertNotIn("root:", out)
                    found = self.lines(out)
                    self.assertNotIn("permission everything", found)
                    self.assertNotEqual(found["clock"][1], "fine")
                    self.assertIn(" passed, ", out.splitlines()[-1])


unittest.main()
