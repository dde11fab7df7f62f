"""Checks exported networks with Python's onnx and onnxruntime.

Takes a directory made by model/examples/exports.rs. Every file must satisfy onnx.checker, shape
inference included, and give what libtorch gave for the same positions, within 1e-4, also in batches
of other sizes. The lines of Python in model/ENCODING.md must work as they stand.
"""

import contextlib
import pathlib
import sys

import numpy
import onnx
import onnxruntime

TOLERANCE = 1e-4
PAGE = pathlib.Path(__file__).resolve().parent.parent / "model" / "ENCODING.md"
METADATA = ("rules", "encoding_version", "encoding", "architecture", "step", "run", "hash")


def check(path):
    onnx.checker.check_model(onnx.load(path), full_check=True)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(str(path), options)
    metadata = session.get_modelmeta().custom_metadata_map
    missing = [key for key in METADATA if f"garuda.{key}" not in metadata]
    assert not missing, f"metadata without {missing}"
    assert metadata["garuda.rules"] == path.stem, metadata["garuda.rules"]

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
    failed = 0
    for path in [*paths, PAGE]:
        try:
            check_page(directory) if path == PAGE else check(path)
        except Exception as error:
            failed += 1
            print(f"{path.name}: {error}")
    print(f"{len(paths) + 1 - failed} passed, {failed} failed")
    sys.exit(failed > 0 or len(paths) != 5)


main()
