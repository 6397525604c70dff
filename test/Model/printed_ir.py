# SPDX-License-Identifier: Apache-2.0
"""Text of a module exactly as MLIR prints it with its locations.

Nothing here parses or normalises: what a writer of fixtures says is what comes
out, so that a tool which reads the text and prints it differently is caught.
"""


class Value:
    """An SSA value: how it is referred to, and its type."""

    def __init__(self, name, type):
        self.name, self.type = name, type


class Location:
    """A location: its text, with a {} for each location it is made of."""

    def __init__(self, form, *parts):
        self.form, self.parts = form, parts
        self.depth = 1 + max((part.depth for part in parts), default=-1)

    def __eq__(self, other):
        return (self.form, self.parts) == (other.form, other.parts)

    def __hash__(self):
        return hash((self.form, self.parts))

    def inline(self):
        return self.form.format(*(part.inline() for part in self.parts))


UNKNOWN = Location("unknown")


def named(name, child=None):
    return Location(f'"{name}"({{}})', child) if child else Location(f'"{name}"')


def in_file(path, line, column):
    return Location(f'"{path}":{line}:{column}')


def callsite(callee, caller):
    return Location("callsite({} at {})", callee, caller)


def fused(*parts, metadata=None):
    braces = ", ".join("{}" for _ in parts)
    return Location(f"fused{f'<{metadata}>' if metadata else ''}[{braces}]", *parts)


class Locations:
    """The aliases that MLIR gives locations.

    They are numbered in the order in which ops are visited, an op before its
    regions; but locations that are made of others come after all that are not,
    and so on by depth:

        #loc = loc("module")
        #loc1 = loc("a")                the first op
        #loc2 = loc("b")                part of the second op's location
        #loc3 = loc("c")                the third op
        #loc4 = loc(fused[#loc1, #loc2])  the second op

    Locations of arguments are printed in place, and their aliases, which nobody
    uses, stand before the module.
    """

    def __init__(self):
        self.visited, self.arguments = {}, set()

    def visit(self, location):
        for part in location.parts:
            self.visit(part)
        self.visited.setdefault(location)
        return location

    def visit_argument(self, location):
        self.visit(location)
        self.arguments.add(location)

    def number(self):
        """Decides the aliases, once everything was visited."""
        ordered = sorted(self.visited, key=lambda location: location.depth)
        self.aliases = {
            location: f"#loc{number or ''}" for number, location in enumerate(ordered)
        }

    def definitions(self, of_arguments):
        for location, alias in self.aliases.items():
            if (location in self.arguments) == of_arguments:
                parts = (self.aliases[part] for part in location.parts)
                yield f"{alias} = loc({location.form.format(*parts)})"


def tensor(*shape, element="bf16"):
    return "tensor<" + "".join(f"{size}x" for size in shape) + element + ">"


def shape_of(type):
    """The sizes and the element type of a tensor type."""
    *sizes, element = type[len("tensor<") : -1].split("x", type.count("x"))
    return [int(size) for size in sizes], element


def i32_list(values):
    return "[" + ", ".join(f"{value} : i32" for value in values) + "]"


def i32_array(values):
    return "array<i32: " + ", ".join(map(str, values)) + ">"


def i64_array(values):
    return "array<i64: " + ", ".join(map(str, values)) + ">"


def dictionary(entries):
    """Attributes in the order of their names, which is how MLIR keeps them."""
    return ", ".join(
        name if value is None else f"{name} = {value}"
        for name, value in sorted(entries.items())
    )


class Function:
    """One func.func, built op by op in SSA order."""

    def __init__(self, writer, name, arguments, results, attributes=None, private=False):
        """`arguments` are (type, attributes, location) triples."""
        self.writer = writer
        location = named(name)
        self.count = 0
        self.arguments = [
            Value(f"%arg{i}", type) for i, (type, _, _) in enumerate(arguments)
        ]
        listed = ", ".join(
            f"%arg{i}: {type}"
            + (f" {{{dictionary(attrs)}}}" if attrs else "")
            + f" loc({place.inline()})"
            for i, (type, attrs, place) in enumerate(arguments)
        )
        arrow = self._results(results)
        tail = f" attributes {{{dictionary(attributes)}}}" if attributes else ""
        visibility = "private " if private else ""
        writer.open(f"func.func {visibility}@{name}({listed}){arrow}{tail} {{", location)
        for _, _, place in arguments:
            writer.locations.visit_argument(place)

    @staticmethod
    def _results(results):
        if not results:
            return ""
        texts = [
            type + (f" {{{dictionary(attrs)}}}" if attrs else "")
            for type, attrs in results
        ]
        if len(texts) == 1 and not results[0][1]:
            return f" -> {texts[0]}"
        return f" -> ({', '.join(texts)})"

    def define(self, number):
        """Names for a new op's results."""
        base = f"%{self.count}"
        if number:
            self.count += 1
        if number < 2:
            return base, [base]
        return f"{base}:{number}", [f"{base}#{i}" for i in range(number)]

    def op(self, name, operands, results, properties=None, attributes=None, loc=None):
        """Writes an op in generic form; returns its value or values."""
        single = isinstance(results, str)
        types = [results] if single else list(results)
        left, names = self.define(len(types))
        text = f"{left} = " if types else ""
        text += f'"{name}"({", ".join(v.name for v in operands)})'
        if properties:
            text += f" <{{{dictionary(properties)}}}>"
        if attributes:
            text += f" {{{dictionary(attributes)}}}"
        inputs = ", ".join(v.type for v in operands)
        outputs = types[0] if len(types) == 1 else f"({', '.join(types)})"
        text += f" : ({inputs}) -> {outputs}"
        return self._finish(text, names, types, single, loc)

    def custom(self, text, type, loc=None):
        """Writes an op that has a form of its own."""
        left, names = self.define(1)
        return self._finish(f"{left} = {text}", names, [type], True, loc)

    def _finish(self, text, names, types, single, loc):
        self.writer.line(text, loc or self.writer.place())
        values = [Value(name, type) for name, type in zip(names, types)]
        return values[0] if single else values

    def finish(self, *values):
        text = "return"
        if values:
            text += " " + ", ".join(v.name for v in values)
            text += " : " + ", ".join(v.type for v in values)
        self.writer.line(text, self.writer.place())
        self.writer.close()


class Writer:
    """Lines with indentation, and the place in the model that ops come from."""

    def __init__(self):
        self.lines, self.opened = [], []
        self.locations = Locations()
        self.scope, self.serial = "model", 0

    def line(self, text, location=None):
        if location:
            self.locations.visit(location)
        self.lines.append(("  " * len(self.opened) + text, location))

    def open(self, text, location):
        """Starts an op with a region; its location is visited before the region."""
        self.line(text)
        self.opened.append(self.locations.visit(location))

    def close(self):
        location = self.opened.pop()
        self.lines.append(("  " * len(self.opened) + "}", location))

    def place(self):
        """The location of the next op: a name that occurs once."""
        self.serial += 1
        return named(f"{self.scope}.{self.serial}")

    def text(self):
        self.locations.number()
        aliases = self.locations.aliases
        body = [
            text + (f" loc({aliases[location]})" if location else "")
            for text, location in self.lines
        ]
        before = self.locations.definitions(of_arguments=True)
        after = self.locations.definitions(of_arguments=False)
        return "\n".join([*before, *body, *after, "", ""])
