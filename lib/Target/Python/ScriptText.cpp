// SPDX-License-Identifier: Apache-2.0
// The parts of a script that are the same in all of them.

#include "ScriptText.h"

namespace mlir::ring {

const char kScriptTensors[] =
    R"python(# NumPy has no bf16: such tensors are f32 in files and rounded on the way in.
NUMPY_TYPES = {
    ttnn.bfloat16: np.float32, ttnn.float32: np.float32, ttnn.int32: np.int32,
    ttnn.uint32: np.uint32, ttnn.uint16: np.uint16, ttnn.uint8: np.uint8,
}


def tensor_of(array, dtype, device=None):
    """The array as a tensor of the host, or as a copy on every device."""
    array = np.ascontiguousarray(array, dtype=NUMPY_TYPES[dtype])
    tensor = ttnn.Tensor(array, dtype, layout=ttnn.TILE_LAYOUT)
    if device is None:
        return tensor
    return ttnn.to_device(tensor, device, memory_config=ttnn.DRAM_MEMORY_CONFIG)


def array_of(tensor):
    """The numbers of a tensor of the host."""
    if tensor.dtype == ttnn.bfloat16:
        tensor = ttnn.to_dtype(tensor, ttnn.float32)
    return tensor.to_numpy()
)python";

const char kScriptMain[] = R"python(def file_shape(shape, place):
    """The shape that a tensor has in a file: what differs by device has one more
    dimension in front, the devices row by row."""
    return ((MESH[0] * MESH[1],) if place == DEVICES else ()) + shape


def make_input(device, path, generator, shape, dtype, place):
    """A tensor from a file, or of seeded numbers: normal ones, and zeros where
    numbers count something."""
    shape = file_shape(shape, place)
    if path is not None:
        array = np.load(path)
        if array.shape != shape:
            raise SystemExit(f"{path}: expects {shape}, but got {array.shape}")
    elif NUMPY_TYPES[dtype] == np.float32:
        array = generator.standard_normal(shape, dtype=np.float32)
    else:
        array = np.zeros(shape, dtype=np.int32)
    if place == HOST:
        return tensor_of(array, dtype)
    if place == EVERY_DEVICE:
        return tensor_of(array, dtype, device)
    shards = [tensor_of(part, dtype) for part in array]
    return ttnn.to_device(ttnn.from_host_shards(shards, ttnn.MeshShape(*MESH)), device,
                          memory_config=ttnn.DRAM_MEMORY_CONFIG)


def fetch(tensor, place):
    """The numbers of a result, in the shape that files have."""
    if place == HOST:
        return array_of(tensor)
    parts = [array_of(part) for part in ttnn.get_device_tensors(ttnn.from_device(tensor))]
    return np.stack(parts) if place == DEVICES else parts[0]


def compare(found, expected):
    """The correlation with what is expected, and the root of the mean square of
    the errors over that of the numbers."""
    found, expected = (x.astype(np.float64).ravel() for x in (found, expected))
    size = np.sqrt(np.mean(expected ** 2))
    error = np.sqrt(np.mean((found - expected) ** 2)) / (size if size > 0 else 1)
    if found.std() == 0 or expected.std() == 0:
        return (1.0 if error == 0 else 0.0), error
    return np.corrcoef(found, expected)[0, 1], error


def judge(name, found, path, arguments):
    """Prints what is to be said of one result; whether it is right."""
    finite = bool(np.isfinite(found).all())
    line = f"{name}: {'x'.join(map(str, found.shape))}"
    if path is None:
        print(f"{line}: {'finite, compared with nothing' if finite else 'NOT FINITE'}")
        return finite
    expected = np.load(path)
    if expected.shape != found.shape:
        print(f"{line}: WRONG, {path} has {'x'.join(map(str, expected.shape))}")
        return False
    pcc, error = compare(found, expected)
    right = finite and pcc >= arguments.pcc and error <= arguments.error
    print(f"{line}: pcc {pcc:.6f}, error {error:.2e}: {'right' if right else 'WRONG'}")
    return right


def run(name, device, rings, arguments, files, generator):
    """Runs one function; whether all of its results are right."""
    function = FUNCTIONS[name]
    inputs = [make_input(device, next(files["input"], None), generator, *port)
              for port in function["inputs"]]
    ttnn.synchronize_device(device)
    start = time.perf_counter()
    for _ in range(arguments.repeat):
        results = function["run"](device, *([rings] if function["rings"] else []), *inputs)
    ttnn.synchronize_device(device)
    seconds = (time.perf_counter() - start) / arguments.repeat
    print(f"{name}: {seconds:.3f} s")
    results = results if isinstance(results, tuple) else (results,)
    right = True
    for index, (result, port) in enumerate(zip(results, function["outputs"])):
        array = fetch(result, port[2])
        output, expected = next(files["output"], None), next(files["expected"], None)
        if output is not None:
            np.save(output, array)
        right &= judge(f"{name} out{index}", array, expected, arguments)
    return right


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--input", metavar="F.npy", action="append", default=[],
                        help="a file for each input in order; the rest is made from the seed")
    parser.add_argument("--output", metavar="F.npy", action="append", default=[],
                        help="a file to write each output to, in order")
    parser.add_argument("--expected", metavar="F.npy", action="append", default=[],
                        help="a file to compare each output with, in order")
    parser.add_argument("--function", choices=FUNCTIONS, action="append",
                        help="what to run; without, all functions in order")
    parser.add_argument("--seed", type=int, default=1, help="of the inputs that are made")
    parser.add_argument("--repeat", type=int, default=1, help="how often to run")
    parser.add_argument("--pcc", type=float, default=0.999, help="the least correlation")
    parser.add_argument("--error", type=float, default=0.05,
                        help="the largest error, root mean square over that of the numbers")
    arguments = parser.parse_args()
    if arguments.repeat < 1:
        parser.error("expects --repeat to be at least 1")
    arguments.function = arguments.function or list(FUNCTIONS)
    for kind, ports in (("input", "inputs"), ("output", "outputs"), ("expected", "outputs")):
        most = sum(len(FUNCTIONS[name][ports]) for name in arguments.function)
        if len(getattr(arguments, kind)) > most:
            parser.error(f"expects at most {most} files for --{kind}")
    return arguments


def main():
    arguments = parse_arguments()
    files = {kind: iter(getattr(arguments, kind)) for kind in ("input", "output", "expected")}
    generator = np.random.default_rng(arguments.seed)
    right = True
    ttnn.set_fabric_config(FABRIC)
    try:
        device = ttnn.open_mesh_device(ttnn.MeshShape(*MESH))
        try:
            rings = make_rings(device)
            for name in arguments.function:
                right &= run(name, device, rings, arguments, files, generator)
        finally:
            ttnn.close_mesh_device(device)
    finally:
        ttnn.set_fabric_config(ttnn.FabricConfig.DISABLED)
    print("passed" if right else "FAILED")
    return 0 if right else 1


if __name__ == "__main__":
    sys.exit(main())
)python";

} // namespace mlir::ring
