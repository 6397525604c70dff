# SPDX-License-Identifier: Apache-2.0
"""Feeds ring-opt with broken IR: whatever it is given, it must not crash.

    mutate.py --tool build-asan/bin/ring-opt --seed 1 --count 5000 test

takes the .mlir files below the given directories, breaks pieces of them in
random ways that follow from the seed alone, and runs the tool on the results,
many per process. An error message is what a broken file deserves; a signal, a
sanitizer's report or a time-out is a bug. The inputs that show one are cut down
and written to --out.
"""

import argparse
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile

SEPARATOR = "// -----"
TOKEN = re.compile(r"""[#!%@^]?[A-Za-z_][\w.$]*|-?\d+(?:\.\d+)?(?:e[+-]?\d+)?|"[^"\n]*"|->|\S""")
# Not the numbers of names and element types: %a1, bf16.
NUMBER = re.compile(r"(?<![\da-wyzA-Z_%])-?\d+")
NUMBERS = [
    "0", "1", "-1", "2", "3", "7", "31", "32", "33", "64", "4096", "1048576", "1048577",
    "2147483647", "-2147483648", "4294967296", "1099511627776", "1099511627777",
    "4611686018427387904", "9223372036854775807", "-9223372036854775808",
    "9223372036854775808", "18446744073709551616", "99999999999999999999999999",
]
TOKENS = ["<", ">", "[", "]", "(", ")", "{", "}", ",", ":", "=", "->", "x", "?", "_", "*",
          "in", "over", "true", "[]", "<>", "#ring.", "!ring.", "\"\"", "dense<>", "none"]
# What a crash of the tool looks like from outside. Sanitizers are told to leave
# with a code that ring-opt itself never returns.
SANITIZER_EXIT = 77
SECONDS = 60


def corpus_of(roots):
    """The pieces of all .mlir files, without what only a test runner reads."""
    pieces = []
    for root in roots:
        paths = [root] if root.is_file() else sorted(root.rglob("*.mlir"))
        for path in paths:
            lines = [line for line in path.read_text().splitlines()
                     if not line.strip().startswith("//") or line.startswith(SEPARATOR)]
            for piece in "\n".join(lines).split(SEPARATOR):
                # A piece that is itself a whole model is slow and teaches little.
                if piece.strip() and len(piece) < 100000:
                    pieces.append(piece.strip() + "\n")
    if not pieces:
        sys.exit("expects .mlir files in the corpus, but got none")
    return pieces


class Mutator:
    def __init__(self, seed, corpus):
        self.random, self.corpus = random.Random(seed), corpus
        # Numbers most: what parses gets as far as our verifiers and folds.
        self.ways = [self.number] * 4 + [self.number_everywhere] * 6 + [
                     self.byte, self.token, self.delete_token, self.swap_tokens,
                     self.delete_span, self.duplicate_line, self.delete_line, self.splice,
                     self.truncate]

    def mutant(self):
        text = self.random.choice(self.corpus)
        for _ in range(self.random.choice([1, 1, 1, 2, 3, 6])):
            text = self.random.choice(self.ways)(text)
        # A separator would make two inputs of one.
        return text.replace(SEPARATOR, "") + "\n"

    def _span(self, text, pattern):
        spans = [match.span() for match in pattern.finditer(text)]
        return self.random.choice(spans) if spans else (0, 0)

    def byte(self, text):
        at = self.random.randrange(len(text) + 1)
        return text[:at] + chr(self.random.randrange(1, 256)) + text[at + 1:]

    def number(self, text):
        begin, end = self._span(text, NUMBER)
        return text[:begin] + self.random.choice(NUMBERS) + text[end:]

    def number_everywhere(self, text):
        """Another size for one that occurs often, so that types still agree."""
        begin, end = self._span(text, NUMBER)
        if begin == end:
            return text
        new = self.random.choice(NUMBERS).lstrip("-")
        return re.sub(rf"(?<![\da-wyzA-Z_%]){re.escape(text[begin:end])}(?!\d)", new, text)

    def token(self, text):
        """Replaces a token by one of another piece, or by a lonely sign."""
        begin, end = self._span(text, TOKEN)
        other = TOKEN.findall(self.random.choice(self.corpus))
        new = self.random.choice(self.random.choice([TOKENS, other]))
        return text[:begin] + new + text[end:]

    def delete_token(self, text):
        begin, end = self._span(text, TOKEN)
        return text[:begin] + text[end:]

    def swap_tokens(self, text):
        (a, b), (c, d) = sorted(self._span(text, TOKEN) for _ in range(2))
        if b > c:
            return text
        return text[:a] + text[c:d] + text[b:c] + text[a:b] + text[d:]

    def delete_span(self, text):
        begin = self.random.randrange(len(text) + 1)
        return text[:begin] + text[begin + self.random.randrange(1, 40):]

    def _lines(self, text):
        lines = text.splitlines(keepends=True) or ["\n"]
        return lines, self.random.randrange(len(lines))

    def duplicate_line(self, text):
        lines, at = self._lines(text)
        return "".join(lines[:at + 1] + lines[at:])

    def delete_line(self, text):
        lines, at = self._lines(text)
        return "".join(lines[:at] + lines[at + 1:])

    def splice(self, text):
        """The start of one piece and the end of another."""
        other = self.random.choice(self.corpus)
        return (text[:self.random.randrange(len(text) + 1)]
                + other[self.random.randrange(len(other) + 1):])

    def truncate(self, text):
        return text[:self.random.randrange(len(text) + 1)]


