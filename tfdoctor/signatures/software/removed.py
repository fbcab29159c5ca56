"""What newer Pythons and setuptools took out of the standard library, as packages that are too old for them ask for it."""

from __future__ import annotations

MODULES = {
    "3.8": ("macpath",),
    "3.9": ("dummy_threading", "_dummy_thread"),
    "3.10": ("parser", "symbol", "formatter"),
    "3.11": ("binhex",),
    "3.12": ("distutils", "imp", "asynchat", "asyncore", "smtpd"),
    "3.13": (
        "aifc", "audioop", "cgi", "cgitb", "chunk", "crypt", "imghdr", "lib2to3", "mailcap", "msilib", "nis", "nntplib", "ossaudiodev",
        "pipes", "sndhdr", "spwd", "sunau", "telnetlib", "uu", "xdrlib",
    ),
}  # fmt: skip
"""By the first Python without them ("Removed" in docs.python.org's What's New of 3.8 to 3.13, and PEP 594; read 2026-11-22)."""
NAMES: dict[str, dict[str, tuple[str, ...]]] = {
    "time": {"3.8": ("clock",)},
    "fractions": {"3.9": ("gcd",)},
    "collections": {"3.10": ("Callable", "Container", "Hashable", "Iterable", "Iterator", "Mapping", "MutableMapping", "MutableSequence",
                             "MutableSet", "Sequence", "Set", "Sized")},
    "inspect": {"3.11": ("getargspec",)},
    "asyncio": {"3.11": ("coroutine",)},
    "pkgutil": {"3.12": ("ImpImporter", "ImpLoader")},
    "configparser": {"3.12": ("SafeConfigParser",)},
    "ssl": {"3.12": ("wrap_socket", "match_hostname")},
    "locale": {"3.12": ("format",)},
    "unittest": {"3.13": ("makeSuite", "findTestCases")},
    "typing": {"3.13": ("io", "re")},
    "ast": {"3.14": ("Num", "Str", "Bytes", "NameConstant", "Ellipsis")},
}  # fmt: skip
"""By module and by the first Python without them (the same pages, and that of 3.14)."""


OF_PACKAGES: dict[str, tuple[str, str, tuple[str, ...]]] = {
    "scipy.integrate": ("scipy", "1.14", ("simps", "trapz", "cumtrapz")),
    "scipy.linalg": ("scipy", "1.13", ("tril", "triu")),
    "scipy.signal": ("scipy", "1.13", ("gaussian", "hann", "hamming", "blackman", "kaiser", "tukey")),
    "scipy.misc": ("scipy", "1.2", ("imread", "imsave", "imresize", "imrotate", "imshow", "imfilter", "toimage", "fromimage", "bytescale")),
    "sklearn.externals": ("scikit-learn", "0.23", ("joblib", "six")),
    "sklearn": ("scikit-learn", "0.20", ("cross_validation", "grid_search", "learning_curve")),
    "sklearn.preprocessing": ("scikit-learn", "0.22", ("Imputer",)),
    "PIL.Image": ("pillow", "10", ("ANTIALIAS", "LINEAR", "CUBIC")),
    "PIL": ("pillow", "7", ("PILLOW_VERSION",)),
}  # fmt: skip
"""By module: the distribution, its first release without these names, the names (SciPy's release notes of 1.3, 1.13 and 1.14, scikit-learn's of 0.20 to
0.23, Pillow's of 7 and 10; cosanlab/py-feat#242, 2024-11; raphaelvallat/yasa#171, 2024-06). scipy.misc lost imread with 1.2 and the rest with 1.3."""
CAME: dict[str, tuple[str, str, tuple[str, ...]]] = {
    "numpy": ("numpy", "1.25", ("dtypes", "exceptions")),
}
"""The same of names that came: the distribution, its first release with them (NumPy's release notes of 1.25; IAHispano/Applio#1032, 2025-04)."""


def gone_since(module: str, name: str = "") -> str:
    """The first Python without it ("3.12"); "" for what none has removed."""
    if name:
        return next((version for version, names in NAMES.get(module, {}).items() if name in names), "")
    top = module.partition(".")[0]
    return next((version for version, modules in MODULES.items() if top in modules), "")
