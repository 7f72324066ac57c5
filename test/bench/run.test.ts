import { describe, expect, test } from "vitest";
import type { Peer } from "../../bench/peers.ts";
import type { Row, Watch } from "../../bench/run.ts";
import { bytesMoved, runSuite, stepsOf } from "../../bench/run.ts";
import type { SuiteOptions } from "../../bench/suite.ts";
import { benchPrimitives, planSuite } from "../../bench/suite.ts";
import { createTimer, STEADY, timingOf } from "../../bench/timer.ts";
import { u32 } from "../../src/algebra/integers.ts";
import type { Fold } from "../../src/node.ts";
import { useFold } from "../support/fold.ts";

const fold = useFold();
const pace = { runs: 3, heatMs: 0, warmUpMs: 0, batch: 1 };

async function run(
  options: SuiteOptions,
  peers: readonly Peer[] = [],
  on: Fold = fold(),
  watch: Partial<Watch> = {},
) {
  const { maxBufferSize, maxStorageBufferBindingSize } = on.device.limits;
  const features = on.device.features as unknown as ReadonlySet<string>;
  const facts = { software: true, features, maxBufferSize, maxStorageBufferBindingSize };
  const { sets } = planSuite(options, facts, benchPrimitives);
  const timer = await createTimer(on.device, pace);
  let steps = 0;
  try {
    const step = (): void => void steps++;
    const outcome = await runSuite(on, timer, sets, peers, { step, ...watch });
    expect(steps).toBeLessThanOrEqual(stepsOf(sets, peers));
    expect(outcome.leftOut.length > 0 || steps === stepsOf(sets, peers)).toBe(true);
    return outcome;
  } finally {
    timer.destroy();
  }
}

const titleOf = ({ implementation, primitive, type, op, algorithm, inPlace, length }: Row): string =>
  [implementation, primitive, type, op, algorithm, inPlace && "in place", length].filter(Boolean).join(" ");

describe("runSuite", () => {
  test("times what is verified, beside a copy, and over lengths that are no power of two", async () => {
    const { rows, wrong, notes } = await run({
      sizes: [1024, 1003],
      types: ["u32"],
      inPlace: true,
    });
    expect({ wrong, notes }).toEqual({ wrong: [], notes: [] });
    expect(rows.map(titleOf)).toEqual(
      [1024, 1003].flatMap((length) => [
        `copy copy u32 ${length}`,
        `wavefold scan u32 add ${length}`,
        `wavefold scan u32 add in place ${length}`,
        `wavefold reduce u32 add ${length}`,
        `wavefold compact u32 ${length}`,
        `wavefold compact u32 in place ${length}`,
      ]),
    );
    for (const row of rows) {
      const [low, high] = row.quartiles;
      expect(row.median).toBeGreaterThan(0);
      expect(low).toBeLessThanOrEqual(row.median);
      expect(high).toBeGreaterThanOrEqual(row.median);
      expect(row.gigabytesPerSecond).toBeCloseTo(row.bytes / row.median / 1000, 9);
      const copy = rows.find(
        (one) => one.primitive === "copy" && one.type === row.type && one.length === row.length,
      );
      expect(row.toCopy).toBeCloseTo(row.median / (copy?.median ?? 0), 9);
    }
  });

  test("runs other types, operators and algorithms", async () => {
    // Reductions: they compile fast.
    const options = { sizes: [600], primitives: ["reduce"] };
    const { rows, wrong } = await run({
      ...options,
      types: ["f32", "i64"],
      ops: ["max"],
      algorithms: ["blelloch"],
    });
    expect(wrong).toEqual([]);
    expect(rows.map(titleOf)).toContain("wavefold reduce i64 max blelloch 600");
    const structs = await run({ ...options, types: ["struct16"] });
    expect(structs.wrong).toEqual([]);
    expect(structs.rows.map(titleOf)).toEqual(["copy copy struct16 600", "wavefold reduce struct16 add 600"]);
  });

  test("sorts keys, and keys with values", async () => {
    const { rows, wrong, notes } = await run({ sizes: [300], types: ["f32"], primitives: ["sort", "pairs"] });
    expect({ wrong, notes }).toEqual({ wrong: [], notes: [] });
    expect(rows.map(titleOf)).toEqual([
      "copy copy f32 300",
      "wavefold sort f32 300",
      "wavefold pairs f32 300",
    ]);
    expect(rows.map(({ bytes }) => bytes)).toEqual([2400, 2400, 4800]);
  });

  test("refuses a wrong result of ours", async () => {
    const { rows, wrong } = await run({ sizes: [1024], types: ["u32"] }, [], lyingFold());
    expect(wrong).toEqual([
      expect.stringMatching(/^scan<u32, add> at 2\^10 is wrong: element 0 is 4290829997, and the CPU has 0$/),
    ]);
    expect(rows.map(({ primitive }) => primitive)).toEqual(["copy", "reduce", "compact"]);
  });
});

