// What the pages' program answers of many logs, under node: node corpus.mjs tfdoctor.zip LOGS ANSWERS
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { loadPyodide } from "pyodide";

const [archive, logs, answers] = process.argv.slice(2);
const python = await loadPyodide({ env: { HOME: "/", PYTHONDONTWRITEBYTECODE: "1" } });
python.unpackArchive(new Uint8Array(readFileSync(archive)), "zip", { extractDir: "/app" });
python.mountNodeFS("/logs", logs);
python.runPython("import sys; sys.path.insert(0, '/app')");
const answer = python.pyimport("answers").answer;
for (const name of readdirSync(logs)) {
  const question = { what: "log", logs: [[name, `/logs/${name}`]] };
  writeFileSync(`${answers}/${name}.json`, JSON.parse(answer(JSON.stringify(question), () => null)).json);
}
