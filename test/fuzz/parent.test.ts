import { spawnSync } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import process from "node:process";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Case } from "./families.ts";
import { encodeCase } from "./families.ts";
import type { Runner } from "./parent.ts";
import { startRunner } from "./parent.ts";

/** A child that does what a case says: answer, fail, wait for ever, compute for ever, fill memory, or end. */
const CHILD = `
if (process.argv[3] === "none") { process.send({ noDevice: "there is no device" }); process.disconnect(); }
else process.send({ ready: "test", kind: "software" });
let ran = 0;
const kept = [];
process.on("message", ({ number, one }) => {
  ran++;
  const what = one.value.split(" ")[0];
  if (what === "wait") return;
  if (what === "compute") for (;;) {}
  if (what === "fill") {
    while (kept.length < 60) kept.push(Buffer.alloc(1e7, 1));
    return;
  }
  if (what === "end") { console.error("out of luck"); process.exit(3); }
  if (what === "fail") return process.send({ number, fault: "wrong", peakBytes: 1 });
  process.send({ number, verdict: ran === 1 ? "passed" : "refused", peakBytes: 1 });
});
`;

let folder: string;
let runner: Runner;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "wavefold-fuzz-"));
  const script = join(folder, "child.mjs");
  await writeFile(script, CHILD);
  runner = await startRunner(script, ["software"], { caseMs: 1500, bytes: 2e8, cases: 2 });
});
afterAll(async () => {
  runner.close();
  await rm(folder, { recursive: true });
});

const tell = (what: string): Case => ({
  family: "junk",
  method: "scan",
  place: "data",
  value: what,
});

test("where there is no device, it says why", async () => {
  const none = startRunner(join(folder, "child.mjs"), ["none"], { caseMs: 1500, bytes: 2e8, cases: 2 });
  await expect(none).rejects.toThrow("no device: there is no device");
});

test("a case ends as its process says", async () => {
  expect(await runner.run(tell("pass"))).toEqual({ verdict: "passed" });
  expect(await runner.run(tell("fail"))).toEqual({ verdict: "failed", message: "wrong" });
});

test("a process is begun anew after some cases, and for one that runs alone", async () => {
  const verdicts: string[] = [];
  for (const one of [1, 2, 3, 4, 5]) {
    verdicts.push((await runner.run(tell(`pass ${one}`))).verdict);
  }
  expect(verdicts.slice(-4)).toEqual(["refused", "passed", "refused", "passed"]);
  expect(await runner.runAlone(tell("pass"))).toEqual({ verdict: "passed" });
});

const told: [what: string, message: RegExp][] = [
  ["wait", /hangs: no end after 1.5 s/],
  ["compute", /hangs: no end after 1.5 s/],
  ["fill", /takes more than 200 MB of memory/],
  ["end", /ends the process \(exit code 3: out of luck/],
];
test.each(told)("a case that is told to %s fails, and the next one runs", async (what, message) => {
  const ended = await runner.run(tell(what));
  expect(ended.verdict).toBe("failed");
  expect(ended.message).toMatch(message);
  expect(await runner.run(tell("pass"))).toEqual({ verdict: "passed" });
});

describe("the bundle", () => {
  const fuzz = (...args: string[]) =>
    spawnSync(process.execPath, [resolve("build/fuzz.js"), ...args], { encoding: "utf8", cwd: folder });

  test("repeats a case that was printed", () => {
    const one: Case = { family: "junk", method: "scan", place: "data", value: "words" };
    const { status, stdout, stderr } = fuzz("--repeat", encodeCase(one));
    expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: "passed\n", stderr: "" });
  });

  test("prints its seed first, then what failed with the line that repeats it, and what it did last", () => {
    // No case runs in a megabyte.
    const limits = ["--memory", "1"];
    const found = fuzz("--seed", "5", "--only", "recorded", "--shrink-seconds", "0.1", ...limits);
    expect(found.stdout).toMatch(/^seed 5, /);
    expect(found.stdout).toMatch(/\nfailed, case 1: a case of recorded takes more than 1 MB of memory\n/);
    expect(found.stdout).toMatch(/\n0 passed \(0 of them refused\), 1 failed\n/);
    expect(found.stdout).toMatch(/\npeak memory of a process: \d+ MB\n$/);
    expect(found.status).toBe(1);
    const [, encoded = ""] =
      /^npm run fuzz -- --adapter simulated --repeat '(.*)'$/m.exec(found.stdout) ?? [];
    const again = fuzz("--repeat", encoded, ...limits);
    expect(again.stdout).toBe("failed: a case of recorded takes more than 1 MB of memory\n");
    expect(again.status).toBe(1);
  });

  test("says in one line what is wrong with its arguments", () => {
    const { status, stdout, stderr } = fuzz("--adapter", "cpu");
    expect(stderr).toMatch(/^fuzz: [^\n]*Allowed choices are simulated, gpu, software\.\n$/);
    expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
  });
});
