import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { promisify } from "node:util";
import { expect, test } from "vitest";

interface Milliseconds {
  readonly median: number;
  readonly least: number;
  readonly most: number;
}

test("the time to the first result is measured in a fresh Chromium, and recorded", async () => {
  const folder = await mkdtemp(join(tmpdir(), "wavefold-first-result-test-"));
  try {
    const json = join(folder, "run.json");
    const { stdout } = await promisify(execFile)(process.execPath, [
      "scripts/first-result.mjs",
      "--runs",
      "1",
      "--json",
      json,
    ]);
    const record = JSON.parse(await readFile(json, "utf8")) as {
      length: number;
      runs: number;
      milliseconds: Record<string, Milliseconds>;
    };
    expect(record).toMatchObject({ length: 2 ** 20, runs: 1 });
    const { loaded, opened, first, second } = record.milliseconds;
    // Each step comes after the one before it, and the second scan finds its pipelines compiled.
    expect(loaded?.median).toBeGreaterThan(0);
    expect(opened?.median).toBeGreaterThanOrEqual(loaded?.median ?? Number.POSITIVE_INFINITY);
    expect(first?.median).toBeGreaterThan(opened?.median ?? Number.POSITIVE_INFINITY);
    expect(second?.median).toBeGreaterThan(0);
    expect(stdout).toContain(`| the first scan is read back | ${first?.median} |`);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
