import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath, pathToFileURL } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { SIMULATED } from "../support/adapter.ts";
import { program } from "../support/command.ts";

// What a command loads before it ends. Node.js takes some 0.4 ms of CPU for each file, and some 22 for a megabyte.

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "wavefold-starts-"));
  writeFileSync(join(folder, "in.txt"), "3 1 2\n");
  writeFileSync(
    join(folder, "in.wgsl"),
    "@group(0) @binding(0) var<storage, read_write> a: array<u32>; @compute @workgroup_size(1) fn main() { a[0] = 1u; }\n",
  );
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

/** Writes the addresses of all modules that the process has compiled. */
const watch = `--import=data:text/javascript,${encodeURIComponent(`
  import { writeFileSync } from "node:fs";
  import { Session } from "node:inspector";
  const session = new Session();
  session.connect();
  const loaded = [];
  session.on("Debugger.scriptParsed", ({ params }) => loaded.push(params.url));
  session.post("Debugger.enable");
  process.on("exit", () => writeFileSync("loaded.json", JSON.stringify(loaded)));
`)}`;

const text = ["--text", "u32", ...SIMULATED];

// What is loaded today, and a tenth more.
test.each([
  [["--version"], { files: 3, kilobytes: 85 }],
  [["emit", "scan"], { files: 10, kilobytes: 515 }],
  [["check", "in.wgsl", "--no-compiler"], { files: 12, kilobytes: 1150 }],
  [["reduce", "in.txt", ...text], { files: 14, kilobytes: 1010 }],
  [["sort", "in.txt", "-o", "-", ...text], { files: 18, kilobytes: 1770 }],
])("wavefold %j loads few files", (args, most) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [watch, program, ...args], {
    cwd: folder,
    encoding: "utf8",
  });
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  expect(stdout).not.toBe("");
  const dist = pathToFileURL(join(program, "..")).href;
  const loaded = (JSON.parse(readFileSync(join(folder, "loaded.json"), "utf8")) as string[])
    .filter((url) => url.startsWith(dist))
    .map((url) => fileURLToPath(url));
  expect(loaded).toContain(program);
  const kilobytes = loaded.reduce((sum, path) => sum + statSync(path).size, 0) / 1000;
  expect(loaded.length).toBeLessThanOrEqual(most.files);
  expect(kilobytes).toBeLessThanOrEqual(most.kilobytes);
});
