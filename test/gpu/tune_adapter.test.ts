import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { contextOf } from "../../src/gpu/device.ts";
import { fileStore } from "../../src/gpu/tuning_files.ts";
import type { AdapterTuning, Fold } from "../../src/node.ts";
import { ArgumentError, openFold, tuneAdapter, u32 } from "../../src/node.ts";
import { adapter, useSoftwareFold } from "../support/fold.ts";

const own = useSoftwareFold();

/** As many seconds as tuning takes if nobody says. */
const SECONDS = 10;

/** Time passes with each kernel that is tried, so that it is enough for as many on any machine. */
async function inTime<T>(kernels: number, work: () => Promise<T>): Promise<T> {
  let calls = 0;
  const clock = vi.spyOn(performance, "now").mockImplementation(() => ((1000 * SECONDS) / kernels) * calls++);
  try {
    return await work();
  } finally {
    clock.mockRestore();
  }
}

describe("tuneAdapter", () => {
  test("gives rows for this adapter, with which results stay right", async () => {
    const { device } = own();
    // A scan by each algorithm, and other sizes of the best of them.
    const tuning = await inTime(5, () => tuneAdapter(own()));
    const scan = { primitive: "scan", passes: "reduce-then-scan", elementBytes: 4 };
    expect(tuning.rows.at(-1)).toMatchObject(scan);
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

  test("leaves out a way whose result is wrong", async () => {
    const fold = own();
    const { prepareScan } = fold;
    const tried: (number | undefined)[] = [];
    const spy = vi.spyOn(fold, "prepareScan").mockImplementation(async (options) => {
      const plan = await prepareScan.call(fold, options);
      tried.push(options.itemsPerThread);
      return options.algorithm === "blelloch" ? plan : { ...plan, record: () => {} };
    });
    try {
      const { rows } = await inTime(4, () => tuneAdapter(fold, { seconds: SECONDS }));
      expect(tried.length).toBeGreaterThan(1);
      expect(rows.map(({ algorithm }) => algorithm)).toContain("blelloch");
      expect(rows.filter(({ algorithm }) => algorithm !== "blelloch")).toEqual([]);
    } finally {
      spy.mockRestore();
    }
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
    await inTime(2, async () => {
      const { device } = own();
      const fold = await openFold({ device, tuning: "auto" });
      expect(await fold.scan(Uint32Array.of(3, 1, 7))).toEqual(Uint32Array.of(3, 4, 11));
      expect(contextOf(device).facts.tuned).toBeTypeOf("function");
      forget(fold);
    });
  };

  test.skipIf(process.platform === "darwin")(
    "tunes once, and keeps the result for the next time",
    async () => {
      const tunedNow = vi.spyOn(own(), "prepareScan");
      tunedNow.mockRestore();
      await open();
      const [name = ""] = await files();
      expect(name).toMatch(/tuning-[0-9a-f]{16}\.json$/);
      const path = join(folder, name);
      const kept = JSON.parse(await readFile(path, "utf8")) as AdapterTuning;
      expect(kept.format).toBe("wavefold tuning");
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
        const plan = await fold.prepareScan({ type: u32, maxLength: 100 });
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
    await rm(folder, { recursive: true });
  });
});
