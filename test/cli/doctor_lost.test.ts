import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { beforeEach, expect, test, vi } from "vitest";
import type { DoctorOptions, DoctorReport } from "../../src/cli/doctor.ts";
import { doctor } from "../../src/cli/doctor.ts";
import type { AdapterOption } from "../../src/cli/options.ts";
import { AdapterError, DeviceLostError } from "../../src/errors.ts";
import { resultOf } from "../../src/gpu/tuning/litmus.ts";
import { litmusTests } from "../../src/kernels/litmus.ts";
import type { Fold, LitmusResult, NodeOpenOptions } from "../../src/node.ts";

// What the command does when the test of single passes loses the device, and when results are wrong. Neither happens on an
// adapter that works, so a stand-in takes its place.

const { said, opened, state } = vi.hoisted(() => ({
  said: [] as string[],
  opened: [] as unknown[],
  state: { loses: false, hasGpu: true, hasTime: true, litmus: [] as LitmusResult[] },
}));

vi.mock(import("../../src/cli/print.ts"), async (original) => ({
  ...(await original()),
  print: async (text: string) => void said.push(text),
}));
vi.mock(import("../../src/cli/with_fold.ts"), async (original) => ({
  ...(await original()),
  withGpu: async <Result>({ adapter }: AdapterOption, work: (fold: Fold) => Promise<Result>) => {
    opened.push(adapter);
    if (adapter === "gpu" && !state.hasGpu) {
      throw new AdapterError("openFold: no GPU was found");
    }
    const fail = async (): Promise<never> => {
      throw new Error("it is wrong");
    };
    const own = {
      adapterInfo: { vendor: "stand-in" },
      software: adapter === "software",
      device: { features: new Set(["timestamp-query"]), limits: { maxBufferSize: 7 } },
    };
    // All calls fail.
    return work(
      new Proxy(own, {
        get: (of, name) => (name in of ? of[name as keyof typeof of] : fail),
      }) as unknown as Fold,
    );
  },
}));
// The test of single passes.
vi.mock(import("../../src/node.ts"), async (original) => ({
  ...(await original()),
  openFold: async ({ testSinglePass }: NodeOpenOptions = {}) => {
    opened.push({ testSinglePass });
    if (state.loses) {
      throw new DeviceLostError("openFold: the device was lost");
    }
    return { singlePassTest: { passed: true, detail: "3 runs were right", milliseconds: 1 } } as Fold;
  },
}));

vi.mock(import("../../src/cli/self_test.ts"), async (original) => {
  const own = await original();
  return {
    ...own,
    checksEnd: (...given: Parameters<typeof own.checksEnd>) => (state.hasTime ? own.checksEnd(...given) : 0),
  };
});

// The stand-in has no memory to test.
vi.mock(import("../../src/gpu/tuning/measure_adapter.ts"), async (original) => ({
  ...(await original()),
  runLitmusTests: async () => state.litmus,
}));

async function reportOf(
  types: string[],
  more: Partial<DoctorOptions> = {},
): Promise<{ report: DoctorReport; problem: unknown }> {
  const folder = mkdtempSync(join(tmpdir(), "wavefold-doctor-"));
  vi.spyOn(process.stderr, "write").mockReturnValue(true);
  try {
    const json = join(folder, "report.json");
    const problem = await doctor({ adapter: "auto", types, json, ...more }).catch((cause: unknown) => cause);
    return { report: JSON.parse(readFileSync(json, "utf8")) as DoctorReport, problem };
  } finally {
    vi.restoreAllMocks();
    rmSync(folder, { recursive: true, force: true });
  }
}

beforeEach(() => {
  said.length = 0;
  opened.length = 0;
  Object.assign(state, { loses: false, hasGpu: true, hasTime: true });
});

test("a device that the test loses is opened again without the test", async () => {
  state.loses = true;
  const { report, problem } = await reportOf(["f16"]);
  expect(problem).toBeUndefined();
  expect(opened).toEqual(["gpu", { testSinglePass: true }, "gpu"]);
  expect(report.works).toBe(true);
  expect(report.singlePass).toMatchObject({ passed: false, detail: "openFold: the device was lost" });
  expect(said.join("")).toContain(
    "note    single pass: it does not work here, so data is read twice by default: openFold: the device was lost\n",
  );
});