/** Its scan leaves the output as it was. */
const lyingFold = (): Fold =>
  new Proxy(fold(), {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (name === "prepareScan") {
        return async (options: never) => ({ ...(await target.prepareScan(options)), record: () => {} });
      }
      return typeof value === "function" ? value.bind(target) : value;
    },
  });

/** A peer that is ours, called as somebody else's is; wrong in its last item where it is told so. */
function peerOf(name: string, how: "pass" | "encode" | "submit", off = 0): Peer {
  return {
    name,
    async prepare({ device, primitive, type, op, length, input, output, result }) {
      if (primitive === "compact" || type !== "u32" || op !== "add") {
        return undefined;
      }
      const scan = await fold().prepareScan({ type: u32, exclusive: true, maxLength: length });
      const reduce = await fold().prepareReduce({ type: u32, maxLength: length });
      const record = (encoder: GPUCommandEncoder | GPUComputePassEncoder): void =>
        primitive === "scan"
          ? scan.record(encoder, { input, output, length: length - off })
          : reduce.record(encoder, { input, output: result, length: length - off });
      const destroy = (): void => {
        scan.destroy();
        reduce.destroy();
      };
      switch (how) {
        case "pass":
          return { pass: record, destroy };
        case "encode":
          return { encode: record, destroy };
        case "submit":
          return {
            submit() {
              const encoder = device.createCommandEncoder();
              record(encoder);
              device.queue.submit([encoder.finish()]);
            },
            destroy,
          };
        default:
          return how satisfies never;
      }
    },
  };
}

describe("long arrays", () => {
  const onGpu = { mostOnCpu: 500 };

  test("are verified on the GPU, and short ones on the CPU", async () => {
    const { rows, wrong, notes } = await run(
      { sizes: [300, 600], types: ["u32"], primitives: benchPrimitives },
      [],
      fold(),
      onGpu,
    );
    expect({ wrong, notes }).toEqual({ wrong: [], notes: [] });
    const verified = (length: number) =>
      rows
        .filter((row) => row.length === length)
        .map(({ primitive, verifiedOn = "cpu" }) => `${primitive} ${verifiedOn}`);
    expect(verified(300)).toEqual([
      "copy cpu",
      "scan cpu",
      "reduce cpu",
      "compact cpu",
      "sort cpu",
      "pairs cpu",
    ]);
    // A reduction has one value, which the CPU computes.
    expect(verified(600)).toEqual([
      "copy gpu",
      "scan gpu",
      "reduce cpu",
      "compact gpu",
      "sort gpu",
      "pairs gpu",
    ]);
  });

  test("have no check on the GPU for scans that are no sums: the CPU verifies these", async () => {
    const options = { sizes: [600], types: ["i32"], ops: ["max"], primitives: ["scan", "reduce"] };
    const { rows, wrong } = await run(options, [], fold(), onGpu);
    expect(wrong).toEqual([]);
    expect(rows.map(({ primitive, verifiedOn = "cpu" }) => `${primitive} ${verifiedOn}`)).toEqual([
      "copy gpu",
      "scan cpu",
      "reduce cpu",
    ]);
  });

  test("are refused if they are wrong", async () => {
    const options = { sizes: [600], types: ["u32"], primitives: ["scan"] };
    const { rows, wrong } = await run(options, [], lyingFold(), onGpu);
    expect(wrong).toEqual([
      "scan<u32, add> at 600 is wrong: element 0 is the first of 600 that a check on the GPU finds wrong",
    ]);
    expect(rows.map(({ primitive }) => primitive)).toEqual(["copy"]);
  });
});

describe("a run that is ended", () => {
  const options = { sizes: [300, 600, 2 ** 12], types: ["u32", "i32"], primitives: ["reduce"] };
  /** A limit that is reached after so many rows. */
  const endsAfter = (rows: number): Partial<Watch> & { readonly seen: Row[] } => {
    const seen: Row[] = [];
    const isOver = (): boolean => seen.length >= rows;
    return {
      seen,
      onRow: (row) => void seen.push(row),
      limit: { isOver, left: () => (isOver() ? 0 : 1000) },
    };
  };

  test("has the rows until then, of the longest arrays first, and says what is left", async () => {
    const watch = endsAfter(3);
    const { rows, leftOut, wrong } = await run(options, [], fold(), watch);
    expect(wrong).toEqual([]);
    expect(watch.seen.map(titleOf)).toEqual([
      "copy copy u32 4096",
      "wavefold reduce u32 add 4096",
      "copy copy i32 4096",
    ]);
    expect(rows.map(titleOf)).toEqual(watch.seen.map(titleOf));
    expect(leftOut.map(({ type, length }) => `${type} ${length}`)).toEqual([
      ...["u32 300", "u32 600"],
      ...["i32 300", "i32 600", "i32 4096"],
    ]);
  });

  test("has none if it is ended before, and gives the rows of a whole one in the sets' order", async () => {
    const ended = await run(options, [], fold(), endsAfter(0));
    expect({ ...ended, leftOut: ended.leftOut.length }).toEqual({
      rows: [],
      notes: [],
      wrong: [],
      leftOut: 6,
    });
    const whole = await run({ ...options, types: ["u32"] }, [], fold(), endsAfter(1000));
    expect(whole.leftOut).toEqual([]);
    expect(whole.rows.map(({ length }) => length)).toEqual([300, 300, 600, 600, 4096, 4096]);
  });
});

