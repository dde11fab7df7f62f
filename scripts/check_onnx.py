"""Checks exported networks with Python's onnx and onnxruntime.

Takes a directory made by torch/examples/exports.rs. Every file must satisfy onnx.checker, shape
inference included, and give what libtorch gave for the same positions, within 1e-4, also in batches
of other sizes; files in the folder `sparse` what the integers gave, within their rounding. The lines of
Python in model/ENCODING.md must work as they stand.
"""

import contextlib
import pathlib
import sys

import numpy
import onnx
import onnxruntime

TOLERANCE = 1e-4
# An activation of the integers is rounded down to 1/1016.
ROUNDING = 64 / 65025
PAGE = pathlib.Path(__file__).resolve().parent.parent / "model" / "ENCODING.md"
METADATA = ("rules", "encoding_version", "encoding", "architecture", "step", "run", "hash")


def load(path):
    onnx.checker.check_model(onnx.load(path), full_check=True)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(str(path), options)
    metadata = session.get_modelmeta().custom_metadata_map
    missing = [key for key in METADATA if f"garuda.{key}" not in metadata]
    assert not missing, f"metadata without {missing}"
    assert metadata["garuda.rules"] == path.stem, metadata["garuda.rules"]
    return session


def check(path):
    session = load(path)
    numbers = lambda ending: numpy.fromfile(path.with_suffix(ending), dtype="<f4")
    (planes,) = session.get_inputs()
    planes = numbers(".planes").reshape([-1] + planes.shape[1:])
    names = [output.name for output in session.get_outputs()]
    assert names == ["policy", "wdl", "moves_left"], names
    worst = 0.0
    for name, whole in zip(names, session.run(names, {"planes": planes})):
        expected = numbers(f".{name}").reshape(whole.shape)
        part = session.run([name], {"planes": planes[100:117]})[0]
        for found, wanted in ((whole, expected), (part, expected[100:117])):
            error = numpy.abs(found - wanted) / numpy.maximum(1, numpy.abs(wanted))
            assert error.max() < TOLERANCE, f"{name} is off by {error.max()}"
            worst = max(worst, float(error.max()))
    print(f"{path.name}: {len(planes)} positions, off by {worst:.1e} at most")


def check_sparse(path):
    session = load(path)
    read = lambda ending, kind: numpy.fromfile(path.with_suffix(ending), dtype=kind)
    features, moves = session.get_inputs()
    inputs = {
        "features": read(".features", "<f4").reshape([-1] + features.shape[1:]),
        "moves": read(".moves", "<i8").reshape([-1] + moves.shape[1:]),
    }
    policy, wdl = session.run(["policy", "wdl"], inputs)
    expected = read(".policy", "<f4").reshape(policy.shape)
    legal = ~numpy.isnan(expected)
    constants = {tensor.name: onnx.numpy_helper.to_array(tensor) for tensor in onnx.load(path).graph.initializer}
    (rows,) = [array for array in constants.values() if array.ndim == 2 and array.shape[0] == policy.shape[1]]
    bound = numpy.broadcast_to(numpy.abs(rows).sum(axis=1) * ROUNDING + TOLERANCE, policy.shape)
    error = numpy.abs(policy - expected)
    assert (error[legal] <= bound[legal]).all(), f"policy is off by {error[legal].max()}"
    worst = numpy.abs(wdl - read(".wdl", "<f4").reshape(wdl.shape)).max()
    assert worst < 0.01, f"wdl is off by {worst}"
    print(f"{path.name}: {len(wdl)} positions of a sparse network, off by {error[legal].max():.1e} at most")


def check_page(directory):
    code = PAGE.read_text().split("```python\n")[1].split("```")[0]
    names = {}
    with contextlib.chdir(directory):
        exec(code, names)
    shapes = [names[name].shape for name in ("policy", "wdl", "moves_left")]
    assert shapes == [(1, 2695), (1, 3), (1, 1)], shapes
    assert abs(names["wdl"].sum() - 1) < TOLERANCE, names["wdl"]
    print(f"{PAGE.name}: its lines load a network")


def main():
    directory = pathlib.Path(sys.argv[1])
    paths = sorted(directory.glob("*.onnx"))
    sparse = sorted(directory.glob("sparse/*.onnx"))
    checks = [(check, path) for path in paths] + [(check_sparse, path) for path in sparse]
    failed = 0
    for run, path in [*checks, (lambda _: check_page(directory), PAGE)]:
        try:
            run(path)
        except Exception as error:
            failed += 1
            print(f"{path.name}: {error}")
    print(f"{len(checks) + 1 - failed} passed, {failed} failed")
    sys.exit(failed > 0 or len(checks) != 10)


main()
