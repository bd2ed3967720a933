"""The API reference: everything public has a docstring in numpydoc's form, with an example."""

from __future__ import annotations

import doctest
import functools
import importlib
import inspect
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpydoc.docscrape import get_doc_object
from numpydoc.validate import ERROR_MSGS, Validator, validate
from sklearn.base import BaseEstimator

import manifoldforest as mf

PACKAGE = Path(mf.__file__).parent

# Checks of numpydoc that are left out, and why.
LEFT_OUT = {
    "GL01": "where a summary starts and ends is ruff's to check",
    "GL02": "a docstring of one line closes its quotes in that line",
    "ES01": "a summary that says everything needs no second paragraph",
    "RT02": "a name tells more than a type alone, also of a single result",
    "SA01": "most names have no relatives that a reader would look for",
    "SA03": "descriptions under See Also continue the line that names the relative",
}
CHECKS = set(ERROR_MSGS) - set(LEFT_OUT)


@dataclass(frozen=True)
class Entry:
    """A name of the reference, and what it stands for."""

    name: str  # under which users find it: manifoldforest.ForestClassifier.fit
    value: Any  # a class, a function, a method or a property

    @property
    def last_name(self):
        return self.name.rpartition(".")[2]

    @property
    def doc(self):
        """The docstring; a method that overrides another inherits it, unless it has its own."""
        return inspect.getdoc(self.value) or ""

    @property
    def code(self):
        """The class or the function in which the docstring is written."""
        value = self.value
        if isinstance(value, property):
            value = value.fget
        elif isinstance(value, functools.cached_property):
            value = value.func
        return inspect.unwrap(getattr(value, "__func__", value))

    @property
    def place(self):
        code = self.code
        return f"{self.name} (written at {code.__module__}.{code.__qualname__})"

    @property
    def is_result(self):
        """Whether the class is one that users read and never call: forests make TreeView."""
        sections = (f"\n{title}\n{'-' * len(title)}\n" for title in ("Parameters", "Attributes"))
        has_parameters, has_attributes = (section in self.doc for section in sections)
        is_class = inspect.isclass(self.value) and not hasattr(self.value, "get_params")
        return is_class and has_attributes and not has_parameters


def public_names():
    """Yield the names of the package and of its public packages, and what they stand for."""
    for name in mf.__all__:
        yield f"manifoldforest.{name}", getattr(mf, name)
    for package in mf._SUBMODULES:
        module = importlib.import_module(f"manifoldforest.{package}")
        for name in module.__all__:
            yield f"{module.__name__}.{name}", getattr(module, name)
    yield "manifoldforest.cli.main", importlib.import_module("manifoldforest.cli").main


def members(owner):
    """Yield the public methods and properties of a class, also those that it inherits from ours.

    Those of scikit-learn are not ours to document, nor are those that it makes (set_fit_request).
    """
    for name in dir(owner):
        value = inspect.getattr_static(owner, name, None)
        if isinstance(value, classmethod | staticmethod):
            value = getattr(owner, name)
        if not name.startswith("_") and is_ours(Entry(name, value).code):
            yield name, value


def is_ours(code):
    file = getattr(getattr(code, "__code__", None), "co_filename", "")
    return Path(file).is_relative_to(PACKAGE)


def all_entries():
    """Return everything that is documented, once, under the first of its names."""
    found = {}
    for name, value in public_names():
        if not (inspect.isclass(value) or inspect.isroutine(value)):
            continue  # modules and tables of names
        found.setdefault(value, Entry(name, value))
        for member, inner in members(value) if inspect.isclass(value) else ():
            entry = Entry(f"{name}.{member}", inner)
            found.setdefault(entry.code, entry)
    return list(found.values())


ENTRIES = all_entries()
each_entry = pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.name)


class EntryValidator(Validator):
    """numpydoc's checks of a docstring, also of one that is inherited."""

    def __init__(self, obj_name, entry):
        super().__init__(get_doc_object(entry.value, doc=entry.doc))
        self.raw_doc = self.clean_doc = entry.doc


def problems(entry):
    """Return what numpydoc finds wrong with the docstring."""
    found = validate(entry.name, validator_cls=EntryValidator, entry=entry)["errors"]
    checks = CHECKS - {"PR01"} if entry.is_result else CHECKS
    return [f"{code} {message}" for code, message in found if code in checks]


def examples(entry):
    """Return the statements under Examples."""
    section = entry.doc.partition("\nExamples\n--------\n")[2]
    return [example.source for example in doctest.DocTestParser().get_examples(section)]


