"""Calls two replicas of an MCP server through a proxy and kills replicas (see `tests/replicas.sh`)."""

import argparse
import http.client
import json
import signal
import socket
import subprocess
import threading
import time
import uuid
from pathlib import Path

CALLERS = 32
# Results that state that another attempt is safe.
RETRYABLE = {"in_progress", "ledger_unavailable", "overloaded", "rate_limited"}
REVISION = "2026-07-28"


class Replica:
    """A server process that can be killed and started again."""

    def __init__(self, name, port, command, log):
        self.name, self.port, self.command, self.log = name, port, command, log
        self.process = None

    def start(self):
        self.process = subprocess.Popen(
            self.command, stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log
        )
        for _ in range(600):
            try:
                socket.create_connection(("127.0.0.1", self.port), 1).close()
                return
            except OSError:
                time.sleep(0.05)
        raise SystemExit(f"{self.name} did not start")

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def stop(self):
        if self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(40)
            except subprocess.TimeoutExpired:
                self.process.kill()


class Client:
    """A connection of one caller."""

    def __init__(self, port):
        self.port, self.connection = port, None

    def call(self, tool, arguments, key=None):
        """Sends one call. Returns its result, or a string if no result arrived."""
        meta = {
            "io.modelcontextprotocol/protocolVersion": REVISION,
            "io.modelcontextprotocol/clientInfo": {"name": "replicas", "version": "1"},
            "io.modelcontextprotocol/clientCapabilities": {},
        }
        if key:
            meta["toolwright/idempotency-key"] = key
        params = {"name": tool, "arguments": arguments, "_meta": meta}
        body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params})
        headers = {
            "Content-Type": "application/json",
            "Accept": "application/json, text/event-stream",
            "Mcp-Protocol-Version": REVISION,
            "Mcp-Method": "tools/call",
            "Mcp-Name": tool,
        }
        try:
            if self.connection is None:
                self.connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=130)
            self.connection.request("POST", "/mcp", body, headers)
            response = self.connection.getresponse()
            text = response.read()
            if response.status != 200:
                return f"status {response.status}"
            return json.loads(text)["result"]
        except (OSError, http.client.HTTPException, KeyError, ValueError) as error:
            if self.connection:
                self.connection.close()
            self.connection = None
            return f"{type(error).__name__}"

    def until_settled(self, tool, arguments, key=None):
        """Repeats a call until its result is final. Returns the result and the number of attempts."""
        for attempt in range(1, 200):
            result = self.call(tool, arguments, key)
            if not isinstance(result, str) and code(result) not in RETRYABLE:
                return result, attempt
            time.sleep(min(0.05 * attempt, 1))
        return result, attempt


def code(result):
    """Returns the error code of a result, or `None` if it succeeded."""
    if not result.get("isError"):
        return None
    error = (result.get("_meta") or {}).get("toolwright/error") or {}
    return error.get("code", "unknown error")


class Caller(threading.Thread):
    """Sends a third of its calls to a read-only tool, and the others to one that appends a line."""

    def __init__(self, number, calls, port, counts):
        super().__init__()
        self.number, self.calls, self.counts = number, calls, counts
        self.client, self.file = Client(port), f"caller-{number}.txt"
        self.done, self.unknown, self.other = [], [], []
        self.reads = self.failed_reads = self.retries = 0

    def run(self):
        for number in range(self.calls):
            if number % 3 == 0:
                result, attempts = self.client.until_settled("read_file", {"path": "shared.txt"})
                self.reads += 1
                self.failed_reads += isinstance(result, str) or code(result) is not None
            else:
                line = f"{self.number}-{number}"
                arguments = {"path": self.file, "content": line + "\n"}
                result, attempts = self.client.until_settled("append_file", arguments, str(uuid.uuid4()))
                self.sort(line, result)
            self.retries += attempts - 1
            self.counts.add()

    def sort(self, line, result):
        if isinstance(result, str):
            self.other.append((line, result))
        elif code(result) is None:
            self.done.append(line)
        elif code(result) == "outcome_unknown":
            self.unknown.append(line)
        else:
            self.other.append((line, code(result)))


class Counts:
    """Number of finished calls."""

    def __init__(self):
        self.lock, self.number = threading.Lock(), 0

    def add(self):
        with self.lock:
            self.number += 1


def kill_under_load(replicas, counts, calls, kills):
    """Kills replicas in turn at evenly spaced numbers of calls."""
    for kill in range(1, kills + 1):
        while counts.number < calls * kill // (kills + 1):
            time.sleep(0.01)
        replica = replicas[kill % 2]
        replica.kill()
        print(f"killed {replica.name} after {counts.number} calls", flush=True)
        time.sleep(0.5)
        replica.start()


