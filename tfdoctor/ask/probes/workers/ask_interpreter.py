"""Runs inside the examined interpreter by `python -c` and prints one line about it.

It must run on Python 2.7 and 3.0 to 3.14 and on PyPy, changes nothing and imports nothing of the user's: the
working folder is taken off sys.path first thing, and PYTHONPATH while the standard library is imported, so that
a json.py of the user's own does not end it.
"""

# ruff: noqa: UP031  # Python 2.7 and 3.5 have no f-strings
# Python 2.7 has no annotations either:
# mypy: allow-untyped-defs, allow-untyped-calls
import sys

if sys.path and sys.path[0] == "":
    del sys.path[0]  # put there by -c; a program started by its file has its own folder there


def _texts(path):
    """What import looks at: it passes over whatever else somebody's sitecustomize.py put on sys.path."""
    return [item for item in path if item and hasattr(item, "encode")]


def _without_user_folders(path):
    """The entries of sys.path below the interpreter's own prefixes, whose modules are the standard ones."""
    prefixes = [
        getattr(sys, name, None)
        for name in ("base_prefix", "base_exec_prefix", "real_prefix", "prefix")
    ]
    own = [
        item
        for item in _texts(path)
        if any(prefix and item.startswith(prefix) for prefix in prefixes)
    ]
    return [item for item in own if "-packages" not in item] or path


def _user_site(site):
    """The user site's folder, or why there is none."""
    if site is None:
        return None, "site is switched off"
    if getattr(site, "ENABLE_USER_SITE", None):
        return site.getusersitepackages(), ""
    if getattr(site, "ENABLE_USER_SITE", None) is None:
        return None, "user site disabled because user and effective user differ"
    if getattr(sys.flags, "no_user_site", 0):
        return None, "switched off by PYTHONNOUSERSITE or by the interpreter's options"
    return None, "switched off by the environment"


def _site_packages(site):
    """The folders that packages are installed into."""
    if hasattr(site, "getsitepackages"):
        return list(site.getsitepackages())
    # Site of virtualenv before 20.
    return [item for item in _texts(sys.path) if item.endswith("-packages")]


def _libc(os):
    """ "glibc 2.36"; "" on musl, macOS and Windows."""
    try:
        return os.confstr("CS_GNU_LIBC_VERSION") or ""
    except (AttributeError, ValueError, OSError):
        return ""


def _implementation():
    named = getattr(sys, "implementation", None)
    if named is not None:
        return named.name
    return "pypy" if "__pypy__" in sys.builtin_module_names else "cpython"


def _machine(os):
    if hasattr(os, "uname"):
        return os.uname()[4]
    import platform

    return platform.machine()


def _as_json(value):
    """By hand: importing `json` takes longer than all that is asked, and a user's own json.py may be in its place."""
    if isinstance(value, dict):
        return "{%s}" % ", ".join(
            "%s: %s" % (_as_json(name), _as_json(item)) for name, item in value.items()
        )
    if isinstance(value, list):
        return "[%s]" % ", ".join(_as_json(item) for item in value)
    if value is None or isinstance(value, (bool, int)):
        return {"None": "null", "True": "true", "False": "false"}.get(str(value), str(value))
    text = value.decode("utf-8", "replace") if isinstance(value, bytes) else value
    return '"%s"' % "".join(_escaped(ord(char)) for char in text)


def _escaped(code):
    """One character of a JSON string, in ASCII."""
    if code > 0xFFFF:
        return "\\u%04x\\u%04x" % (0xD7C0 + (code >> 10), 0xDC00 + (code & 0x3FF))
    return chr(code) if 32 <= code < 127 and code not in (34, 92) else "\\u%04x" % code


def _answer():
    import os

    site = sys.modules.get("site")
    user_site, why_not = _user_site(site)
    return {
        "executable": sys.executable or "",
        "version": "%d.%d.%d" % tuple(sys.version_info[:3]),
        "implementation": _implementation(),
        "machine": _machine(os),
        "platform": sys.platform,
        "bits": 64 if sys.maxsize > 2**32 else 32,
        "free_threaded": "free-threading" in sys.version or "t" in getattr(sys, "abiflags", ""),
        "prefix": sys.prefix,
        "base_prefix": getattr(sys, "real_prefix", None) or getattr(sys, "base_prefix", sys.prefix),
        "path": _texts(sys.path),
        "site_packages": _site_packages(site),
        "user_site": user_site,
        "no_user_site": why_not,
        "stdlib": os.path.dirname(os.path.abspath(os.__file__)),
        "libc": _libc(os),
    }


def _main():
    path = sys.path[:]
    sys.path[:] = _without_user_folders(path)
    import os

    sys.path[:] = path
    line = "\n\x02tfdoctor-interpreter " + _as_json(_answer()) + "\x03\n"
    data = line.encode("ascii")
    while data:
        data = data[os.write(1, data) :]


_main()
