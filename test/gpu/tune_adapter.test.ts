import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { contextOf } from "../../src/gpu/device/device.ts";
import { Fold } from "../../src/gpu/fold.ts";
import type * as Folds from "../../src/gpu/recordings/prepare_folds.ts";
import type { Prepared } from "../../src/gpu/recordings/recording.ts";
import { candidatesOfOne } from "../../src/gpu/tuning/candidates.ts";
import { tuneOne } from "../../src/gpu/tuning/tune_adapter.ts";
import { fileStore } from "../../src/gpu/tuning/tuning_folder.ts";
import type { AdapterTuning } from "../../src/node.ts";
import { ArgumentError, openFold, tuneAdapter, u32, u64 } from "../../src/node.ts";
import type { AdapterTuningRow } from "../../src/plan/adapter_tuning.ts";
import { adapterOf, rowsOn, tuningOf } from "../../src/plan/adapter_tuning.ts";
import { adapter, planAs, useSoftwareFold } from "../support/fold.ts";

const own = useSoftwareFold();

/** More seconds than anybody gives a tuning. */
const LATE = 1e6;

/** A millisecond passes with each look at the clock, so that the time is enough for the same on any machine, until it is up. */
async function onClock<T>(isUp: () => boolean, work: () => Promise<T>): Promise<T> {
  let looks = 0;
  const clock = vi.spyOn(performance, "now").mockImplementation(() => looks++ + (isUp() ? 1000 * LATE : 0));
  try {
    return await work();
  } finally {
    clock.mockRestore();
  }
}

interface ScanOptions {
  readonly algorithm?: string;
  readonly passes?: string;
}
type Prepare = (options: ScanOptions) => Promise<Prepared>;
type Change = (prepare: Prepare) => Prepare;

/** How primitives are prepared, if another way than the usual. */
const changes = vi.hoisted((): { scan?: Change; reduce?: Change } => ({}));
vi.mock("../../src/gpu/recordings/prepare_folds.ts", async (load) => {
  const usual = await load<typeof Folds>();
  const prepareFor: typeof usual.prepareFor = (primitive, context, options, ...rest) => {
    const change = primitive === "scan" || primitive === "reduce" ? changes[primitive] : undefined;
    const prepare = (own: object): Promise<Prepared> =>
      usual.prepareFor(primitive, context, own as typeof options, ...rest);
    return change ? change(prepare)(options as ScanOptions) : prepare(options);
  };
  return { ...usual, prepareFor };
});

/** Prepares a primitive in another way meanwhile, which gets the usual one. */
async function preparing<T>(
  primitive: "scan" | "reduce",
  change: Change,
  work: () => Promise<T>,
): Promise<T> {
  const { [primitive]: before = (prepare: Prepare) => prepare } = changes;
  changes[primitive] = (prepare) => change(before(prepare));
  try {
    return await work();
  } finally {
    changes[primitive] = before;
  }
}

/** There is time for a scan by each algorithm, in as many passes as suit the adapter, and for some other sizes of the best of them. */
async function inShortTime<T>(work: () => Promise<T>): Promise<T> {
  const shapes = [{ workGroupSize: 32, itemsPerThread: 4 }];
  const firsts = candidatesOfOne(own(), { primitive: "scan", type: u32, shapes });
  let prepared = 0;
  const counted = (prepare: Prepare): Prepare => {
    prepared++;
    return prepare;
  };
  return await onClock(
    () => prepared > firsts,
    () => preparing("scan", counted, work),
  );
}

