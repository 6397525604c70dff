# SPDX-License-Identifier: Apache-2.0
"""Takes pictures of a report, wide and narrow, light and dark, and prints it.

usage: screenshots.py report.html FOLDER
"""

import os
import sys

from browser import Browser


def main():
    page, folder = sys.argv[1:]
    name = os.path.splitext(os.path.basename(page))[0]
    os.makedirs(folder, exist_ok=True)
    with Browser() as browser:
        for width in (1400, 390):
            for dark in (False, True):
                browser.show(page, width=width, dark=dark)
                scheme = "dark" if dark else "light"
                browser.screenshot(f"{folder}/{name}-{width}-{scheme}.png")
        # As from a desk: figures are drawn anew for the width of the paper.
        browser.show(page, width=1400)
        browser.print(f"{folder}/{name}.pdf")
        for problem in browser.problems:
            print(problem)


if __name__ == "__main__":
    main()
