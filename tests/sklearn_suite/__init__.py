"""scikit-learn's own tests of forests and trees, run on the classes of this package."""
