#!/usr/bin/env bash
# Starts moto, an AWS emulator written independently of adze, on loopback; down.sh stops it.
#
# usage: moto.sh CACHE_DIR STATE_DIR
#
# Its Python environment is made once, in CACHE_DIR/moto-venv; `python` below it runs the scenarios.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cache=${1:?usage: moto.sh CACHE_DIR STATE_DIR}
state=${2:?usage: moto.sh CACHE_DIR STATE_DIR}
mkdir -p "$cache" "$state"
cache=$(cd "$cache" && pwd)
state=$(cd "$state" && pwd)
. "$here/lib/common.sh"
version=${RIG_MOTO:-5.2.5}
venv=$cache/moto-venv

if [ "$("$venv/bin/python" -c 'import moto; print(moto.__version__)' 2>/dev/null)" != "$version" ]; then
    rm -rf "$venv"
    python3 -m venv "$venv"
    "$venv/bin/pip" install --quiet --disable-pip-version-check \
        "moto[server,ec2,ssm,iam,sqs,eks,pricing,sts]==$version" boto3 pyyaml
fi
if ! running moto; then
    # The emulator never looks for credentials of this machine.
    start moto env AWS_EC2_METADATA_DISABLED=true MOTO_IAM_LOAD_MANAGED_POLICIES=false MOTO_EC2_LOAD_DEFAULT_AMIS=true \
        "$venv/bin/moto_server" -H 127.0.0.1 -p "$port_moto"
    await 60 moto "the emulator" curl -sf "http://127.0.0.1:$port_moto/moto-api/data.json"
fi
