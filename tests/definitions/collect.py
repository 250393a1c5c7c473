"""Collects the tool definitions of published MCP servers. See README.md of fixtures/definitions."""

import argparse
import email
import json
import os
import re
import selectors
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
FIXTURES = HERE.parent / "fixtures" / "definitions"
LICENCES = {"MIT", "MIT-0", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "ISC"}
# Spellings of these licenses in package metadata.
SPELLINGS = {
    "mit license": "MIT", "mit": "MIT", "the mit license": "MIT", "the mit license (mit)": "MIT", "apache 2.0": "Apache-2.0",
    "apache-2.0": "Apache-2.0", "apache license 2.0": "Apache-2.0", "apache software license": "Apache-2.0",
    "apache license, version 2.0": "Apache-2.0", "bsd license": "BSD-3-Clause", "bsd-3-clause": "BSD-3-Clause",
    "bsd-2-clause": "BSD-2-Clause", "isc": "ISC", "isc license (iscl)": "ISC", "mit-0": "MIT-0",
}
MOST_BYTES, MOST_TOOLS = 10 * 1024, 80
INSTALL_SECONDS, ANSWER_SECONDS = 400, 90


def licence(text):
    text = (text or "").strip()
    known = text if text in LICENCES else SPELLINGS.get(text.splitlines()[0].lower() if text else "")
    if known is None and text.startswith("MIT License"):
        known = "MIT"
    return known


def run(command, **options):
    subprocess.run(command, check=True, timeout=INSTALL_SECONDS, stdout=subprocess.DEVNULL, **options)


def install_npm(server, folder):
    """Returns the command, version and license of a package. Install scripts do not run."""
    (folder / "package.json").write_text("{}")
    run([
        "npm", "install", "--prefix", str(folder), "--ignore-scripts", "--no-audit", "--no-fund", "--omit=dev", "--silent",
        f"{server['package']}@{server['version']}",
    ])
    package = folder / "node_modules" / server["package"]
    manifest = json.loads((package / "package.json").read_text())
    programs = manifest.get("bin", {})
    if isinstance(programs, str):
        programs = {server["package"].split("/")[-1]: programs}
    name = server.get("program") or next(iter(programs))
    start = ["node", str(package / programs[name])]
    return start, manifest["version"], licence(manifest.get("license"))


def install_pypi(server, folder):
    python = folder / "environment" / "bin" / "python"
    run(["uv", "venv", "--quiet", str(folder / "environment")])
    also = server.get("with", [])
    run(["uv", "pip", "install", "--quiet", "--python", str(python), f"{server['package']}=={server['version']}", *also])
    normal = re.sub(r"[-_.]+", "_", server["package"]).lower()
    found = [
        folder for folder in python.parent.parent.glob("lib/python*/site-packages/*.dist-info")
        if re.sub(r"[-_.]+", "_", folder.name.split("-")[0]).lower() == normal
    ][0]
    metadata = email.message_from_string((found / "METADATA").read_text())
    classified = [
        line.rsplit(" :: ", 1)[1] for line in metadata.get_all("Classifier", []) if line.startswith("License :: OSI")
    ]
    files = [file.read_text(errors="replace").strip() for file in sorted(found.glob("**/LICENSE*"))]
    stated = [metadata.get("License-Expression"), metadata.get("License"), *classified, *files]
    known = next((one for one in map(licence, stated) if one), None)
    entries = (found / "entry_points.txt").read_text()
    programs = re.findall(r"^([\w.-]+)\s*=", entries.split("[console_scripts]", 1)[1].split("[", 1)[0], re.M)
    name = server.get("program") or (server["package"] if server["package"] in programs else programs[0])
    return [str(python.parent / name)], metadata["Version"], known


def confined(start, folder):
    """Returns a command that runs `start` in separate namespaces, without a network or surviving processes."""
    command = ["unshare", "--net", "--pid", "--fork", "--kill-child", "--mount-proc"]
    if os.geteuid() == 0:
        os.chmod(folder, 0o755)
        home = folder / "home"
        os.chown(home, 65534, 65534)
        return [*command, "setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups", "--", *start]
    return [*command, "--user", "--map-root-user", *start]


