#!/usr/bin/env python3
"""Proves that changed JSON fixtures differ only in order: tests/fixtures_equal.py [BASE]

Compares every JSON fixture that changed since BASE (default: the parent commit) with its new version. Objects are
compared without their key order, and the arrays `losses`, `propertyOrdering` and `required` as sets. Lists the fixtures that
differ otherwise and exits with 1 if there are any.
"""
import json
import subprocess
import sys

UNORDERED = {"losses", "propertyOrdering", "required"}


def git(*arguments):
    return subprocess.run(["git", *arguments], capture_output=True, text=True, check=True).stdout


def normal(value, key=None):
    if isinstance(value, dict):
        return {name: normal(member, name) for name, member in value.items()}
    if isinstance(value, list):
        items = [normal(item) for item in value]
        return sorted(items, key=lambda item: json.dumps(item, sort_keys=True)) if key in UNORDERED else items
    return value


def main():
    base = sys.argv[1] if len(sys.argv) > 1 else "HEAD~1"
    names = git("diff", "--name-only", "--diff-filter=M", base, "--", "tests/fixtures/*.json").split()
    different = []
    for name in names:
        before = json.loads(git("show", f"{base}:{name}"))
        with open(name, encoding="utf-8") as file:
            if normal(before) != normal(json.load(file)):
                different.append(name)
    for name in different:
        print(f"differs: {name}")
    print(f"{len(names) - len(different)} of {len(names)} changed fixtures differ only in order")
    return int(bool(different))


if __name__ == "__main__":
    sys.exit(main())
