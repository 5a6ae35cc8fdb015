"""A layer in front of the AWS emulator: answers what it lacks, corrects what it does, injects faults, checks signatures.

The controller speaks to the layer (AWS_ENDPOINT_URL), the scenario steers it by its members. The emulator's gaps are
listed in tests/rig/README.md; each correction below names one.
"""
import base64
import collections
import datetime
import http.client
import http.server
import json
import re
import sys
import threading
import time
import urllib.parse
import xml.etree.ElementTree as ElementTree

from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials

NAMESPACE = "http://ec2.amazonaws.com/doc/2016-11-15"
UNSIGNED = {"AssumeRoleWithWebIdentity"}


class Fault:
    """What AWS refuses: whole calls, or with `pools` overrides of a fleet ([type, zone, capacity type], * matches)."""

    def __init__(self, action, code, message="injected", status=400, times=-1, delay=0, pools=None, lose=False, dry=None):
        self.action, self.code, self.message, self.status = action, code, message, status
        self.times, self.delay, self.pools, self.lose, self.dry = times, delay, pools, lose, dry
        self.met = 0  # how often it was

    def takes(self, action, dry):
        if self.action not in (action, "*") or self.times == 0 or (self.dry is not None and self.dry != dry):
            return False
        self.times -= 1
        self.met += 1
        return True

    def hits(self, pool):
        found = any(all(want in ("*", have) for want, have in zip(one, pool)) for one in self.pools)
        self.met += found
        return found


