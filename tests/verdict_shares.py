#!/usr/bin/env python3
"""Prints the shares of verdicts on the commands of a public corpus.

    tests/verdict_shares.py DIRECTORY [--list GROUP:VERDICT]...

DIRECTORY is a checkout of tldr-pages/tldr or of Dicklesworthstone/destructive_command_guard. `--list` also prints the commands
of a group with a verdict and the finding, such as `--list everyday:forbid`. TOOLBOX names a compiled `toolbox`; without it, cargo
builds one. No text of a corpus is part of this repository.
"""

import argparse
import collections
import json
import os
import pathlib
import re
import subprocess
import tempfile
import tomllib

VERDICTS = ["allow", "confine", "ask", "forbid"]
# Programs whose pages tldr names `program` or `program-subcommand`.
TOOLS = "git cargo go npm pip python python3 node".split()
EVERYDAY = """
awk basename bat black cat cd chmod clang cmake comm cp ctest cut date df diff dirname du echo env eslint expr fd file find fmt g++ gcc
grep gunzip gzip head jest jq less ln ls make man mkdir more mv mypy nl npx od paste patch pnpm poetry prettier printf ps pwd pytest
readlink realpath rg rm rmdir ruff rustc rustfmt rustup sed seq sha256sum sleep sort split stat tac tail tar tee test time timeout touch tr
tree tsc type uname uniq unzip uv wc which whoami xargs yarn zip
""".split()


def tldr(directory):
    """Returns pairs of group and command."""
    for page in sorted(directory.glob("pages/*/*.md")):
        if page.parent.name not in ("common", "linux"):
            continue
        name = page.stem
        first = name.split("-")[0]
        group = first if first in TOOLS else "everyday" if name in EVERYDAY else "others"
        for line in page.read_text().splitlines():
            if found := re.fullmatch(r"`(.+)`", line):
                yield group, filled(found[1])


def filled(command):
    """Replaces placeholders by their example, and alternatives by the last one."""
    command = re.sub(r"\{\{\[([^{}]*)\]\}\}", lambda found: found[1].split("|")[-1], command)
    command = re.sub(r"\{\{([^{}]*)\}\}", lambda found: found[1].split("|")[-1], command)
    return command.replace("path/to/", "src/")


def guard(directory):
    """Returns pairs of group and command of destructive_command_guard."""
    tests = directory / "tests"
    for path in sorted(tests.glob("corpus/**/*.toml")):
        for case in tomllib.loads(path.read_text()).get("case", []):
            if case.get("expected") in ("allow", "deny") and "command" in case:
                yield "corpus " + case["expected"], case["command"]
    for name, group in [("safe", "pack allow"), ("destructive", "pack deny")]:
        text = (tests / f"fixtures/{name}_commands.yaml").read_text()
        for command in re.findall(r'- command: ("(?:[^"\\]|\\.)*")', text):
            yield group, json.loads(command)
    commands = tests / "e2e/fixtures/commands"
    for name, group in [("safe", "e2e allow"), ("dangerous", "e2e deny")]:
        for line in (commands / f"{name}.txt").read_text().splitlines():
            if line.strip() and not line.startswith("#"):
                yield group, line
    for name in ["edge_cases", "heredocs"]:
        for line in (commands / f"{name}.txt").read_text().splitlines():
            if found := re.fullmatch(r"(ALLOW|BLOCK):(.*)", line):
                group = "e2e allow" if found[1] == "ALLOW" else "e2e deny"
                yield group, found[2].replace("\\n", "\n")


def judged(commands):
    """Returns the answers of `toolbox judge command`."""
    program = [os.environ["TOOLBOX"]] if "TOOLBOX" in os.environ else ["cargo", "run", "--quiet", "--example", "toolbox", "--"]
    lines = "".join(json.dumps({"id": number, "text": text}) + "\n" for number, text in enumerate(commands))
    with tempfile.TemporaryDirectory() as workspace:
        arguments = [*program, "judge", "command", "--workspace", workspace]
        done = subprocess.run(arguments, input=lines, capture_output=True, text=True, check=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("directory", type=pathlib.Path)
    parser.add_argument("--list", action="append", default=[])
    options = parser.parse_args()
    corpus = tldr if (options.directory / "pages").is_dir() else guard
    cases = sorted(set(corpus(options.directory)))
    counts = collections.defaultdict(collections.Counter)
    for (group, command), answer in zip(cases, judged([command for _, command in cases]), strict=True):
        verdict = answer["verdict"]
        counts[group][verdict] += 1
        if f"{group}:{verdict}" in options.list:
            rank = VERDICTS.index
            worst = max(answer["findings"], key=lambda finding: rank(finding["verdict"]), default={"rule": "", "part": ""})
            print(f"{group}\t{verdict}\t{worst['rule']}\t{command!r}\t{worst['part']!r}")
    for group, verdicts in sorted(counts.items()):
        total = sum(verdicts.values())
        shares = ", ".join(f"{verdict} {verdicts[verdict]} ({100 * verdicts[verdict] / total:.1f} %)" for verdict in VERDICTS)
        print(f"{group}: {total} commands: {shares}")


if __name__ == "__main__":
    main()
