import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import process from "node:process";
import { afterAll, beforeAll, expect, test } from "vitest";
import { SOFTWARE } from "../support/adapter.ts";

const program = resolve("build/examples/line-index.js");
const PART = 2 ** 24;

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "wavefold-lines-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function indexOf(content: Uint8Array | string): { status: number | null; summary: string; told: string[] } {
  writeFileSync(join(folder, "lines.txt"), content);
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, "lines.txt", ...SOFTWARE], {
    cwd: folder,
    encoding: "utf8",
  });
  return { status, summary: stdout.split("\n")[1] ?? "", told: stderr.trim().split("\n") };
}

test.each([
  ["", "lines.txt: 0 bytes, no lines"],
  ["\n", "lines.txt: 1 bytes, 1 lines; the longest is line 1, at byte 0, with 1 bytes"],
  ["a\nbb\n\nccc", "lines.txt: 9 bytes, 4 lines; the longest is line 2, at byte 2, with 3 bytes"],
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
