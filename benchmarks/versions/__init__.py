"""What old_and_new.py lets two versions of the package do."""