class Session:
    """Server connected by its standard streams."""

    def __init__(self, command, environment, home):
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=open(home / "errors.log", "wb"),
            cwd=home, env=environment,
        )
        os.set_blocking(self.process.stdout.fileno(), False)
        self.waiting = selectors.DefaultSelector()
        self.waiting.register(self.process.stdout, selectors.EVENT_READ)
        self.buffer, self.until = b"", time.monotonic() + ANSWER_SECONDS

    def send(self, message):
        self.process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
        self.process.stdin.flush()

    def lines(self):
        while True:
            *whole, self.buffer = self.buffer.split(b"\n")
            yield from whole
            left = self.until - time.monotonic()
            if left <= 0 or not self.waiting.select(left):
                raise TimeoutError("no response in time")
            chunk = self.process.stdout.read()
            if chunk == b"":
                raise EOFError(f"exited with {self.process.wait(5)}")
            self.buffer += chunk or b""

    def ask(self, number, method, parameters):
        self.send({"id": number, "method": method, "params": parameters})
        for line in self.lines():
            try:
                message = json.loads(line)
            except ValueError:
                continue
            if not isinstance(message, dict):
                continue
            if "method" in message and "id" in message:
                self.send({"id": message["id"], "error": {"code": -32601, "message": "not here"}})
            elif message.get("id") == number:
                if "error" in message:
                    raise ValueError(message["error"])
                return message["result"]

    def tools(self):
        self.ask(0, "initialize", {
            "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "collect", "version": "1.0.0"},
        })
        self.send({"method": "notifications/initialized"})
        found, cursor = [], None
        for page in range(1, 100):
            result = self.ask(page, "tools/list", {"cursor": cursor} if cursor else {})
            found += result["tools"]
            cursor = result.get("nextCursor")
            if not cursor:
                break
        return found

    def end(self):
        self.process.kill()
        self.process.wait()


def collect(server, folder):
    """Returns the definitions of one server, one JSON line for each tool."""
    home = folder / "home"
    home.mkdir()
    install = install_npm if server["registry"] == "npm" else install_pypi
    start, version, known = install(server, folder)
    if known not in LICENCES:
        raise ValueError(f"the license is not one of {sorted(LICENCES)}")
    paths = os.environ["PATH"]
    environment = {"PATH": paths, "HOME": str(home), "LANG": "C.UTF-8", "NO_COLOR": "1", "CI": "1", **server.get("environment", {})}
    session = Session(confined([*start, *server.get("arguments", [])], folder), environment, home)
    try:
        tools = session.tools()
    except Exception:
        session.end()
        sys.stderr.write((home / "errors.log").read_text(errors="replace")[-1200:])
        raise
    session.end()
    for tool in tools:
        line = {
            "server": f"{server['registry']}:{server['package']}", "version": version, "licence": known, "name": tool["name"],
            "description": tool.get("description", ""), "inputSchema": tool["inputSchema"],
        }
        yield json.dumps(line, ensure_ascii=False, separators=(",", ":"))


def write(server, lines, most):
    """Writes the lines up to MOST_BYTES, at most `most` of them, evenly distributed."""
    kept = [line for line in lines if len(line.encode()) <= MOST_BYTES]
    if len(kept) > most:
        kept = [kept[at * len(kept) // most] for at in range(most)]
    name = re.sub(r"[^a-z0-9]+", "-", server["package"].lower()).strip("-")
    (FIXTURES / f"{server['registry']}-{name}.jsonl").write_text("".join(line + "\n" for line in kept))
    return len(kept)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("packages", nargs="*", help="only these; otherwise all of servers.json")
    parser.add_argument("--missing", action="store_true", help="only those of which there is no file yet")
    options = parser.parse_args()
    FIXTURES.mkdir(exist_ok=True)
    for server in json.loads((HERE / "servers.json").read_text()):
        if options.packages and server["package"] not in options.packages:
            continue
        name = re.sub(r"[^a-z0-9]+", "-", server["package"].lower()).strip("-")
        if options.missing and (FIXTURES / f"{server['registry']}-{name}.jsonl").exists():
            continue
        folder = Path(tempfile.mkdtemp(prefix="definitions-"))
        try:
            lines = list(collect(server, folder))
            kept = write(server, lines, server.get("most", MOST_TOOLS))
            print(f"{server['package']}: {len(lines)} tools, {kept} kept", flush=True)
        except Exception as error:  # One server that fails must not hold up the others.
            print(f"{server['package']}: {type(error).__name__}: {str(error)[:300]}", flush=True)
        finally:
            shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
