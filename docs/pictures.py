#!/usr/bin/env python3
"""Draws the pictures of the book: docs/src/*.svg. With --check, fails if one of them differs from what it would draw."""

import sys
from html import escape
from pathlib import Path

# A background of their own, so that they are readable on light and dark pages.
STYLE = """
text { font: 14px sans-serif; fill: #1c1e21 }
.code { font-family: monospace; font-weight: bold }
.quiet { fill: #565c64; font-size: 13px }
.back { fill: #ffffff }
.box { fill: #eef2f7; stroke: #8793a5 }
.stop { fill: #fdecea; stroke: #b3261e }
.good { fill: #e5f4ea; stroke: #17683a }
.wait { fill: #fff3dc; stroke: #8a5200 }
.line { stroke: #565c64; stroke-width: 1.5; fill: none; marker-end: url(#tip) }
@media (prefers-color-scheme: dark) {
  text { fill: #e6e7ea } .quiet { fill: #a5abb5 } .back { fill: #16181c }
  .box { fill: #262b33; stroke: #6b7687 } .stop { fill: #3a1f1d; stroke: #ff9d94 }
  .good { fill: #173324; stroke: #6fd694 } .wait { fill: #3a2d12; stroke: #ffc45c } .line { stroke: #a5abb5 }
}
"""
TIP = '<marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">' \
      '<path d="M0 0L8 4L0 8z" fill="#808890"/></marker>'


class Picture:
    def __init__(self, title, width, height):
        self.parts = [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img">',
            f"<title>{escape(title)}</title><style>{STYLE}</style><defs>{TIP}</defs>",
            f'<rect class="back" width="{width}" height="{height}" rx="8"/>',
        ]

    def text(self, x, y, words, kind="", anchor="start"):
        self.parts.append(f'<text class="{kind}" x="{x}" y="{y}" text-anchor="{anchor}">{escape(words)}</text>')

    def box(self, x, y, width, height, kind="box"):
        self.parts.append(f'<rect class="{kind}" x="{x}" y="{y}" width="{width}" height="{height}" rx="6"/>')

    def named(self, x, y, width, name, below="", kind="box"):
        self.box(x, y, width, 44 if below else 30, kind)
        self.text(x + width / 2, y + 20, name, "code", "middle")
        if below:
            self.text(x + width / 2, y + 37, below, "quiet", "middle")

    def line(self, path):
        self.parts.append(f'<path class="line" d="{path}"/>')

    def svg(self):
        return "\n".join([*self.parts, "</svg>", ""])


def steps():
    rows = [
        ("resolve", "the registry: no such tool", "finds the tool"),
        ("parse", "the parser: no JSON, cut off, too long", "repairs what is unambiguous"),
        ("validate", "the schema: every problem at once", "fills in defaults, converts"),
        ("prepare", "the tool: arguments that make no sense", "says what the call would do"),
        ("policy", "a rule that denies", "allows, asks or denies"),
        ("approval", "a person: no, later, or other arguments", "asks the approver"),
        ("wait", "the ledger, the audit log, a cancellation", "claims the key, waits for its turn"),
        ("run", "the timeout, a cancellation, the tool", "runs the tool"),
        ("limit", "", "removes secrets, shortens"),
        ("record", "", "stores the outcome"),
    ]
    picture = Picture("The ten steps of a call, and who may stop it in each", 760, 40 + 48 * len(rows))
    picture.text(30, 24, "step", "quiet")
    picture.text(430, 24, "who may stop the call here", "quiet")
    for number, (name, stop, does) in enumerate(rows):
        y = 36 + 48 * number
        picture.box(30, y, 370, 34)
        picture.text(44, y + 22, f"{number + 1}. {name}", "code")
        picture.text(150, y + 22, does, "quiet")
        if number:
            picture.line(f"M60 {y - 14}V{y - 1}")
        if stop:
            picture.box(430, y, 300, 34, "stop")
            picture.text(442, y + 22, stop)
            picture.line(f"M400 {y + 17}H428")
    # Edited arguments are validated again.
    picture.line("M30 293H14V149H28")
    return picture.svg()


def ledger():
    picture = Picture("States of a call with a ledger", 800, 360)
    picture.named(20, 40, 190, "awaiting_approval", "a person decides", "wait")
    picture.named(20, 150, 190, "claimed", "may start")
    picture.named(285, 150, 190, "running", "renews its lease")
    picture.named(520, 40, 250, "done", "result is stored", "good")
    picture.named(520, 120, 250, "failed_without_effect", "its key is free again", "stop")
    picture.named(520, 200, 250, "failed_with_possible_effect", "is never repeated", "stop")
    picture.named(285, 290, 190, "unknown", "the process died", "wait")
    for path in ["M115 84V148", "M210 172H283", "M475 165L518 74", "M475 172L518 146", "M475 180L518 216", "M380 194V288"]:
        picture.line(path)
    picture.line("M340 194C330 250 150 250 125 196")
    picture.text(150, 260, "lease ended, repeatable", "quiet")
    picture.text(392, 252, "lease ended", "quiet")
    picture.line("M475 320H785V62H772")
    picture.text(560, 312, "verify: it happened", "quiet")
    picture.line("M285 320H70V196")
    picture.text(84, 312, "verify: it did not happen", "quiet")
    return picture.svg()


def crates():
    layers = [
        ("one crate to add", ["toolwright"]),
        ("what agents use", ["agent-loop", "tools-builtin", "tool-mcp", "tools-connectors"]),
        ("", ["provider-adapters", "tool-ledger", "tool-remote", "tool-test"]),
        ("tools and calls", ["tool-core", "tool-macros"]),
        ("know nothing of tools", ["tool-json", "shell-verdict", "process-tree", "html-text", "office-text"]),
    ]
    picture = Picture("The crates: each uses only crates below it", 900, 30 + 64 * len(layers))
    for number, (words, names) in enumerate(layers):
        y = 20 + 64 * number
        picture.text(20, y + 20, words, "quiet")
        width = (700 - 10 * (len(names) - 1)) / len(names)
        for place, name in enumerate(names):
            picture.named(180 + place * (width + 10), y, width, name, kind="good" if number == 0 else "box")
        if number:
            picture.line(f"M530 {y - 32}V{y - 3}")
    return picture.svg()


def main():
    differing = []
    for name, content in [("steps", steps()), ("ledger", ledger()), ("crates", crates())]:
        file = Path(__file__).parent / "src" / f"{name}.svg"
        if not file.exists() or file.read_text() != content:
            differing.append(str(file))
            if "--check" not in sys.argv:
                file.write_text(content)
    if "--check" in sys.argv and differing:
        sys.exit(f"{', '.join(differing)}: differs from what {__file__} draws; run it")


main()