def attributes_of(entry):
    """Return the names under Attributes, where one line may have several."""
    listed = get_doc_object(entry.value)["Attributes"]
    return [name for names, *_ in listed for name in names.split(", ")]


def names_to_use(entry):
    """Return names of which the examples must use one."""
    return [entry.last_name, *(attributes_of(entry) if entry.is_result else [])]


def uses_one_of(statements, names):
    pattern = re.compile(rf"\b({'|'.join(map(re.escape, names))})\b")
    return any(pattern.search(statement) for statement in statements)


def refuse(entry, what):
    pytest.fail(f"docstring of {entry.place}: {what}", pytrace=False)


@each_entry
def test_the_docstring_is_complete(entry):
    if found := problems(entry):
        refuse(entry, "; ".join(found))


@each_entry
def test_the_example_uses_the_name(entry):
    names = names_to_use(entry)
    if not uses_one_of(examples(entry), names):
        refuse(entry, f"Examples must have a line '>>> …' that uses {' or '.join(names)}")


def fitted(estimator):
    """Return the estimator, fitted on a small table, with options that add attributes."""
    options = {"n_estimators": 20, "n_epochs": 1, "oob_score": True, "ranks": True}
    known = estimator.get_params()
    options = {name: value for name, value in options.items() if name in known}
    estimator.set_params(random_state=0, **options)
    X = pd.DataFrame(np.random.default_rng(0).normal(size=(20, 2)), columns=["a", "b"])
    return estimator.fit(X, (X["a"] > 0).astype(int).to_numpy())


ESTIMATORS = [
    entry
    for entry in ENTRIES
    if inspect.isclass(entry.value) and issubclass(entry.value, BaseEstimator)
    if hasattr(entry.value, "predict")
    # those on Dask collections have the attributes of the local ones, to which they refer
    if not entry.name.startswith("manifoldforest.dask.")
]


@pytest.mark.parametrize("entry", ESTIMATORS, ids=lambda entry: entry.name)
def test_all_fitted_attributes_are_listed(entry):
    if entry.last_name == "DifferentiableBoundaryTree":
        pytest.importorskip("torch")
    estimator = fitted(entry.value())
    made = {*vars(estimator), *(name for name, _ in members(entry.value))}
    made = {name for name in made if name.endswith("_") and not name.startswith("_")}
    if missing := made - set(attributes_of(entry)):
        refuse(entry, f"Attributes must list {', '.join(sorted(missing))}")


# ----------------------------------------------------------------- the checks find what is wrong


def complete(a, b=0):
    """Return a sum.

    Parameters
    ----------
    a, b : int
        Numbers.

    Returns
    -------
    sum : int
        Their sum.

    Examples
    --------
    >>> complete(1, 2)
    3
    """
    return a + b


def with_doc(doc):
    def changed(a, b=0):
        return a + b

    changed.__doc__ = doc
    return Entry("changed", changed)


def test_a_complete_docstring_has_no_problems():
    entry = Entry("complete", complete)
    assert problems(entry) == []
    assert uses_one_of(examples(entry), names_to_use(entry))


@pytest.mark.parametrize(
    ("code", "old", "new"),
    [
        ("SS03", "Return a sum.", "Return a sum"),
        ("PR01", "a, b : int", "a : int"),
        ("PR02", "a, b : int", "a, b, c : int"),
        ("PR03", "a, b : int", "b, a : int"),
        ("PR07", "    Numbers.\n", ""),
        ("RT01", "Returns\n-------\nsum : int\n    Their sum.\n", ""),
        ("EX01", "Examples\n--------\n", ""),
    ],
)
def test_what_is_missing_is_named(code, old, new):
    doc = inspect.cleandoc(complete.__doc__) + "\n"  # as Python from 3.13 on keeps it
    assert old in doc
    found = problems(with_doc(doc.replace(old, new)))
    assert code in {text.partition(" ")[0] for text in found}


def test_no_docstring_is_named():
    assert problems(with_doc(None)) == ["GL08 The object does not have a docstring"]


@pytest.mark.parametrize("line", ["a = 1", "complete_ = 3", "a.incomplete(1)"])
def test_an_example_of_something_else_does_not_count(line):
    entry = Entry("complete", with_doc(complete.__doc__.replace("complete(1, 2)", line)).value)
    assert not uses_one_of(examples(entry), names_to_use(entry))


def test_inherited_methods_and_properties_are_looked_at():
    names = {entry.last_name for entry in ENTRIES}
    assert {"fit", "predict", "trees_", "depth", "load", "get_params", "split_text"} <= names
    assert not {"set_fit_request", "get_metadata_routing", "fit_transform"} & names