describe("tuneAdapter", () => {
  test("gives rows for this adapter, with which results stay right, and compiles nothing that it does not time", async () => {
    const { device } = own();
    const counts = new Set<number>();
    const counting =
      (prepare: Prepare): Prepare =>
      async (options) => {
        const plan = await prepare(options);
        counts.add(plan.kernels.length);
        return plan;
      };
    const tuning = await preparing("scan", counting, () => inShortTime(() => tuneAdapter(own())));
    // The totals of tiles, their scan, and the scan of items, for ranges in one arrangement.
    expect([...counts]).toEqual([3]);
    expect(tuning.rows).toContainEqual(
      expect.objectContaining({ primitive: "scan", passes: "reduce-then-scan", elementBytes: 4 }),
    );
    expect(tuning.rows.every(({ primitive }) => primitive === "scan")).toBe(true);
    expect(tuning.adapter.vendor).toBe(device.adapterInfo.vendor);
    const fold = await openFold({ device, tuning: JSON.parse(JSON.stringify(tuning)) as AdapterTuning });
    try {
      const data = Uint32Array.from({ length: 10_007 }, (_, at) => Math.imul(at, 2654435761) >>> 0);
      let sum = 0;
      const prefixes = data.map((x) => {
        sum = (sum + x) >>> 0;
        return sum;
      });
      expect(await fold.scan(data)).toEqual(prefixes);
      expect(await fold.reduce(data)).toBe(prefixes.at(-1));
      expect(await fold.compact(data, { where: "x % 2u == 0u" })).toEqual(data.filter((x) => x % 2 === 0));
    } finally {
      forget(fold);
    }
  });

  /** One way is wrong at some lengths. */
  const leavesOut = async (isWrongAt: (length: number) => boolean): Promise<void> => {
    const isWrong = ({ algorithm }: { readonly algorithm?: string }, length: number): boolean =>
      algorithm !== "blelloch" && isWrongAt(length);
    const withWrong =
      (prepare: Prepare): Prepare =>
      async (options) => {
        const plan = await prepare(options);
        const record: typeof plan.record = (into, ranges) => {
          if (!isWrong(options, ranges.length as number)) {
            plan.record(into, ranges);
          }
        };
        return { ...plan, record };
      };
    const { rows } = await preparing("scan", withWrong, () => inShortTime(() => tuneAdapter(own())));
    expect(rows.map(({ algorithm }) => algorithm)).toContain("blelloch");
    expect(rows.filter(({ algorithm }) => algorithm !== "blelloch")).toEqual([]);
  };
  test("leaves out a way whose result is wrong at the longest alone", () =>
    leavesOut((length) => length > (own().software ? 2 ** 15 : 2 ** 22)));

  test("gives the rows that there was time for", async () => {
    // As on a GPU: each way is timed twice, and the clock is brought up before. `heat` does that with a reduction.
    const device = own();
    const { facts } = contextOf(device.device);
    const passesIn = async (round: number, last: ScanOptions): Promise<unknown[]> => {
      let rounds = 0;
      let isUp = false;
      const watched =
        (prepare: Prepare): Prepare =>
        async (options) => {
          const plan = await prepare(options);
          const record: typeof plan.record = (into, given) => {
            isUp ||=
              rounds === round && options.algorithm === last.algorithm && options.passes === last.passes;
            plan.record(into, given);
          };
          return { ...plan, record };
        };
      const heating = (): Prepare => async () => {
        rounds++;
        return { record() {}, destroy() {} } as never;
      };
      const restore = planAs(device, { software: false, lookBack: true });
      const shapes = [
        { workGroupSize: 32, itemsPerThread: 4 },
        { workGroupSize: 16, itemsPerThread: 4 },
      ];
      const scan = { primitive: "scan", type: u32, lengths: [256], shapes } as const;
      try {
        const { rows } = await onClock(
          () => isUp,
          () =>
            preparing("reduce", heating, () =>
              preparing("scan", watched, () => tuneOne(device, { ...scan, deadline: 1000 * LATE })),
            ),
        );
        expect(rows.every(({ workGroupSize }) => workGroupSize === 32)).toBe(true);
        return [...new Set(rows.map(({ passes }) => passes))];
      } finally {
        restore();
      }
    };
    const last = facts.features.has("subgroups") ? "subgroup" : "hillis-steele";
    const twice = "reduce-then-scan";
    // Time is up within the scans in two passes; after them; and in the second round.
    expect(await passesIn(1, { algorithm: "blelloch", passes: twice })).toEqual([]);
    expect(await passesIn(1, { algorithm: last, passes: twice })).toEqual([twice]);
    expect(await passesIn(2, { algorithm: "blelloch", passes: twice })).toEqual([twice, "single"]);
  });

  test("leaves out a kernel that the driver refuses", async () => {
    const refusing =
      (prepare: Prepare): Prepare =>
      (options) =>
        options.algorithm === "hillis-steele"
          ? Promise.reject(new Error("GPUPipelineError: too few registers"))
          : prepare(options);
    const { rows } = await preparing("scan", refusing, () => inShortTime(() => tuneAdapter(own())));
    expect(rows.length).toBeGreaterThan(0);
    expect(rows.filter(({ algorithm }) => algorithm === "hillis-steele")).toEqual([]);
  });

  test("measures sorts and histograms, and leaves out what is wrong", async () => {
    const shapes = [{ workGroupSize: 32, itemsPerThread: 4 }];
    const common = { type: u32, lengths: [1000], shapes, deadline: Number.POSITIVE_INFINITY };
    const sizes = { elementBytes: 4, workGroupSize: 32, itemsPerThread: 4 };
    // Fewer items than bins; and a length at which nothing would be checked.
    const work = new Set<string>();
    const histogram = await tuneOne(own(), {
      ...common,
      primitive: "histogram",
      lengths: [3, 128],
      onWork: (what, ways) => work.add(`${what} ${ways.length}`),
    });
    expect([...work]).toEqual(["compiling 1", "timing 1"]);
    expect(histogram.lengths).toEqual([128]);
    const rowsOf = (row: AdapterTuningRow, ...lengths: number[]): AdapterTuningRow[] =>
      rowsOn(adapterOf(own().device.adapterInfo), [row], lengths);
    expect(histogram.rows).toEqual(rowsOf({ primitive: "histogram", ...sizes }, 128));
    const sort = { ...common, primitive: "sort", algorithms: ["blelloch"] } as const;
    const row = {
      primitive: "sort",
      passes: "reduce-then-scan",
      ...sizes,
      algorithm: "blelloch",
    } as const;
    // Where tiles hand on totals, there are rows of a single pass, too.
    const inTwoPasses = (rows: readonly AdapterTuningRow[]): AdapterTuningRow[] =>
      rows.filter(({ passes }) => passes === "reduce-then-scan");
    expect(inTwoPasses((await tuneOne(own(), sort)).rows)).toEqual(rowsOf(row, 1000));
    const pairs = { ...sort, primitive: "pairs" } as const;
    expect(inTwoPasses((await tuneOne(own(), pairs)).rows)).toEqual(
      rowsOf({ ...row, primitive: "pairs" }, 1000),
    );
    const { prepareSort } = Fold.prototype;
    Fold.prototype.prepareSort = async function (this: Fold, options) {
      return { ...(await prepareSort.call(this, options as never)), record() {} };
    };
    try {
      const wrong: unknown[] = [];
      const found = await tuneOne(own(), { ...sort, onWrong: (way) => wrong.push(way) });
      const { facts } = contextOf(own().device);
      expect({ rows: found.rows, wrong: wrong.length }).toEqual({
        rows: [],
        wrong: facts.lookBack && !facts.software ? 2 : 1,
      });
      // The keys are right, and the values stay where they are.
      Fold.prototype.prepareSort = async function (this: Fold, options) {
        const { values: _, ...ofKeys } = options as { readonly values?: unknown };
        const keys = await prepareSort.call(this, ofKeys as never);
        const record: typeof keys.record = (into, { input, output, length }) =>
          keys.record(into, { input, output, length } as never);
        return { ...keys, record };
      };
      expect((await tuneOne(own(), pairs)).rows).toEqual([]);
    } finally {
      Fold.prototype.prepareSort = prepareSort;
    }
  });

  test("times one histogram or sort of each algorithm however late it is, if it is told so", async () => {
    const shapes = [1, 2].map((itemsPerThread) => ({ workGroupSize: 32, itemsPerThread }));
    const late = { primitive: "histogram", type: u32, lengths: [1000], shapes, deadline: 0 } as const;
    expect((await tuneOne(own(), late)).rows).toEqual([]);
    const { rows, candidates } = await tuneOne(own(), { ...late, alwaysFirsts: true });
    expect(candidates.map(({ itemsPerThread }) => itemsPerThread)).toEqual([1]);
    expect(rows).toMatchObject([{ primitive: "histogram", workGroupSize: 32, itemsPerThread: 1 }]);
  });

  test("times no sorts and histograms at lengths that cannot be checked, or are longer than a buffer", async () => {
    const deadline = Number.POSITIVE_INFINITY;
    for (const [primitive, type] of [
      ["sort", u32],
      ["sort", u64],
      ["pairs", u32],
      ["histogram", u32],
    ] as const) {
      for (const lengths of [[1, 2, 3], [2 ** 50]]) {
        const found = await tuneOne(own(), { primitive, type, lengths, deadline });
        expect(found).toEqual({ rows: [], candidates: [], lengths: [] });
      }
    }
  });

  test("rejects if the device is gone by the end", async () => {
    const fold = await openFold({ adapter });
    let isGone = false;
    const destroying =
      (prepare: Prepare): Prepare =>
      async (options) => {
        const plan = await prepare(options);
        fold.destroy();
        await fold.device.lost;
        isGone = true;
        return plan;
      };
    const tuning = onClock(
      () => isGone,
      () => preparing("scan", destroying, () => tuneAdapter(fold)),
    );
    await expect(tuning).rejects.toThrow("tuneAdapter: the device was destroyed");
  });

  test("says how long it may take, and refuses what is no time and no fold", async () => {
    await expect(tuneAdapter(own(), { seconds: 0 })).rejects.toThrow(
      "tuneAdapter: seconds is 0; it takes a number above 0",
    );
    await expect(tuneAdapter({} as Fold)).rejects.toThrow(ArgumentError);
    await expect(tuneAdapter(own(), { second: 1 } as never)).rejects.toThrow("did you mean seconds?");
  });
});