describe("peers", () => {
  test.each(["pass", "encode", "submit"] as const)("times and verifies one by its %s", async (how) => {
    const { rows, wrong, notes } = await run({ sizes: [1024], types: ["u32"] }, [peerOf("theirs 1.0", how)]);
    expect({ wrong, notes }).toEqual({ wrong: [], notes: [] });
    const theirs = rows.filter(({ implementation }) => implementation === "theirs 1.0");
    expect(theirs.map(({ primitive }) => primitive)).toEqual(["scan", "reduce"]);
    for (const row of theirs) {
      const ours = rows.find((one) => one.implementation === "wavefold" && one.primitive === row.primitive);
      expect(row.median).toBeGreaterThan(0);
      expect(row.toWavefold).toBeCloseTo(row.median / (ours?.median ?? 0), 9);
    }
  });

  test("refuses one that is wrong, and keeps the others", async () => {
    const { rows, wrong } = await run({ sizes: [1024], types: ["u32"] }, [
      peerOf("wrong 1.0", "encode", 1),
      peerOf("right 1.0", "encode"),
    ]);
    expect(wrong).toHaveLength(2);
    expect(wrong[0]).toMatch(/^wrong 1\.0: scan<u32, add> at 2\^10 is wrong: element 1023 is 4290829997/);
    expect(wrong[1]).toMatch(/^wrong 1\.0: reduce<u32, add> at 2\^10 is wrong: it is /);
    expect(rows.some(({ implementation }) => implementation === "wrong 1.0")).toBe(false);
    expect(rows.filter(({ implementation }) => implementation === "right 1.0")).toHaveLength(2);
  });

  test("goes on without one that cannot be prepared", async () => {
    const broken: Peer = { name: "broken 1.0", prepare: () => Promise.reject(new Error("no such limit")) };
    const { notes, wrong } = await run({ sizes: [64], types: ["u32"], primitives: ["scan"] }, [broken]);
    expect(wrong).toEqual([]);
    expect(notes).toEqual(["broken 1.0: scan of u32 at 2^6 was left out: no such limit"]);
  });
});

describe("createTimer", () => {
  test("times work again where the clock fell meanwhile, and keeps the steadiest", async () => {
    const { device } = fold();
    const timer = await createTimer(device, { ...pace, heatMs: 1 });
    let times = 0;
    const work = { submit: () => void times++ };
    const { clock = Number.NaN, runs } = await timer.time(work);
    timer.destroy();
    expect(runs).toBe(pace.runs);
    expect(clock).toBeGreaterThan(0);
    expect(clock).toBeLessThanOrEqual(1);
    // Three runs are discarded; once, or again up to three times.
    const once = pace.runs + 3;
    expect([once, 2 * once, 3 * once, 4 * once]).toContain(times);
    expect(clock >= STEADY || times === 4 * once).toBe(true);
  });

  test("takes fewer runs of slow work: three, and one if three took far too long", async () => {
    const { device } = fold();
    const timer = await createTimer(device, { runs: 100, heatMs: 0, warmUpMs: 1, batch: 10 });
    const word = new Int32Array(new SharedArrayBuffer(4));
    let submitted = 0;
    const runsOf = async (waitMs: number, milliseconds?: number): Promise<number> => {
      submitted = 0;
      const submit = (): void => {
        submitted++;
        Atomics.wait(word, 0, 0, waitMs);
      };
      return (await timer.time({ submit }, undefined, milliseconds)).runs;
    };
    expect(await runsOf(0)).toBe(100);
    expect(await runsOf(0, 60_000)).toBe(100);
    // One run says how slow the work is.
    expect(await runsOf(100, 100)).toBe(3);
    expect(submitted).toBe(4);
    expect(await runsOf(300, 1)).toBe(1);
    expect(submitted).toBe(2);
    // Half of the time for runs of at least 5 ms.
    expect(await runsOf(5, 300)).toBeLessThanOrEqual(27);
    timer.destroy();
  });

  test("has no clock to wait for on a software adapter", async () => {
    const timer = await createTimer(fold().device, pace);
    expect(await timer.time({ submit: () => undefined })).not.toHaveProperty("clock");
    timer.destroy();
  });
});

describe("figures", () => {
  test("takes medians and quartiles of samples", () => {
    expect(timingOf([5, 1, 3, 2, 4])).toEqual({ median: 3, quartiles: [2, 4], runs: 5 });
    expect(timingOf([7])).toEqual({ median: 7, quartiles: [7, 7], runs: 1 });
  });

  test("counts the bytes that must move", () => {
    expect(bytesMoved("copy", "u32", 100)).toBe(800);
    expect(bytesMoved("scan", "f64", 100)).toBe(1600);
    expect(bytesMoved("reduce", "struct16", 100)).toBe(1600);
    expect(bytesMoved("compact", "u32", 100)).toBe(600);
  });
});
