"""`python -m tfdoctor`."""

from tfdoctor.cli.entry import main

if __name__ == "__main__":
    main()
