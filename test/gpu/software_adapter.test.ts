import { mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { afterEach, beforeEach, expect, test } from "vitest";
import { softwareFolder } from "../../src/gpu/adapters/software_adapter.ts";
import { packagesMissing, skipAll, swiftShaderMissing } from "../support/adapter.ts";

skipAll(swiftShaderMissing ?? packagesMissing("@sparticuz/chromium"));

let cache: string;
const before = process.env.XDG_CACHE_HOME;
beforeEach(() => {
  cache = mkdtempSync(join(tmpdir(), "wavefold-cache-"));
  process.env.XDG_CACHE_HOME = cache;
});
afterEach(() => {
  rmSync(cache, { recursive: true, force: true });
  if (before === undefined) {
    delete process.env.XDG_CACHE_HOME;
  } else {
    process.env.XDG_CACHE_HOME = before;
  }
});

test("what a process left that was ended while it unpacked is removed, and what another unpacks is not", async () => {
  const first = await softwareFolder();
  const names = readdirSync(join(cache, "wavefold"));
  expect(names).toHaveLength(1);
  rmSync(first, { recursive: true });
  const [left, other] = [`${first}-left`, `${first}-other`];
  for (const folder of [left, other]) {
    mkdirSync(folder);
    writeFileSync(join(folder, "libvulkan.so.1"), "half of it");
  }
  const hourAgo = Date.now() / 1000 - 3600;
  utimesSync(left, hourAgo, hourAgo);
  expect(await softwareFolder()).toBe(first);
  expect(readdirSync(join(cache, "wavefold"))).toEqual([...names, `${names[0]}-other`]);
});