/** The device is that of all tests here. */
function forget({ device }: Fold): void {
  const context = contextOf(device);
  const { tuned: _, ...facts } = context.facts;
  context.facts = facts;
}

describe("openFold", () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "wavefold-tuning-"));
    // env-paths reads the variable that the system has for this.
    for (const name of ["XDG_CACHE_HOME", "LOCALAPPDATA", "HOME"]) {
      vi.stubEnv(name, folder);
    }
  });
  afterEach(async () => {
    vi.unstubAllEnvs();
    await rm(folder, { recursive: true, force: true });
  });
  const files = async (): Promise<string[]> =>
    (await readdir(folder, { recursive: true })).filter((name) => name.endsWith(".json"));
  const open = async (): Promise<void> => {
    await inShortTime(async () => {
      const { device } = own();
      const fold = await openFold({ device, tuning: "auto" });
      expect(await fold.scan(Uint32Array.of(3, 1, 7))).toEqual(Uint32Array.of(3, 4, 11));
      expect(contextOf(device).facts.tuned).toBeDefined();
      forget(fold);
    });
  };

  test.skipIf(process.platform === "darwin")(
    "tunes once, and keeps the result for the next time",
    async () => {
      await open();
      const [name = ""] = await files();
      expect(name).toMatch(/tuning-[0-9a-f]{16}\.json$/);
      const path = join(folder, name);
      const kept = JSON.parse(await readFile(path, "utf8")) as AdapterTuning;
      expect(kept.format).toBe("wavefold tuning");
      expect(kept.rows.length).toBeGreaterThan(0);
      // What is there is taken as it is.
      const marked = {
        ...kept,
        rows: [
          {
            primitive: "scan",
            passes: "reduce-then-scan",
            elementBytes: 4,
            algorithm: "blelloch",
            workGroupSize: 6,
            itemsPerThread: 3,
          },
        ],
      };
      await writeFile(path, JSON.stringify(marked));
      await open();
      expect(JSON.parse(await readFile(path, "utf8"))).toEqual(marked);
      const fold = await openFold({ device: own().device, tuning: "auto" });
      try {
        // Named, since a GPU chooses others by itself.
        const named = { passes: "reduce-then-scan", algorithm: "blelloch" } as const;
        const plan = await fold.prepareScan({ type: u32, maxLength: 100, ...named });
        const [input, output] = [1, 2].map(() => own().device.createBuffer({ size: 400, usage: 0x80 })) as [
          GPUBuffer,
          GPUBuffer,
        ];
        expect(
          plan.groupingOf({ input: { buffer: input }, output: { buffer: output }, length: 100 }),
        ).toMatchObject({ workGroupSize: 6, itemsPerThread: 3 });
      } finally {
        forget(fold);
      }
      // Another version's, and what is no tuning, are made again.
      for (const broken of [JSON.stringify({ ...kept, version: "0.0.1" }), "{"]) {
        await writeFile(path, broken);
        await open();
        expect((JSON.parse(await readFile(path, "utf8")) as AdapterTuning).version).toBe(kept.version);
      }
      expect(await files()).toHaveLength(1);
    },
  );

  test("does not keep what there was no time for", async () => {
    let asked = 0;
    const fold = await onClock(
      () => asked++ > 0,
      () => openFold({ device: own().device, tuning: "auto" }),
    );
    expect(await fold.reduce(Uint32Array.of(3, 1, 7))).toBe(11);
    forget(fold);
    expect(await files()).toEqual([]);
  });

  test("opens without a tuning where the adapter cannot be tuned", async () => {
    const { device } = own();
    const create = device.createBuffer;
    const spy = vi.spyOn(device, "createBuffer").mockImplementation((descriptor) => {
      if (descriptor.label === "wavefold tuneAdapter") {
        throw new Error("no room");
      }
      return create.call(device, descriptor);
    });
    try {
      const fold = await openFold({ device, tuning: "auto" });
      expect(contextOf(device).facts.tuned).toBeUndefined();
      expect(await fold.reduce(Uint32Array.of(3, 1, 7))).toBe(11);
    } finally {
      spy.mockRestore();
    }
    expect(await files()).toEqual([]);
  });

  test("believes what was seen on the device, and not the tuning's verdict", async () => {
    const { device } = own();
    const context = contextOf(device);
    const tuning = tuningOf(adapterOf(device.adapterInfo), true, []);
    const { facts } = context;
    context.singlePassTest = { passed: false, detail: "it was wrong", milliseconds: 1 };
    try {
      await openFold({ device, tuning });
      expect(context.facts.lookBack).toBe(false);
      delete context.singlePassTest;
      await openFold({ device, tuning });
      expect(context.facts.lookBack).toBe(true);
    } finally {
      context.facts = facts;
      delete context.singlePassTest;
    }
  });

  test("works where nothing can be kept", async () => {
    // A file stands where the folder would be.
    await writeFile(join(folder, "wavefold"), "");
    await mkdir(join(folder, "Library", "Caches"), { recursive: true });
    await writeFile(join(folder, "Library", "Caches", "wavefold"), "");
    await open();
    expect(await files()).toEqual([]);
  });

  test("gives the device back if the tuning is refused", async () => {
    await expect(openFold({ adapter, tuning: { rows: [] } as never })).rejects.toThrow(
      "openFold: tuning is another object",
    );
    await expect(openFold({ adapter, tuning: "best" as never })).rejects.toThrow('tuning is "best"');
  });
});

describe("the store of files", () => {
  test("keeps values by their keys, and leaves no half-written file", async () => {
    const folder = await mkdtemp(join(tmpdir(), "wavefold-store-"));
    const store = fileStore(join(folder, "deep", "er"));
    expect(await store.get("a")).toBeUndefined();
    await store.set("a", { value: 1 });
    await store.set("b", { value: 2 });
    await store.set("a", { value: 3 });
    expect(await store.get("a")).toEqual({ value: 3 });
    expect(await store.get("b")).toEqual({ value: 2 });
    expect(await readdir(join(folder, "deep", "er"))).toHaveLength(2);
    // Several programs at once: each reads what one of them wrote, or nothing yet.
    const values = Array.from({ length: 40 }, (_, value) => ({
      value,
      text: "x".repeat(10_000 * (value % 3)),
    }));
    const reads = values.map(async () => {
      const read = (await store.get("c")) as { value: number; text: string } | undefined;
      return read === undefined || read.text === values[read.value]?.text;
    });
    await Promise.all(values.map((value) => store.set("c", value)));
    expect(await Promise.all(reads)).not.toContain(false);
    expect(await readdir(join(folder, "deep", "er"))).toHaveLength(3);
    await rm(folder, { recursive: true });
  });
});