test("a wrong result fails the command, once the report is written", async () => {
  const { report, problem } = await reportOf(["u32", "f16"]);
  expect(opened).toEqual(["gpu", { testSinglePass: true }]);
  // Without the feature subgroups, some are skipped.
  const failed = report.selfTest?.failed ?? 0;
  expect(failed).toBeGreaterThan(20);
  expect(report.selfTest).toMatchObject({ passed: 0, failed, leftOut: 0 });
  expect(report.selfTest?.failures[0]?.detail).toBe("it is wrong");
  expect(problem).toMatchObject({
    name: "UsageError",
    message: `doctor: Wavefold does not work here: ${failed} of ${failed} checks failed`,
  });
  const text = said.join("");
  expect(text).toMatch(
    /\nFAILED {2}self-test of scan: (\d+) of \1 checks failed, the first is inclusive scan<u32, add> \(blelloch\): it is wrong\n/,
  );
  // A line for each primitive, once.
  for (const { primitive } of report.selfTest?.groups ?? []) {
    expect(text.split(`self-test of ${primitive}: `)).toHaveLength(2);
  }
  expect(text.endsWith(`\n\nWavefold does not work here: ${failed} of ${failed} checks failed.\n`)).toBe(
    true,
  );
});

test("without a GPU, why comes first, and a software adapter is opened after that", async () => {
  state.hasGpu = false;
  const { report, problem } = await reportOf(["f16"]);
  expect(problem).toBeUndefined();
  expect(opened).toEqual(["gpu", "software", { testSinglePass: true }]);
  expect(said[0]).toMatch(/^note {4}GPU: no GPU /);
  expect(report).toMatchObject({ works: true, asked: "auto", adapter: { software: true } });
  expect(report.gpu?.headline).toMatch(/^no GPU /);
});

test("what there is no time for is left out, and said, with what takes less time", async () => {
  state.hasTime = false;
  const { report, problem } = await reportOf(["u32"]);
  expect(problem).toBeUndefined();
  const { selfTest } = report;
  expect(selfTest).toMatchObject({ passed: 0, failed: 0 });
  const all = (selfTest?.leftOut ?? 0) + (selfTest?.skipped ?? 0);
  expect(selfTest?.leftOut).toBeGreaterThan(20);
  // To skip what takes subgroups takes no time.
  expect(selfTest?.skipped).toBeGreaterThan(3);
  expect(report.summary).toBe(
    `Wavefold works here, on a GPU; there was no time for ${selfTest?.leftOut} of ${all} checks`,
  );
  const text = said.join("");
  expect(text).toMatch(
    /\nnote {4}self-test of scan: \d checks? (is|are) skipped: no subgroups; there was no time for \d of \d checks\n/,
  );
  expect(text).toMatch(/\nnote {4}self-test of sort: there was no time for (\d+) of \1 checks\n/);
  expect(text).toContain("\nChecks of fewer types take less time: wavefold doctor --types u32\n");
});

test("what WebGPU forbids fails the command, in a litmus test that something relies on", async () => {
  state.litmus = litmusTests
    .filter(({ name }) => name === "tickets" || name === "coherence")
    .map((one) => resultOf(one, { instances: 1000, weak: 0, forbidden: 2 }, null, 1));
  const { report, problem } = await reportOf(["f16"]);
  expect(report).toMatchObject({ works: false, litmus: state.litmus });
  expect(problem).toMatchObject({
    name: "UsageError",
    message: "doctor: Wavefold does not work here: the litmus test of tickets failed",
  });
  expect(said.join("")).toMatch(
    /\nFAILED {2}litmus test of tickets: 2 of 1,000 times, a number was given twice or never/,
  );
  state.litmus = state.litmus.slice(1);
  expect((await reportOf(["f16"])).problem).toBeUndefined();
});
