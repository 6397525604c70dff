# SPDX-License-Identifier: Apache-2.0
"""Follows every link of Markdown pages to a file, and to a heading in it.

    check-links.py README.md docs

A directory stands for the .md files in it, but not below it. Links to other
hosts are not followed.
"""

import pathlib
import re
import sys


def anchors(page):
    """What headings of a page are called in links, as GitHub calls them."""
    text = re.sub(r"^```.*?^```", "", page.read_text(), flags=re.M | re.S)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-")
            for heading in re.findall(r"^#+ (.*)$", text, re.M)}


def broken(page):
    """Yields what is wrong with the links of a page, and None for the others."""
    for number, line in enumerate(page.read_text().splitlines(), start=1):
        for target in re.findall(r"\]\(([^)\s]+)\)", line):
            if re.match(r"[a-z]+:", target):
                continue
            path, _, anchor = target.partition("#")
            other = page.parent / path if path else page
            if not other.exists():
                yield f"{page}:{number}: expects a file '{path}', but there is none"
            elif anchor and anchor not in anchors(other):
                yield f"{page}:{number}: expects a heading '#{anchor}' in {other.name}, but there is none"
            else:
                yield None


def main():
    pages = [page for root in map(pathlib.Path, sys.argv[1:])
             for page in (sorted(root.glob("*.md")) if root.is_dir() else [root])]
    links = [link for page in pages for link in broken(page)]
    wrong = [link for link in links if link]
    if wrong:
        sys.exit("\n".join(wrong))
    print(f"{len(links)} links in {len(pages)} pages")


if __name__ == "__main__":
    main()