class Layer:
    def __init__(self, port, emulator_port, prices, zones):
        self.emulator_port = emulator_port
        self.prices, self.zones = prices, zones  # type -> USD an hour on demand
        self.secrets = {}                        # access key -> (secret, session token or None)
        self.given = []                          # all pairs of secret and token that ever were
        self.parameters = {}                     # SSM parameters that the emulator refuses to hold
        self.faults = []
        self.fleets = {}                         # client token -> (request, answer): the emulator forgets them
        self.architectures = {}                  # image -> architecture: the emulator forgets it
        self.pages = {}                          # request -> (name of the list, its items)
        self.calls = collections.Counter()       # by service and action
        self.refused = []                        # signatures that do not match
        self.log = []                            # (time, service, action, parameters) of changes
        self.groups = {}                         # launch template name -> security groups
        self.user_data = {}                      # launch template name -> user data
        self.template_of = {}                    # instance -> launch template name
        self.capacity_type = {}                  # instance -> capacity type
        self.lock = threading.Lock()
        layer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_):
                pass

            def do_POST(self):
                layer.serve(self)

            do_GET = do_PUT = do_POST

        class Server(http.server.ThreadingHTTPServer):
            def handle_error(self, *about):
                if not isinstance(sys.exc_info()[1], ConnectionError):  # the controller was stopped
                    super().handle_error(*about)

        self.server = Server(("127.0.0.1", port), Handler)
        self.server.daemon_threads = True
        self.url = f"http://127.0.0.1:{port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self):
        self.server.shutdown()

    def give(self, key, secret, token):
        """Credentials that the account knows from now on."""
        self.secrets[key] = (secret, token)
        self.given.append((secret, token))

    # --- one request ---------------------------------------------------------------------------

    def serve(self, handler):
        body = handler.rfile.read(int(handler.headers.get("Content-Length") or 0))
        scope = re.search(r"Credential=([^/]+)/\d+/([^/]+)/([^/]+)/aws4_request", handler.headers.get("Authorization", ""))
        service = scope.group(3) if scope else "sts"
        action, parameters = self.action_of(service, handler, body)
        with self.lock:
            self.calls[f"{service}:{action}"] += 1
        dry = parameters.get("DryRun") == "true"
        status, kind, reply = 0, "text/xml", None
        problem = self.signature_problem(handler, body, scope, action)
        if problem:
            status, kind, reply = self.error(service, *problem)
        else:
            fault = self.take_fault(action, dry)
            if fault is not None and fault.delay:
                time.sleep(fault.delay)
            if fault is not None and fault.code:
                status, kind, reply = self.error(service, fault.code, fault.message, fault.status)
            else:
                if not action.startswith(("Describe", "Get", "List", "Receive")):
                    with self.lock:
                        self.log.append((time.monotonic(), service, action, parameters))
                status, kind, reply = self.answer(service, action, parameters, handler, body)
                if fault is not None and fault.lose:  # it has happened, and nobody is told
                    handler.close_connection = True
                    handler.connection.close()
                    return
        handler.send_response(status)
        handler.send_header("Content-Type", kind)
        handler.send_header("Content-Length", str(len(reply)))
        handler.end_headers()
        try:
            handler.wfile.write(reply)
        except OSError:  # the controller has waited long enough, or was killed
            handler.close_connection = True

    @staticmethod
    def action_of(service, handler, body):
        target = handler.headers.get("X-Amz-Target")
        if target:
            return target.split(".")[-1], json.loads(body or b"{}")
        if service in ("eks", "arc-zonal-shift"):
            return {"eks": "DescribeCluster"}.get(service, "GetManagedResource"), {}
        fields = dict(urllib.parse.parse_qsl(body.decode(), keep_blank_values=True))
        return fields.get("Action", "?"), fields

    def take_fault(self, action, dry):
        with self.lock:
            for fault in self.faults:
                if fault.pools is None and fault.takes(action, dry):
                    return fault
        return None

    # --- signatures ------------------------------------------------------------------------------

    def signature_problem(self, handler, body, scope, action):
        """By botocore's own signer, from the headers that the request says it has signed."""
        if action in UNSIGNED:
            return None
        if not scope:
            return "MissingAuthenticationToken", "the request is not signed", 403
        key, region, service = scope.groups()
        if key not in self.secrets:
            return "ExpiredToken", "The security token included in the request is expired", 403
        secret, token = self.secrets[key]
        authorization = handler.headers["Authorization"]
        signed = re.search(r"SignedHeaders=([^,]+)", authorization).group(1).split(";")
        request = AWSRequest(method=handler.command, url=f"http://{handler.headers['Host']}{handler.path}", data=body,
                             headers={name: handler.headers[name] for name in signed if name != "host"})
        request.headers["Host"] = handler.headers["Host"]
        if token != handler.headers.get("X-Amz-Security-Token"):
            return "InvalidClientTokenId", "the session token is missing or another one's", 403
        request.context["timestamp"] = handler.headers["X-Amz-Date"]
        signer = Exact(Credentials(key, secret, None), service, region, signed)
        wanted = signer.signature(signer.string_to_sign(request, signer.canonical_request(request)), request)
        if wanted == re.search(r"Signature=([0-9a-f]+)", authorization).group(1):
            return None
        with self.lock:
            self.refused.append(f"{service}:{action}")
        return "SignatureDoesNotMatch", "The request signature we calculated does not match", 403

    # --- answers -----------------------------------------------------------------------------------

    @staticmethod
    def error(service, code, message, status):
        if service in ("ec2",):
            text = (f"<Response><Errors><Error><Code>{code}</Code><Message>{message}</Message></Error></Errors>"
                    "<RequestID>layer</RequestID></Response>")
            return status, "text/xml", text.encode()
        if service in ("iam", "sts"):
            text = (f"<ErrorResponse><Error><Type>Sender</Type><Code>{code}</Code><Message>{message}</Message></Error>"
                    "<RequestId>layer</RequestId></ErrorResponse>")
            return status, "text/xml", text.encode()
        return status, "application/x-amz-json-1.0", json.dumps({"__type": code, "message": message}).encode()

    def answer(self, service, action, parameters, handler, body):
        if service == "ec2" and action.startswith("Describe") and parameters.get("DryRun") == "true":
            return self.error("ec2", "DryRunOperation", "Request would have succeeded, but DryRun flag is set.", 412)
        own = getattr(self, f"{service}_{action}".replace("-", "_"), None)
        if own is not None:
            made = own(parameters, handler, body)
            if made is not None:
                return made
        return self.forward(handler, body)

    def forward(self, handler, body):
        connection = http.client.HTTPConnection("127.0.0.1", self.emulator_port, timeout=60)
        headers = {name: value for name, value in handler.headers.items()
                   if name.lower() not in ("connection", "content-length")}
        connection.request(handler.command, handler.path, body, headers)
        reply = connection.getresponse()
        text = reply.read()
        connection.close()
        return reply.status, reply.getheader("Content-Type") or "text/xml", text

    # The emulator answers with everything at once, after seconds.
    def page(self, parameters, handler, body):
        asked = {name: value for name, value in parameters.items() if name not in ("MaxResults", "NextToken")}
        key = json.dumps(asked, sort_keys=True)
        with self.lock:
            found = self.pages.get(key)
        if found is None:
            asked = urllib.parse.urlencode(asked).encode()
            status, kind, text = self.forward(handler, asked)
            if status != 200:
                return status, kind, text
            ElementTree.register_namespace("", NAMESPACE)
            whole = ElementTree.fromstring(text)[0]
            found = whole.tag.rpartition("}")[2], [ElementTree.tostring(item) for item in whole]
            with self.lock:
                self.pages[key] = found
        return self.page_of(parameters, *found)

    @staticmethod
    def page_of(parameters, name, rows):
        begin = int(parameters.get("NextToken") or 0)
        end = begin + int(parameters.get("MaxResults") or len(rows))
        more = f"<nextToken>{end}</nextToken>" if end < len(rows) else ""
        return Layer.ec2(parameters, f"<{name}>{b''.join(rows[begin:end]).decode()}</{name}>{more}")

    @staticmethod
    def ec2(parameters, content):
        name = parameters["Action"] + "Response"
        return 200, "text/xml", f'<{name} xmlns="{NAMESPACE}">{content}</{name}>'.encode()

    ec2_DescribeInstanceTypes = ec2_DescribeInstanceTypeOfferings = page

    # Absent in the emulator.
    def ec2_DescribeCapacityReservations(self, parameters, *_):
        return self.ec2(parameters, "<capacityReservationSet/>")

    def ec2_DescribePlacementGroups(self, parameters, *_):
        return self.ec2(parameters, "<placementGroupSet/>")

    def pricing_GetProducts(self, parameters, *_):
        bare = any(f["Value"] == "Compute Instance (bare metal)" for f in parameters.get("Filters", []))
        names = sorted(name for name in self.prices if name.endswith("metal") == bare or ".metal" in name and bare)
        begin = int(parameters.get("NextToken") or 0)
        page = names[begin:begin + 100]
        items = [json.dumps({"product": {"attributes": {"instanceType": name}}, "terms": {"OnDemand": {"t": {
            "priceDimensions": {"d": {"pricePerUnit": {"USD": str(self.prices[name])}}}}}}}) for name in page]
        reply = {"PriceList": items, "FormatVersion": "aws_v1"}
        if begin + 100 < len(names):
            reply["NextToken"] = str(begin + 100)
        return 200, "application/x-amz-json-1.1", json.dumps(reply).encode()

    # The emulator refuses names that AWS reserves.
    def ssm_GetParameter(self, parameters, *_):
        name = parameters.get("Name")
        if name in self.parameters:
            value = {"Parameter": {"Name": name, "Type": "String", "Value": self.parameters[name], "Version": 1}}
            return 200, "application/x-amz-json-1.1", json.dumps(value).encode()
        if name.startswith("/aws/service/"):
            return self.error("ssm", "ParameterNotFound", "", 400)
        return None

    # Every spot price of the emulator is 0.00001.
    def ec2_DescribeSpotPriceHistory(self, parameters, *_):
        now = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%S.000Z")
        rows = [f"<item><instanceType>{name}</instanceType><productDescription>Linux/UNIX</productDescription>"
                f"<spotPrice>{price * 0.35:.6f}</spotPrice><timestamp>{now}</timestamp>"
                f"<availabilityZone>{zone}</availabilityZone></item>".encode()
                for name, price in sorted(self.prices.items()) for zone in self.zones]
        return self.page_of(parameters, "spotPriceHistorySet", rows)

    def ec2_CreateLaunchTemplate(self, parameters, handler, body):
        name = parameters.get("LaunchTemplateName")
        with self.lock:
            self.groups[name] = sorted(value for key, value in parameters.items()
                                       if ".NetworkInterface.1.SecurityGroupId." in key)
            self.user_data[name] = base64.b64decode(parameters.get("LaunchTemplateData.UserData", "")).decode()
        return None

    # The emulator takes the first override, never fails, forgets the client token and the template's groups.
    def ec2_CreateFleet(self, parameters, handler, body):
        if parameters.get("DryRun") == "true":
            return None
        token = parameters.get("ClientToken")
        with self.lock:
            if token in self.fleets:
                return self.fleets[token]
        capacity_type = parameters["TargetCapacitySpecification.DefaultTargetCapacityType"]
        overrides = self.overrides_of(parameters)
        errors, left = [], []
        for one in overrides:
            pool = [one["InstanceType"], one["AvailabilityZone"], capacity_type]
            with self.lock:
                fault = next((f for f in self.faults if f.pools is not None and f.times != 0 and f.hits(pool)), None)
            (errors if fault else left).append((one, fault))
        left.sort(key=lambda pair: (pair[0].get("price", 0), pair[0]["InstanceType"], pair[0]["AvailabilityZone"]))
        if left:
            reply = self.launch(parameters, left[0][0], handler)
            if reply[0] != 200:
                return reply
        else:
            reply = self.ec2(parameters, "<fleetId>fleet-none</fleetId><fleetInstanceSet/>")
        text = reply[2].decode().replace("</CreateFleetResponse>", self.errors_xml(errors) + "</CreateFleetResponse>")
        made = (200, "text/xml", text.encode())
        with self.lock:
            if token:
                self.fleets[token] = made
        return made

    @staticmethod
    def errors_xml(errors):
        rows = "".join(f"<item><errorCode>{fault.code}</errorCode><errorMessage>{fault.message}</errorMessage>"
                       "<lifecycle>spot</lifecycle><launchTemplateAndOverrides><overrides>"
                       f"<instanceType>{one['InstanceType']}</instanceType><subnetId>{one['SubnetId']}</subnetId>"
                       f"<availabilityZone>{one['AvailabilityZone']}</availabilityZone>"
                       "</overrides></launchTemplateAndOverrides></item>" for one, fault in errors)
        return f"<errorSet>{rows}</errorSet>"

    def overrides_of(self, parameters):
        found = {}
        for key, value in parameters.items():
            match = re.fullmatch(r"LaunchTemplateConfigs\.(\d+)\.Overrides\.(\d+)\.(\w+)", key)
            if match:
                config, number, name = match.groups()
                found.setdefault((int(config), int(number)), {"config": config})[name] = value
        for one in found.values():
            one["price"] = float(one.get("Priority") or self.prices.get(one["InstanceType"], 1e9))
        return [found[key] for key in sorted(found)]

    def launch(self, parameters, choice, handler):
        """The emulator's fleet with the chosen override alone."""
        kept = {key: value for key, value in parameters.items() if not key.startswith("LaunchTemplateConfigs.")}
        config = f"LaunchTemplateConfigs.{choice['config']}.LaunchTemplateSpecification."
        for key, value in parameters.items():
            if key.startswith(config):
                kept["LaunchTemplateConfigs.1.LaunchTemplateSpecification." + key[len(config):]] = value
        for name in ("InstanceType", "SubnetId", "ImageId", "AvailabilityZone"):
            kept[f"LaunchTemplateConfigs.1.Overrides.1.{name}"] = choice[name]
        kept["SpotOptions.AllocationStrategy"] = "diversified"
        kept["OnDemandOptions.AllocationStrategy"] = "lowestPrice"
        body = urllib.parse.urlencode(kept).encode()
        connection = http.client.HTTPConnection("127.0.0.1", self.emulator_port, timeout=60)
        headers = {name: value for name, value in handler.headers.items() if name.lower() != "content-length"}
        connection.request("POST", "/", body, {**headers, "Content-Length": str(len(body))})
        reply = connection.getresponse()
        text = reply.read()
        connection.close()
        template = next(value for key, value in kept.items() if key.endswith("LaunchTemplateName"))
        with self.lock:
            for instance in re.findall(rb"<item>(i-[0-9a-f]+)</item>|<instanceId>(i-[0-9a-f]+)", text):
                name = (instance[0] or instance[1]).decode()
                self.template_of[name] = template
                self.capacity_type[name] = parameters["TargetCapacitySpecification.DefaultTargetCapacityType"]
        return reply.status, "text/xml", text

    # The emulator forgets the architecture of registered images.
    def ec2_DescribeImages(self, parameters, handler, body):
        status, kind, text = self.forward(handler, body)
        if status != 200:
            return status, kind, text
        ElementTree.register_namespace("", NAMESPACE)
        tree = ElementTree.fromstring(text)
        space = {"e": NAMESPACE}
        for item in tree.iterfind("e:imagesSet/e:item", space):
            known = self.architectures.get(item.findtext("e:imageId", None, space))
            if known is not None and item.find("e:architecture", space) is None:
                ElementTree.SubElement(item, f"{{{NAMESPACE}}}architecture").text = known
        return 200, "text/xml", ElementTree.tostring(tree)

    def ec2_DescribeInstances(self, parameters, handler, body):
        status, kind, text = self.forward(handler, body)
        if status != 200:
            return status, kind, text
        ElementTree.register_namespace("", NAMESPACE)
        tree = ElementTree.fromstring(text)
        space = {"e": NAMESPACE}
        for item in tree.iterfind(".//e:instancesSet/e:item", space):
            name = item.findtext("e:instanceId", None, space)
            template = self.template_of.get(name)
            if template is None:
                continue
            for old in item.findall("e:groupSet", space):
                item.remove(old)
            groups = ElementTree.SubElement(item, f"{{{NAMESPACE}}}groupSet")
            for group in self.groups.get(template, []):
                entry = ElementTree.SubElement(groups, f"{{{NAMESPACE}}}item")
                ElementTree.SubElement(entry, f"{{{NAMESPACE}}}groupId").text = group
            if self.capacity_type.get(name) == "spot" and item.find("e:spotInstanceRequestId", space) is None:
                ElementTree.SubElement(item, f"{{{NAMESPACE}}}spotInstanceRequestId").text = "sir-" + name[2:10]
        return 200, "text/xml", ElementTree.tostring(tree)


class Exact(SigV4Auth):
    """Signs the headers that the request names, no others."""

    def __init__(self, credentials, service, region, signed):
        super().__init__(credentials, service, region)
        self.signed = signed

    def headers_to_sign(self, request):
        found = http.client.HTTPMessage()
        for name in self.signed:
            found[name] = request.headers[name]
        return found
