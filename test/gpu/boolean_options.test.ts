import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { u32 } from "../../src/algebra/integers.ts";
import type { GpuArray } from "../../src/gpu/gpu_arrays/gpu_array.ts";
import { workGroupSort, workGroupSortPairs } from "../../src/in_kernel/sort.ts";
import { openFold as openInBrowser } from "../../src/index.ts";
import { varianceOf } from "../../src/monoids/variance.ts";
import type { Fold } from "../../src/node.ts";
import { ArgumentError, openFold as openInNode } from "../../src/node.ts";
import { compactReference } from "../../src/reference/compact.ts";
import { partitionReference } from "../../src/reference/partition.ts";
import { uniqueReference } from "../../src/reference/runs.ts";
import { scanReference } from "../../src/reference/scan.ts";
import { nthReference, sortReference, topKReference } from "../../src/reference/sort.ts";
import { useNullDevice } from "../support/null_device.ts";

const nullDevice = useNullDevice();
const data = Uint32Array.of(3, 1, 7);
const plan = { type: u32, maxLength: 8 };
const kept = { where: "true" };
const sort = { type: u32, workGroupSize: 4 };

let fold: Fold;
let array: GpuArray<"u32", number>;
beforeAll(async () => {
  fold = await openInNode({ device: nullDevice() });
  array = await fold.upload(data);
});
afterAll(() => fold?.destroy());

/** Waits until a stream into which nobody writes has ended. */
async function ended({ readable, writable }: { readable: ReadableStream; writable: WritableStream }) {
  const closed = writable.getWriter().close();
  await Promise.all([closed, readable.pipeTo(new WritableStream())]);
}

/**
 * A call, the options that take only true or false, and how it is made with them. Its first word is its name in errors. Those of calls that follow
 * from descriptions alone are tested in test/primitives/.
 */
type Case = readonly [call: string, options: readonly string[], run: (given: object) => unknown];

const cases: readonly Case[] = [
  ["openFold in Node.js", ["testSinglePass"], (given) => openInNode({ device: nullDevice(), ...given })],
  ["openFold in a browser", ["testSinglePass"], (given) => openInBrowser({ device: nullDevice(), ...given })],
  ["scan of rows at hand", ["exclusive"], (given) => fold.scan(data, { segments: { rows: 3 }, ...given })],
  [
    "scan of rows on the GPU",
    ["exclusive"],
    (given) => fold.scan(array, { segments: { rows: 3 }, ...given }),
  ],
  [
    "partition into classes",
    ["indices"],
    (given) => fold.partition(data, { class: "x % 2u", classes: 2, ...given }),
  ],
  ["sort at hand", ["descending"], (given) => fold.sort(data, given)],
  ["sort on the GPU", ["descending"], (given) => fold.sort(array, given)],
  ["argSort at hand", ["descending"], (given) => fold.argSort(data, given)],
  ["argSort on the GPU", ["descending"], (given) => fold.argSort(array, given)],
  ...(["rows", "columns", "heads"] as const).flatMap((segments): Case[] => {
    const own = { ...plan, segments };
    return [
      [
        `prepareScan by ${segments}`,
        ["exclusive", "lengthOnGpu", "soon"],
        (given) => fold.prepareScan({ ...own, ...given }),
      ],
      [
        `prepareReduce by ${segments}`,
        ["lengthOnGpu", "soon"],
        (given) => fold.prepareReduce({ ...own, ...given }),
      ],
    ];
  }),
  [
    "prepareSort",
    ["descending", "indices", "lengthOnGpu"],
    (given) => fold.prepareSort({ ...plan, ...given }),
  ],
  ["scanStream", ["exclusive"], (given) => ended(fold.scanStream({ type: u32, ...given }))],
  ["compactStream", ["indices"], (given) => ended(fold.compactStream({ type: u32, ...kept, ...given }))],
  ["scanReference", ["exclusive"], (given) => scanReference(data, given)],
  ["compactReference", ["indices"], (given) => compactReference(data, () => true, given)],
  ["partitionReference", ["indices"], (given) => partitionReference(data, () => true, given)],
  ["uniqueReference", ["indices"], (given) => uniqueReference(data, given)],
  ["sortReference", ["descending"], (given) => sortReference(data, given)],
  ["topKReference", ["smallest"], (given) => topKReference(data, 1, given)],
  ["nthReference", ["descending"], (given) => nthReference(data, 0, given)],
  ["workGroupSort", ["descending"], (given) => workGroupSort({ ...sort, ...given })],
  ["workGroupSortPairs", ["descending"], (given) => workGroupSortPairs({ ...sort, values: u32, ...given })],
  ["varianceOf", ["sample"], (given) => varianceOf({ count: 8, mean: 5, m2: 32 }, given)],
];

/** What makes something on the device. */
const touches = ["createBuffer", "createShaderModule", "createComputePipelineAsync"] as const;

const table = cases.flatMap(([call, options, run]) => options.map((option) => [call, option, run] as const));

test.each(table)("%s takes only true or false as %s", async (call, option, run) => {
  const [caller] = call.split(" ");
  // Keys are checked with the plan.
  const title = caller === "prepareSort" && option === "descending" ? "sort" : caller;
  const spies = touches.map((name) => vi.spyOn(nullDevice(), name));
  const submit = vi.spyOn(nullDevice().queue, "submit");
  try {
    for (const value of [null, 0, 1, "", "yes", {}, []]) {
      const error = await Promise.resolve()
        .then(() => run({ [option]: value }))
        .catch((cause: unknown) => cause);
      expect(error, JSON.stringify(value)).toBeInstanceOf(ArgumentError);
      const shown = typeof value === "string" || Array.isArray(value) ? JSON.stringify(value) : String(value);
      // Sorts take a list of these for several keys.
      const isList = Array.isArray(value) && (error as Error).message.includes(" is a list; ");
      const wanted = isList
        ? "a list; it takes true or false for one key"
        : `${shown}; it takes true or false`;
      expect((error as ArgumentError).option).toBe(option);
      expect((error as Error).message.replace("<u32>", "")).toBe(`${title}: ${option} is ${wanted}`);
    }
    for (const spy of [...spies, submit]) {
      expect(spy).not.toHaveBeenCalled();
    }
  } finally {
    for (const spy of [...spies, submit]) {
      spy.mockRestore();
    }
  }
});

test.each(table)("%s takes undefined as %s", async (_, option, run) => {
  const error = await Promise.resolve({ [option]: undefined })
    .then(run)
    .catch((cause: unknown) => cause);
  // A device that runs nothing gives any count, which may be longer than the data.
  expect(error).not.toBeInstanceOf(ArgumentError);
});

test.each(["rows", "columns", "heads"] as const)("a scan by %s has no total", async (segments) => {
  for (const total of [null, 0, "", true]) {
    const error = await fold
      .prepareScan({ ...plan, segments, total: total as never })
      .catch((cause: unknown) => cause);
    expect(error).toBeInstanceOf(ArgumentError);
    expect(error).toMatchObject({
      message: expect.stringContaining("with segments there is no total of all"),
      option: "total",
    });
  }
  await fold.prepareScan({ ...plan, segments, total: false });
});
