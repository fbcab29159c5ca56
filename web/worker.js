// Runs tfdoctor in Python. Started from a blob, so that the page's rule against other hosts holds here, too.
import { loadPyodide } from "./pyodide.mjs";

const base = new URL(".", import.meta.url).href;
const fetchWhole = self.fetch.bind(self);
let received = 0;

// Pyodide does not tell how much it has loaded.
self.fetch = async (...given) => {
  const answer = await fetchWhole(...given);
  if (!answer.ok || !answer.body) return answer;
  const counted = answer.body.pipeThrough(
    new TransformStream({
      transform(piece, out) {
        received += piece.byteLength;
        self.postMessage({ received });
        out.enqueue(piece);
      },
    }),
  );
  return new Response(counted, { headers: { "Content-Type": answer.headers.get("Content-Type") ?? "" } });
};

async function load() {
  const archive = self.fetch(base + "tfdoctor.zip").then((answer) => answer.arrayBuffer());
  const python = await loadPyodide({
    indexURL: base,
    lockFileURL: base + "pyodide-lock.json",
    stdLibURL: base + "python_stdlib.zip",
    env: { HOME: "/", PYTHONDONTWRITEBYTECODE: "1" },
  });
  python.unpackArchive(await archive, "zip", { extractDir: "/app" });
  python.runPython("import gc, sys; gc.set_threshold(50_000); sys.path.insert(0, '/app')");
  return { python, answer: python.pyimport("answers").answer };
}

// Each file in a folder of its own: two may have one name. Nothing is copied, Python reads it piece by piece.
function mounted(python, files) {
  return files.map((file, number) => {
    const folder = `/files/${number}`;
    python.FS.mkdirTree(folder);
    python.FS.mount(python.FS.filesystems.WORKERFS, { blobs: [{ name: "file", data: file }] }, folder);
    return [folder, `${folder}/file`];
  });
}

const loading = load();
loading.then(
  () => self.postMessage({ ready: true }),
  (error) => self.postMessage({ broken: String(error) }),
);

self.onmessage = async ({ data: { id, question, files } }) => {
  const { python, answer } = await loading;
  const places = mounted(python, Object.values(files).flat());
  try {
    let next = 0;
    const named = Object.fromEntries(
      Object.entries(files).map(([key, value]) => {
        const one = (file) => [file.name ?? "pasted text", places[next++][1]];
        return [key, Array.isArray(value) ? value.map(one) : one(value)];
      }),
    );
    const told = answer(JSON.stringify({ ...question, ...named }), (bytes) => self.postMessage({ id, bytes }));
    self.postMessage({ id, answer: JSON.parse(told) });
  } catch (error) {
    self.postMessage({ id, failed: String(error.message ?? error) });
  } finally {
    for (const [folder] of places) python.FS.unmount(folder);
  }
};
