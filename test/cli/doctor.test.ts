import type { Buffer } from "node:buffer";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { cp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { DoctorReport } from "../../src/cli/doctor.ts";
import { startOpening, startSteps } from "../../src/cli/progress_lines.ts";
import type { Outcome } from "../../src/cli/self_test.ts";
import { selfTests } from "../../src/cli/self_test.ts";
import type { AdapterFacts, Examined, Verdict } from "../../src/cli/verdicts.ts";
import { nothingFound, resultOf, summaryOf, verdictsOf } from "../../src/cli/verdicts.ts";
import type { Diagnosis } from "../../src/gpu/diagnosis/diagnosis_types.ts";
import { resultOf as litmusResultOf } from "../../src/gpu/tuning/litmus.ts";
import type { LitmusName } from "../../src/kernels/litmus.ts";
import { litmusTests } from "../../src/kernels/litmus.ts";
import type { Fold } from "../../src/node.ts";
import { SOFTWARE, swiftShaderMissing } from "../support/adapter.ts";
import { failsIn, program, runIn } from "../support/command.ts";

const gpu: AdapterFacts = {
  name: "Fast 9000",
  vendor: "fast",
  architecture: "",
  description: "",
  software: false,
  features: ["shader-f16", "subgroups", "timestamp-query"],
  subgroupSizes: [32, 64],
  limits: {},
};
const software: AdapterFacts = { ...gpu, name: "Slow", software: true, features: [], subgroupSizes: null };
const broken: Diagnosis = {
  state: "broken",
  headline: "no GPU could be opened, though a driver is there",
  findings: [
    { kind: "driver-lacks-library", text: "The driver lacks libX.so.1.", cure: "Install it." },
    { kind: "software-only", text: "There is only lavapipe.", cure: "" },
  ],
  drivers: [],
  gpus: [],
};
const outcome = (primitive: Outcome["primitive"], verdict: Outcome["verdict"], detail = ""): Outcome => ({
  primitive,
  title: `${primitive}<u32> (blelloch)`,
  type: "u32",
  verdict,
  detail,
});
const stateOf = (verdicts: readonly Verdict[], about: string): string =>
  verdicts
    .filter((one) => one.about === about)
    .map(({ state, text }) => `${state}: ${text}`)
    .join("\n");

describe("the verdicts", () => {
  test("on a GPU that has all", () => {
    const examined: Examined = {
      ...nothingFound,
      adapter: gpu,
      singlePass: { passed: true, detail: "32 runs were right", milliseconds: 9 },
      selfTest: resultOf([outcome("scan", "passed"), outcome("sort", "passed")]),
    };
    const verdicts = verdictsOf(examined);
    expect(verdicts.map(({ state, about }) => `${state} ${about}`)).toEqual([
      "ok adapter",
      "ok shader-f16",
      "ok subgroups",
      "ok timestamp-query",
      "ok single pass",
      "ok self-test of scan",
      "ok self-test of sort",
    ]);
    expect(stateOf(verdicts, "subgroups")).toContain("the adapter reports 32 to 64 lanes");
    expect(summaryOf(examined)).toEqual({ works: true, summary: "Wavefold works here, on a GPU" });
  });

  test("on software, in the place of a GPU whose driver is broken: notes, and no failure", () => {
    const examined: Examined = {
      ...nothingFound,
      adapter: software,
      gpu: broken,
      singlePass: { passed: false, detail: "item 4 is 5", milliseconds: 9 },
      selfTest: resultOf([
        outcome("scan", "passed"),
        outcome("scan", "passed"),
        outcome("scan", "skipped", "no shader-f16"),
        outcome("sort", "skipped", "no shader-f16"),
      ]),
    };
    const verdicts = verdictsOf(examined);
    // Why there is no GPU comes first.
    expect(verdicts.map(({ about }) => about).slice(0, 4)).toEqual(["GPU", "GPU", "GPU", "adapter"]);
    expect(new Set(verdicts.map(({ state }) => state))).toEqual(new Set(["note", "ok"]));
    expect(stateOf(verdicts, "GPU")).toBe(
      "note: no GPU could be opened, though a driver is there\nnote: The driver lacks libX.so.1. Install it.\nnote: There is only lavapipe.",
    );
    expect(stateOf(verdicts, "shader-f16")).toBe("note: missing: arrays of f16 throw a FeatureError");
    expect(stateOf(verdicts, "single pass")).toBe(
      "note: it does not work here, so data is read twice by default: item 4 is 5",
    );
    expect(stateOf(verdicts, "self-test of scan")).toBe(
      "ok: 2 results are right; 1 check is skipped: no shader-f16",
    );
    expect(stateOf(verdicts, "self-test of sort")).toBe("note: 1 check is skipped: no shader-f16");
    expect(summaryOf(examined)).toEqual({
      works: true,
      summary: "Wavefold works here, in software: no GPU could be opened, though a driver is there",
    });
  });

  test("of a wrong result", () => {
    const selfTest = resultOf([
      outcome("scan", "passed"),
      outcome("scan", "failed", "it is 1"),
      outcome("sort", "failed", "it is 2"),
    ]);
    expect(selfTest).toMatchObject({ passed: 1, failed: 2, skipped: 0, leftOut: 0 });
    expect(selfTest.failures).toHaveLength(2);
    const examined: Examined = { ...nothingFound, adapter: gpu, selfTest };
    expect(stateOf(verdictsOf(examined), "self-test of sort")).toBe(
      "failed: 1 of 1 checks failed, the first is sort<u32> (blelloch): it is 2",
    );
    expect(stateOf(verdictsOf(examined), "self-test of scan")).toBe(
      "failed: 1 of 2 checks failed, the first is scan<u32> (blelloch): it is 1",
    );
    expect(summaryOf(examined)).toEqual({
      works: false,
      summary: "Wavefold does not work here: 2 of 3 checks failed",
    });
  });

  test("of checks that there was no time for", () => {
    const selfTest = resultOf([
      outcome("scan", "passed"),
      outcome("sort", "passed"),
      outcome("sort", "left out"),
      outcome("runs", "left out"),
    ]);
    expect(selfTest).toMatchObject({ passed: 2, failed: 0, skipped: 0, leftOut: 2 });
    const examined: Examined = { ...nothingFound, adapter: gpu, selfTest };
    const verdicts = verdictsOf(examined);
    expect(stateOf(verdicts, "self-test of scan")).toBe("ok: 1 result is right");
    expect(stateOf(verdicts, "self-test of sort")).toBe(
      "note: 1 result is right; there was no time for 1 of 2 checks",
    );
    expect(stateOf(verdicts, "self-test of runs")).toBe("note: there was no time for 1 of 1 checks");
    expect(summaryOf(examined)).toEqual({
      works: true,
      summary: "Wavefold works here, on a GPU; there was no time for 2 of 4 checks",
    });
  });

  /** What a litmus test saw. */
  interface Seen {
    readonly name: LitmusName;
    readonly instances?: number;
    readonly weak?: number;
    readonly forbidden?: number;
    readonly error?: string | null;
  }

  test("of litmus tests: only what WebGPU forbids and something relies on is a failure", () => {
    const resultOf = ({ name, error = null, ...seen }: Seen) => {
      const test = litmusTests.find((one) => one.name === name) as (typeof litmusTests)[number];
      return litmusResultOf(test, { instances: 20_000, weak: 0, forbidden: 0, ...seen }, error, 1);
    };
    const verdictOf = (seen: Seen): string =>
      stateOf(
        verdictsOf({ ...nothingFound, adapter: gpu, litmus: [resultOf(seen)] }),
        `litmus test of ${seen.name}`,
      );
    expect(verdictOf({ name: "tickets" })).toBe(
      "ok: 20,000 times, each number was given once, and each word had one first claimant",
    );
    expect(verdictOf({ name: "message passing", weak: 1234 })).toBe(
      "ok: 1,234 of 20,000 times, a later store was seen without the earlier one. WebGPU allows it, and each word that is handed on has a tag",
    );
    expect(verdictOf({ name: "whole words", forbidden: 2 })).toBe(
      "failed: 2 of 20,000 times, a word was loaded with halves of two stores. WebGPU forbids it. In Wavefold, single passes and sorts rely on that",
    );
    expect(verdictOf({ name: "work-group stores", forbidden: 20_000 })).toBe(
      "failed: 20,000 of 20,000 times, an atomic store in work-group memory did not replace the value that was there. WebGPU forbids it. In Wavefold, sorts, partitions by classes and other kernels that clear counters rely on that",
    );
    expect(verdictOf({ name: "coherence", forbidden: 2 })).toMatch(
      /^note: 2 of 20,000 times, a load got an older value .* WebGPU forbids it\. Nothing in Wavefold relies on that$/,
    );
    expect(
      verdictOf({
        name: "barriers",
        instances: 0,
        error: "the limit of 20 s for all tests was over before it began",
      }),
    ).toBe("note: it did not run to its end: the limit of 20 s for all tests was over before it began");
    // Each outcome that a test counts has words, and what is forbidden is said to be relied on, or not to be.
    for (const { name, forbidden, weak } of litmusTests) {
      expect(verdictOf({ name, ...(forbidden ? { forbidden: 1 } : { weak: 1 }) })).not.toContain("undefined");
      expect(verdictOf({ name, ...(weak ? { weak: 1 } : { forbidden: 1 }) })).not.toContain("undefined");
    }
    const litmus = (["barriers", "tickets"] as const).map((name) => resultOf({ name, forbidden: 1 }));
    expect(summaryOf({ ...nothingFound, adapter: gpu, litmus })).toEqual({
      works: false,
      summary: "Wavefold does not work here: the litmus test of barriers failed, and 1 more",
    });
  });

  test("without an adapter: the findings, which are failures if a GPU was asked for, and the error's first sentence", () => {
    const examined: Examined = {
      ...nothingFound,
      gpu: broken,
      error: "openFold: the adapter needs the package x/y.z: npm install x. It is needed since …",
    };
    const verdicts = verdictsOf(examined);
    const states = (of: readonly Verdict[]): string[] => of.map(({ state, about }) => `${state} ${about}`);
    expect(states(verdicts)).toEqual(["note GPU", "note GPU", "note GPU", "failed adapter"]);
    expect(states(verdictsOf({ ...examined, asked: "gpu" }))).toEqual([
      "failed GPU",
      "failed GPU",
      "failed GPU",
      "failed adapter",
    ]);
    expect(verdicts[3]?.text).toBe("the adapter needs the package x/y.z: npm install x");
    expect(summaryOf(examined).summary).toBe(
      "Wavefold does not work here: the adapter needs the package x/y.z: npm install x",
    );
    expect(summaryOf({ ...examined, asked: "gpu" })).toEqual({
      works: false,
      summary: "Wavefold does not work here on a GPU: no GPU could be opened, though a driver is there",
    });
    expect(summaryOf({ ...nothingFound, asked: "software" }).summary).toBe(
      "Wavefold does not work here in software: there is none",
    );
  });
});

describe("the progress, where stderr is no terminal", () => {
  const isTerminal = process.stderr.isTTY;
  let said: string[];
  beforeEach(() => {
    vi.useFakeTimers();
    process.stderr.isTTY = false;
    said = [];
    vi.spyOn(process.stderr, "write").mockImplementation((text) => said.push(String(text)) > 0);
  });
  afterEach(() => {
    vi.restoreAllMocks();
    vi.useRealTimers();
    process.stderr.isTTY = isTerminal;
  });

  test("is a line every five seconds, until it stops", () => {
    startOpening("doctor", "looking");
    const checks = startSteps("doctor", 7, "checks");
    checks.step("one");
    checks.step("two");
    vi.advanceTimersByTime(4999);
    expect(said).toEqual(["doctor: looking\n", "doctor: running 7 checks\n"]);
    vi.advanceTimersByTime(1);
    expect(said.at(-1)).toBe("doctor: 1 of 7 checks, now two\n");
    vi.advanceTimersByTime(10_000);
    expect(said).toHaveLength(5);
    checks.stop();
    vi.advanceTimersByTime(60_000);
    expect(said).toHaveLength(5);
  });

  test("is a bar on a terminal, which goes away while a line is printed, and comes back with the next step", () => {
    process.stderr.isTTY = true;
    const bar = (): string => said.splice(0).join("");
    const checks = startSteps("doctor", 7, "checks");
    checks.step("one");
    vi.advanceTimersByTime(1500);
    expect(bar()).toContain("0/7 one");
    checks.hide();
    // The code that clears a line.
    expect(bar()).toContain("\u001b[2K");
    vi.advanceTimersByTime(5000);
    expect(bar()).toBe("");
    checks.step("two");
    expect(bar()).toContain("1/7 two");
    checks.stop();
    bar();
    vi.advanceTimersByTime(5000);
    expect(bar()).toBe("");
  });

  test("shows no bar on a terminal for what takes less than a second", () => {
    process.stderr.isTTY = true;
    const opened = startOpening("doctor", "looking");
    vi.advanceTimersByTime(500);
    opened();
    opened();
    vi.advanceTimersByTime(5000);
    expect(said).toEqual([]);
  });
});

describe("the command", () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "wavefold-doctor-"));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  test("writes the report as text and as JSON", () => {
    const { status, stdout, stderr } = runIn(folder, [
      "doctor",
      "--types",
      "f16",
      "--json",
      "a.json",
      ...SOFTWARE,
    ]);
    expect(stderr).toMatch(
      /^doctor: looking for an adapter\ndoctor: testing single passes\ndoctor: running \d+ checks\n/,
    );
    const tests = selfTests({ software: true, device: { features: new Set<string>() } } as unknown as Fold, {
      types: ["f16"],
    });
    expect(stderr).toContain(`running ${tests.length} checks`);
    expect(status).toBe(0);
    const report = JSON.parse(readFileSync(join(folder, "a.json"), "utf8")) as DoctorReport;
    expect(report).toMatchObject({ version: 2, works: true, error: null, asked: SOFTWARE[1] });
    expect(report.versions).toMatchObject({
      wavefold: (JSON.parse(readFileSync("package.json", "utf8")) as { version: string }).version,
      node: process.version,
      webgpu: (JSON.parse(readFileSync("node_modules/webgpu/package.json", "utf8")) as { version: string })
        .version,
    });
    expect(report.system).toMatchObject({ platform: process.platform, arch: process.arch });
    expect(report.adapter?.limits.maxBufferSize).toBeGreaterThan(0);
    expect(report.singlePass?.passed).toBe(true);
    expect(report.selfTest?.groups.map(({ primitive }) => primitive)).toEqual([
      ...new Set(tests.map(({ primitive }) => primitive)),
    ]);
    // The text says the same.
    expect(stdout).toMatch(new RegExp(`wavefold +│ ${report.versions.wavefold}`));
    expect(stdout).toMatch(/npm package webgpu +│ \d/);
    const states = { ok: "ok    ", note: "note  ", failed: "FAILED" };
    for (const { about, state, text } of report.verdicts) {
      expect(stdout.split(`\n${states[state]}  ${about}: ${text}\n`)).toHaveLength(2);
    }
    expect(stdout.endsWith(`\n\n${report.summary}.\n`)).toBe(true);
  });

  const noDrivers = process.platform === "linux" ? undefined : "it takes Linux to have no Vulkan driver";
  test("says why there is no GPU, fails, and has the report on stdout by then", ({ skip }) => {
    skip(noDrivers !== undefined, noDrivers);
    const run = (...args: string[]) =>
      spawnSync(process.execPath, [program, "doctor", "--adapter", "gpu", ...args], {
        cwd: folder,
        encoding: "utf8",
        env: { ...process.env, VK_DRIVER_FILES: "/nowhere/icd.json" },
      });
    const { status, stdout, stderr } = run("--json");
    expect(status).toBe(1);
    expect(stderr).toMatch(/\nwavefold: doctor: Wavefold does not work here on a GPU: no GPU [^\n]+\n$/);
    // Nothing but JSON is on stdout.
    const report = JSON.parse(stdout) as DoctorReport;
    expect(report).toMatchObject({ version: 2, works: false, adapter: null, selfTest: null, asked: "gpu" });
    expect(report.error).toMatch(/^openFold: no GPU /);
    const finding = report.gpu?.findings.find(({ kind }) => kind === "variable-names-nothing");
    expect(finding?.text).toContain("The environment variable VK_DRIVER_FILES names /nowhere/icd.json");
    expect(existsSync(join(folder, "-"))).toBe(false);
    const text = run();
    expect(text.status).toBe(1);
    expect(text.stdout).toContain(`FAILED  GPU: ${finding?.text} ${finding?.cure}\n`);
    expect(text.stdout).toMatch(/^FAILED {2}GPU: no GPU /);
    expect(text.stdout).toContain(`\n${report.summary}.\n`);
  });

  test("says why there is no GPU first, before it opens a software adapter", async ({ skip }) => {
    skip(noDrivers !== undefined, noDrivers);
    skip(swiftShaderMissing !== undefined, swiftShaderMissing);
    const child = spawn(process.execPath, [program, "doctor", "--types", "f16"], {
      cwd: folder,
      env: { ...process.env, VK_DRIVER_FILES: "/nowhere/icd.json" },
      stdio: ["ignore", "pipe", "ignore"],
    });
    const start = performance.now();
    const [first] = (await once(child.stdout, "data")) as [Buffer];
    const seconds = (performance.now() - start) / 1000;
    child.kill();
    await once(child, "close");
    // Not even the table of versions comes before it.
    expect(String(first)).toMatch(/^note {4}GPU: no GPU .+\n(note {4}GPU: .+\n)+$/);
    // It takes 0.7 to 1.1 s on two cores with a load of 28.
    expect(seconds).toBeLessThan(10);
  });

  test("ends with a link that opens an issue, once package.json says where", async ({ skip }) => {
    skip(noDrivers !== undefined, noDrivers);
    // The package as it is installed, but for its manifest.
    const own = join(folder, "wavefold");
    await cp("dist/cli", join(own, "dist", "cli"), { recursive: true });
    await cp("dist/cli.js", join(own, "dist", "cli.js"));
    const manifest = JSON.parse(readFileSync("package.json", "utf8")) as object;
    const doctor = (more: object): string => {
      writeFileSync(join(own, "package.json"), JSON.stringify({ ...manifest, ...more }));
      const env = { ...process.env, VK_DRIVER_FILES: "/nowhere/icd.json" };
      const args = [join(own, "dist", "cli.js"), "doctor", "--adapter", "gpu"];
      return spawnSync(process.execPath, args, { encoding: "utf8", env }).stdout;
    };
    const bugs = { url: "https://github.com/somebody/wavefold/issues" };
    const [, link = ""] = /^This opens an issue with the verdicts: (\S+)$/m.exec(doctor({ bugs })) ?? [];
    expect(link).toMatch(/^https:\/\/github\.com\/somebody\/wavefold\/issues\/new\?title=/);
    const body = new URL(link).searchParams.get("body");
    expect(body).toContain(`node ${process.version}`);
    expect(body).toContain("failed GPU: The environment variable VK_DRIVER_FILES names /nowhere/icd.json");
    expect(doctor({ bugs: undefined, repository: undefined })).not.toContain("opens an issue");
  });

  test("rejects what it cannot do, before it does anything", () => {
    failsIn(folder, /there is no type "u8"; types are u32, i32/, ["doctor", "--types", "f16,u8"]);
    failsIn(folder, /folder .*missing does not exist/, ["doctor", "--json", "missing/a.json"]);
  });
});