def load(arguments, replicas, workspace, kills):
    (workspace / "shared.txt").write_text("one line\n")
    counts = Counts()
    each = arguments.calls // CALLERS
    callers = [Caller(number, each, arguments.proxy, counts) for number in range(CALLERS)]
    for caller in callers:
        (workspace / caller.file).write_text("")
    since = time.monotonic()
    for caller in callers:
        caller.start()
    kill_under_load(replicas, counts, each * CALLERS, kills)
    for caller in callers:
        caller.join()
    seconds = time.monotonic() - since
    return report(callers, workspace, counts.number, seconds)


def report(callers, workspace, total, seconds):
    twice = lost = ran_unknown = 0
    for caller in callers:
        lines = (workspace / caller.file).read_text().split()
        twice += len(lines) - len(set(lines))
        lost += len(set(caller.done) - set(lines))
        ran_unknown += len(set(caller.unknown) & set(lines))
        unreported = set(lines) - set(caller.done) - set(caller.unknown) - {line for line, _ in caller.other}
        lost += len(unreported)
    reads, failed = sum(c.reads for c in callers), sum(c.failed_reads for c in callers)
    unknown = sum(len(c.unknown) for c in callers)
    other = [item for c in callers for item in c.other]
    print(f"{total} calls by {CALLERS} callers in {seconds:.1f} s, {sum(c.retries for c in callers)} retries")
    print(f"read-only: {reads} calls, {failed} failed")
    print(
        f"not idempotent: {sum(len(c.done) for c in callers)} done, {unknown} unknown ({ran_unknown} of them ran), "
        f"{len(other)} other errors, {twice} ran twice, {lost} results wrong"
    )
    for line, reason in other[:5]:
        print(f"  {line}: {reason}")
    return failed == 0 and twice == 0 and lost == 0 and not other


def by_hand(arguments, replicas, workspace):
    """Kills the replica that runs a slow call, and repeats the call through the other one."""
    first, second = replicas
    show = lambda title, result: print(f"{title}: {result if isinstance(result, str) else result['content'][0]['text']}")
    slow = {"command": "echo ran >> slow.txt; sleep 5"}
    log = workspace / "slow.txt"
    direct = Client(first.port)

    print("-- a call completes on the first replica, which is then killed")
    done = {"command": "echo ran >> done.txt; echo finished"}
    show("first replica", direct.call("bash", done, "key-done"))
    outcome = []
    print("-- the first replica is killed while a call runs")
    thread = threading.Thread(target=lambda: outcome.append(direct.call("bash", slow, "key-slow")))
    thread.start()
    while not log.exists():
        time.sleep(0.05)
    first.kill()
    thread.join()
    show("first replica", outcome[0])

    through_proxy = Client(arguments.proxy)
    show("retry of the completed call through nginx", through_proxy.call("bash", done, "key-done"))
    show("retry of the killed call through nginx", through_proxy.call("bash", slow, "key-slow"))
    result, attempts = through_proxy.until_settled("bash", slow, "key-slow")
    show(f"the same after {attempts} attempts", result)
    ran = [(workspace / name).read_text().count("ran") for name in ("done.txt", "slow.txt")]
    print(f"number of runs: {ran[0]} and {ran[1]}")
    return ran == [1, 1] and code(result) == "outcome_unknown"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--mode", required=True)
    parser.add_argument("--calls", type=int, required=True)
    parser.add_argument("--workspace", type=Path, required=True)
    parser.add_argument("--proxy", type=int, required=True)
    parser.add_argument("--logs", type=Path, required=True)
    parser.add_argument("--ports", type=int, nargs=2, required=True)
    parser.add_argument("command", nargs=argparse.REMAINDER)
    arguments = parser.parse_args()
    command = [part for part in arguments.command if part != "--"]
    replicas = []
    try:
        for name, port in zip(("the first replica", "the second replica"), arguments.ports):
            log = (arguments.logs / f"replica-{port}.log").open("w")
            own = [part.replace("PORT", str(port)) for part in command]
            replicas.append(Replica(name, port, own, log))
            replicas[-1].start()
        workspace = arguments.workspace
        if arguments.mode == "by_hand":
            is_passed = by_hand(arguments, replicas, workspace)
        else:
            is_passed = load(arguments, replicas, workspace, 4 if arguments.mode == "full" else 2)
    finally:
        for replica in replicas:
            replica.stop()
    print("passed" if is_passed else "failed")
    raise SystemExit(0 if is_passed else 1)


main()
