"""`python -m tfdoctor`."""

from tfdoctor.apps.cli.entry import main

if __name__ == "__main__":
    main()
