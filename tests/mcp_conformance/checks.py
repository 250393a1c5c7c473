#!/usr/bin/env python3
"""Counts the scenarios and checks of a run of the conformance suite.

Usage: checks.py LEG RESULTS REQUIREMENTS EXPECTED EMPTY. Fails if the list EXPECTED has an entry, if a scored scenario
was not run, or if a scenario has no check and is not in the file EMPTY. REQUIREMENTS is the suite's list of scored
scenarios.
"""

import json
import pathlib
import sys

COUNTED = ("SUCCESS", "FAILURE", "WARNING")

leg = sys.argv[1]
results, requirements, expected, empty = map(pathlib.Path, sys.argv[2:])


def lines(file):
    """Returns the lines of a file without comments."""
    text = file.read_text() if file.exists() else ""
    return [line for line in text.split("\n") if line.strip() and not line.lstrip().startswith("#")]


def scored():
    """Returns the names of the list of this leg."""
    names, is_own = set(), False
    for line in lines(requirements):
        if not line.startswith(" "):
            is_own = line == f"{leg}:"
        elif is_own:
            names.add(line.strip().removeprefix("- "))
    return names


def name_of(directory):
    """Returns the scenario of a directory, which is named after the scenario and the time."""
    name = str(directory.relative_to(results)).split("-20")[0]
    return name.removeprefix("server-") if leg == "server" else name


def main():
    allowed = set(lines(empty))
    required, counts, passed = scored(), {}, set()
    for file in results.rglob("checks.json"):
        checks = [check for check in json.loads(file.read_text()) if check["status"] in COUNTED]
        name = name_of(file.parent)
        counts[name] = len(checks)
        if all(check["status"] == "SUCCESS" for check in checks):
            passed.add(name)
    total = sum(counts[name] for name in required & counts.keys())
    others = counts.keys() - required
    print(f"{len(required & counts.keys())} scored scenarios, {total} checks; {len(others & passed)} of {len(others)} others pass")
    faults = [f"not run: {name}" for name in sorted(required - counts.keys())]
    faults += [f"without a check: {name}" for name, count in counts.items() if count == 0 and name not in allowed]
    if lines(expected) != [f"{leg}: []"]:
        faults.append(f"{expected.name} must stay empty")
    if faults:
        sys.exit("\n".join(faults))


main()
