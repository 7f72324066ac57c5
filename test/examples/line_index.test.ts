import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import process from "node:process";
import { afterAll, beforeAll, expect, test } from "vitest";
import { SOFTWARE } from "../support/adapter.ts";

const program = "build/examples/line-index.js";
/** The program's parts are longer. */
const PART = 2 ** 16;

let folder: string;
/** In the repository, for its packages. */
let place: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "wavefold-lines-"));
  place = mkdtempSync(resolve("build", "line-index-"));
  const [before, after] = readFileSync(program, "utf8").split("PART_BYTES = 2 ** 24;");
  expect(after, "the length of a part").toBeDefined();
  writeFileSync(join(place, "program.js"), `${before}PART_BYTES = ${PART};${after}`);
});
afterAll(() => {
  for (const one of [folder, place]) {
    rmSync(one, { recursive: true, force: true });
  }
});

function indexOf(content: Uint8Array | string): { status: number | null; summary: string; told: string[] } {
  writeFileSync(join(folder, "lines.txt"), content);
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [join(place, "program.js"), "lines.txt", ...SOFTWARE],
    {
      cwd: folder,
      encoding: "utf8",
    },
  );
  return { status, summary: stdout.split("\n")[1] ?? "", told: stderr.trim().split("\n") };
}

test.each([
  ["", "lines.txt: 0 bytes, no lines"],
  ["a\nbb\n\nccc\n", "lines.txt: 10 bytes, 4 lines; the longest is line 4, at byte 6, with 4 bytes"],
])("%j", (content, summary) => {
  expect(indexOf(content)).toEqual({ status: 0, summary, told: [""] });
});

test("a file of several parts, with a line across their ends, and one part without a newline", () => {
  const content = new Uint8Array(2 * PART + 5).fill(97);
  content[9] = 10;
  content[PART - 4] = 10;
  content[2 * PART + 2] = 10;
  const { status, summary, told } = indexOf(content);
  const [start, end] = [PART - 3, 2 * PART + 2];
  expect(status).toBe(0);
  expect(summary).toBe(
    `lines.txt: ${content.length.toLocaleString("en")} bytes, 4 lines; the longest is line 3, at byte ${start.toLocaleString("en")}, with ${(end - start + 1).toLocaleString("en")} bytes`,
  );
  const total = content.length.toLocaleString("en");
  expect(told).toEqual(
    [PART, 2 * PART, content.length].map((bytes) => `${bytes.toLocaleString("en")} of ${total} bytes`),
  );
});