class Tool:
    def __init__(self, path, flags):
        self.command = [path, *flags, "-o", os.devnull]
        # libMLIR is not instrumented: what it allocates is poisoned by our
        # instrumented copies of LLVM's headers and vice versa.
        options = f"exitcode={SANITIZER_EXIT}:allow_user_poisoning=0:detect_leaks=0"
        self.environment = dict(os.environ, ASAN_OPTIONS=options, UBSAN_OPTIONS=options)
        self.runs = 0

    def crashes(self, text):
        """What the tool died of, or nothing."""
        self.runs += 1
        with tempfile.NamedTemporaryFile("w", suffix=".mlir", encoding="latin-1") as file:
            file.write(text)
            file.flush()
            try:
                done = subprocess.run(
                    self.command + ["--split-input-file", file.name], env=self.environment,
                    capture_output=True, timeout=SECONDS, check=False)
            except subprocess.TimeoutExpired:
                return f"no answer within {SECONDS} s"
        if 0 <= done.returncode < SANITIZER_EXIT:
            return None
        report = done.stderr.decode("latin-1")
        telling = re.search(r".*(?:runtime error|SUMMARY|Assertion|UNREACHABLE).*", report)
        return telling.group(0) if telling else f"exit code {done.returncode}"

    def minimise(self, text):
        """Leaves out lines, then tokens, as long as the tool still crashes."""
        for split in (lambda t: t.splitlines(keepends=True),
                      lambda t: re.findall(r"\s*" + TOKEN.pattern, t, re.VERBOSE)):
            parts = split(text)
            size = len(parts) // 2 or 1
            while size:
                at = 0
                while at < len(parts):
                    shorter = parts[:at] + parts[at + size:]
                    if self.crashes("".join(shorter)):
                        parts = shorter
                    else:
                        at += size
                size //= 2
            text = "".join(parts)
        return text


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tool", required=True)
    parser.add_argument("--flag", action="append", default=[],
                        help="handed to the tool, such as --flag=--canonicalize")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--batch", type=int, default=100, help="inputs per process")
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("."))
    parser.add_argument("--most", type=int, default=10, help="crashes to report before giving up")
    parser.add_argument("corpus", nargs="+", type=pathlib.Path)
    arguments = parser.parse_args()

    mutator = Mutator(arguments.seed, corpus_of(arguments.corpus))
    tool = Tool(arguments.tool, arguments.flag)
    mutants = [mutator.mutant() for _ in range(arguments.count)]
    crashes = {}
    for begin in range(0, len(mutants), arguments.batch):
        batch = mutants[begin:begin + arguments.batch]
        together = f"{SEPARATOR}\n".join(batch)
        if not tool.crashes(together):
            continue
        # One of them alone, or else what only happens when all come together.
        alone = [mutant for mutant in batch if tool.crashes(mutant)]
        for mutant in alone or [together]:
            why = tool.crashes(mutant)
            if not why or why in crashes:
                continue
            crashes[why] = tool.minimise(mutant)
            name = arguments.out / f"crash-{arguments.seed}-{len(crashes)}.mlir"
            name.write_text(crashes[why], encoding="latin-1")
            print(f"{name}: {why}", flush=True)
        if len(crashes) >= arguments.most:
            break
    print(f"{len(mutants)} inputs, {len(crashes)} kinds of crash, {tool.runs} runs")
    sys.exit(1 if crashes else 0)


if __name__ == "__main__":
    main()
