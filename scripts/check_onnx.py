"""Checks exported networks with Python's onnx and onnxruntime.

Takes a directory made by model/examples/exports.rs. Every file must satisfy onnx.checker, shape
inference included, and give what libtorch gave for the same positions, within 1e-4, also in batches
of other sizes.
"""

import pathlib
import sys

import numpy
import onnx
import onnxruntime

TOLERANCE = 1e-4
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
    assert names == ["policy", "wdl", "plies_left"], names
    worst = 0.0
    for name, whole in zip(names, session.run(names, {"planes": planes})):
        expected = numbers(f".{name}").reshape(whole.shape)
        part = session.run([name], {"planes": planes[100:117]})[0]
        for found, wanted in ((whole, expected), (part, expected[100:117])):
            error = numpy.abs(found - wanted) / numpy.maximum(1, numpy.abs(wanted))
            assert error.max() < TOLERANCE, f"{name} is off by {error.max()}"
            worst = max(worst, float(error.max()))
    print(f"{path.name}: {len(planes)} positions, off by {worst:.1e} at most")


def main():
    paths = sorted(pathlib.Path(sys.argv[1]).glob("*.onnx"))
    failed = 0
    for path in paths:
        try:
            check(path)
        except Exception as error:
            failed += 1
            print(f"{path.name}: {error}")
    print(f"{len(paths) - failed} passed, {failed} failed")
    sys.exit(failed > 0 or len(paths) != 5)


main()
