// Packs two folders of sources as zip files of what this very Pyodide's Python compiles: node compile.mjs SOURCES STDLIB OUT
import { loadPyodide } from "pyodide";

const [sources, stdlib, out] = process.argv.slice(2);
const python = await loadPyodide();
for (const [name, folder] of Object.entries({ sources, stdlib, out })) python.mountNodeFS(`/${name}`, folder);
python.runPython(`
import importlib.util, zipfile
from importlib._bootstrap_external import _code_to_hash_pyc
from pathlib import Path

def pack(folder, target):
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for file in sorted(each for each in Path(folder).rglob("*") if each.is_file()):
            name, data = str(file.relative_to(folder)), file.read_bytes()
            if name.endswith(".py"):
                code = compile(data, name, "exec", dont_inherit=True, optimize=2)
                name, data = name + "c", bytes(_code_to_hash_pyc(code, importlib.util.source_hash(data), False))
            archive.writestr(zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0)), data, zipfile.ZIP_DEFLATED)

pack("/sources", "/out/tfdoctor.zip")
pack("/stdlib", "/out/python_stdlib.zip")
`);
