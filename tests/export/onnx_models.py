"""Running exported forests, and what they must agree with."""

import numpy as np
import onnx
import onnxruntime

import manifoldforest as mf


def run(model, X):
    """Return the outputs of a model by name."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(model.SerializeToString(), options)
    rows = np.asarray(X, dtype=np.float32)
    rows = rows.reshape(len(rows), session.get_inputs()[0].shape[1])
    names = [output.name for output in session.get_outputs()]
    return dict(zip(names, session.run(None, {"X": rows}), strict=True))


def assert_same(forest, X, atol=1e-6):
    """Export a forest, and compare its answers with those of the model; return the outputs."""
    model = mf.to_onnx(forest)
    onnx.checker.check_model(model, full_check=True)
    found = run(model, X)
    X = np.asarray(X, dtype=np.float32)
    if not hasattr(forest, "classes_"):
        expected = forest.predict(X)
        assert found["prediction"].dtype == np.float32
        assert found["prediction"].shape == expected.shape
        np.testing.assert_allclose(found["prediction"], expected, rtol=1e-6, atol=atol)
        return found
    several = forest.n_outputs_ > 1
    labels = forest.predict(X)
    shares = forest.predict_proba(X)
    for k in range(forest.n_outputs_):
        ending = f"_{k}" if several else ""
        mine, other = found[f"label{ending}"], labels[:, k] if several else labels
        assert mine.shape == (len(X),)
        assert mine.tolist() == other.tolist()
        of_output = shares[k] if several else shares
        assert found[f"probabilities{ending}"].dtype == np.float32
        assert found[f"probabilities{ending}"].shape == of_output.shape
        np.testing.assert_allclose(found[f"probabilities{ending}"], of_output, rtol=0, atol=atol)
    return found
