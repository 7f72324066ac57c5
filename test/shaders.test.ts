import { readdirSync, readFileSync } from "node:fs";
import { beforeAll, expect, test } from "vitest";
import { operator } from "../src/algebra/custom_operator.ts";
import { f16, f32 } from "../src/algebra/floats.ts";
import { u32 } from "../src/algebra/integers.ts";
import type { Operator } from "../src/algebra/monoid.ts";
import { monoid as monoidOf } from "../src/algebra/monoid.ts";
import { add, max, min, mul } from "../src/algebra/operators.ts";
import { struct } from "../src/algebra/struct.ts";
import type { ElementType } from "../src/algebra/types.ts";
import { f64, u64 } from "../src/algebra/types_64.ts";
import { linesOf } from "../src/gpu/compile_error.ts";
import { numeric } from "../src/in_kernel/numeric.ts";
import { workGroupSort, workGroupSortPairs } from "../src/in_kernel/sort.ts";
import { compactKernel, countKernel } from "../src/kernels/compact.ts";
import type { Kernel } from "../src/kernels/kernel.ts";
import { reduceKernel, scanKernel, withInstead } from "../src/kernels/kernel.ts";
import { lookBackShape, lookBackSources } from "../src/kernels/look_back.ts";
import { oneByOne } from "../src/kernels/one_by_one.ts";
import { blelloch, hillisSteele } from "../src/kernels/portable.ts";
import { subgroup } from "../src/kernels/subgroup_tiles.ts";
import { planAppend } from "../src/plan/append.ts";
import { reductionOf } from "../src/plan/arg.ts";
import { planColumns } from "../src/plan/columns.ts";
import { planCombine } from "../src/plan/combine.ts";
import { everyMethod } from "../src/plan/every_method.ts";
import type { DeviceFacts } from "../src/plan/facts.ts";
import type { HistogramOptions } from "../src/plan/histogram.ts";
import { planHistogram } from "../src/plan/histogram.ts";
import type { Plan } from "../src/plan/plan.ts";
import { ALL_ARRANGEMENTS } from "../src/plan/plan.ts";
import type { ReduceOptions } from "../src/plan/reduce.ts";
import type { LookBackTesting } from "../src/plan/scan.ts";
import { planSearch } from "../src/plan/search.ts";
import { planGather, planSort } from "../src/plan/sort.ts";
import { parse, resolved } from "../src/text/module.ts";
import { piecesOf } from "../src/text/pieces.ts";
import type { Parsed, SourceText } from "../src/text/source.ts";
import { faults } from "./look_back/support.ts";
import { algorithmNames, untyped } from "./support/fold.ts";
import { allTypes, factsWith, inKernelFunctions } from "./support/kernels.ts";
import { failures, useNullDevice } from "./support/null_device.ts";
import { planCompact, planPartition, planReduce, planScan } from "./support/plans.ts";

const device = useNullDevice();
const read = (path: string): string => readFileSync(new URL(`../shaders/${path}`, import.meta.url), "utf8");
const files = readdirSync(new URL("../shaders", import.meta.url), {
  recursive: true,
  encoding: "utf8",
}).filter((path) => path.endsWith(".wgsl"));

/** What no plan has: what shaders are written against. */
const isSample = (path: string): boolean => /^contract\.wgsl$|\/tile\.wgsl$/.test(path);

const wide = struct({
  name: "Wide",
  fields: Object.fromEntries(Array.from({ length: 16 }, (_, at) => [`f${at}`, u32])),
}) as unknown as ElementType<string, Record<string, number>>;
const wideSum = operator({
  name: "sum",
  type: wide,
  identity: Object.fromEntries(Array.from({ length: 16 }, (_, at) => [`f${at}`, 0])),
  combine: "earlier",
  reference: (earlier) => earlier,
}) as unknown as Operator<string>;

/** Adapters whose kernels differ: by what is known of their subgroups, and a software one. */
const adapters: Readonly<Record<string, Partial<DeviceFacts>>> = {
  "full subgroups": { subgroupMinSize: 32, subgroupMaxSize: 32 },
  "without subgroup_id": { subgroupMinSize: 8, subgroupMaxSize: 32, subgroupIds: false },
  "subgroups that lack lanes": {},
  software: { software: true, vendor: "google", subgroupMinSize: 4, subgroupMaxSize: 4, lookBack: false },
};

/** Plans that between them take everything that a kernel can be made of. */
async function plansOf(facts: DeviceFacts): Promise<Plan[]> {
  const maxLength = 2 ** 20;
  const plans: (Plan | Promise<Plan>)[] = [];
  const rows = [
    ...[u32, f32, u64, f64].flatMap((type) =>
      [add, max].map((op) => [type as ElementType, untyped(op)] as const),
    ),
    [wide as ElementType, wideSum] as const,
  ];
  const testings: LookBackTesting[] = [{}, { tickets: false, faults }];
  for (const algorithm of algorithmNames) {
    const base = { algorithm, maxLength, workGroupSize: 64, itemsPerThread: 4 } as const;
    for (const [type, op] of rows) {
      const both = { ...base, type, op };
      plans.push(planScan({ ...both, passes: "reduce-then-scan" }, facts));
      plans.push(planScan({ ...both, passes: "single", exclusive: true }, facts));
      plans.push(planReduce(both, facts), planReduce({ ...both, initial: true, lengthOnGpu: true }, facts));
      for (const ends of [{ initial: true }, { total: true }, { initial: true, total: true }]) {
        plans.push(planScan({ ...both, ...ends, maxLength: 9 }, facts));
        for (const passes of ["single", "reduce-then-scan"] as const) {
          plans.push(planScan({ ...both, ...ends, passes, exclusive: true, lengthOnGpu: true }, facts));
        }
      }
      plans.push(planScan(both, facts, ["padded"]), planReduce(both, facts, ["padded"]));
    }
    for (const type of [u32, wide] as ElementType[]) {
      const op = type === u32 ? untyped(min) : wideSum;
      const mapped = { ...base, type, op, from: u32, map: type === u32 ? "x + i" : "Wide()" };
      plans.push(planScan({ ...mapped, lengthOnGpu: true }, facts), planReduce(mapped, facts));
      for (const testing of testings) {
        const single = { passes: "single", maxLength, algorithm, type } as const;
        plans.push(planScan({ ...single, op }, facts, ALL_ARRANGEMENTS, testing));
        plans.push(planCompact(single, facts, ALL_ARRANGEMENTS, testing));
      }
      plans.push(planPartition({ ...base, type, where: "i % 3u == 1u" }, facts));
      plans.push(planPartition({ ...base, type, where: "i % 3u == 1u" }, facts, ["padded"]));
      plans.push(planPartition({ ...base, type, classes: 5, class: "i % 5u" }, facts));
      plans.push(planPartition({ ...base, type, indices: true, lengthOnGpu: true }, facts));
      for (const passes of ["single", "reduce-then-scan"] as const) {
        const kept = { ...base, type, passes };
        plans.push(planCompact({ ...kept, where: "i % 3u == 1u" }, facts));
        plans.push(planCompact({ ...kept, where: "i % 3u == 1u" }, facts, ["padded"]));
        plans.push(planCompact({ ...kept, where: "i > 1u", from: u32, map: mapped.map }, facts));
        plans.push(planCompact({ ...kept, indices: true, lengthOnGpu: true }, facts));
        for (const indirect of [{ dispatch: { itemsPerWorkGroup: 64 } }, { draw: { vertexCount: 4 } }]) {
          plans.push(planCompact({ ...kept, indirect }, facts));
        }
      }
    }
  }
  for (const indirect of [{ dispatch: { itemsPerWorkGroup: 64 } }, { drawIndexed: { indexCount: 4 } }]) {
    const options = { type: u32, where: "x > 1u", maxLength, indirect };
    plans.push(planCompact(options, facts).then((plan) => planAppend(options, plan, 4096, facts)));
  }
  for (const [type, weights] of [
    [u32, undefined],
    [f32, f32],
    [f16, u32],
    [f64, f32],
  ] as const) {
    for (const rule of [
      { bins: 7, range: [0, 1] },
      { bins: 7, range: [0, 14] },
      { edges: [0, 5, 9] },
      { bins: 7, bin: "i % 9u" },
      { bins: 2 ** 20, bin: "i" },
    ] as const) {
      const options = { type, ...rule, maxLength, ...(weights && { weights }) } as HistogramOptions;
      plans.push(planHistogram(options, facts), planHistogram(options, facts, ["padded"], { runs: true }));
    }
  }
  for (const type of allTypes) {
    for (const call of ["argMin", "argMax"] as const) {
      plans.push(planReduce({ ...reductionOf(call, type), maxLength } as ReduceOptions, facts));
    }
  }
  for (const type of [u32, f32, f16, f64] as ElementType[]) {
    plans.push(
      planSearch({ type, maxLength }, facts),
      planSearch({ type, maxLength, side: "right", lengthOnGpu: true }, facts),
    );
  }
  for (const [at, type] of ([u32, f16, f64, wide] as ElementType[]).entries()) {
    const key = type === wide ? { key: "x.f0" } : {};
    for (const passes of ["single", "reduce-then-scan"] as const) {
      const algorithm = algorithmNames[at % algorithmNames.length] as (typeof algorithmNames)[number];
      const base = { type, ...key, algorithm, passes, workGroupSize: 64, itemsPerThread: 4 };
      const options = { ...base, maxLength, lengthOnGpu: at % 2 === 1 };
      plans.push(
        planSort({ ...options, indices: true }, facts, everyMethod),
        planSort({ ...options, bits: [3, 11], ...(type === wide && { indices: true }) }, facts, everyMethod),
        planSort(options, facts, everyMethod, type === f64 ? f64 : u32, ALL_ARRANGEMENTS, {
          tickets: true,
          fault: "late",
        }),
      );
    }
    plans.push(
      planSort({ type, ...key, maxLength: 500 }, facts, everyMethod, "positions"),
      planGather({ type, maxLength }, facts, "sort", ["values", "reordered"]),
    );
  }
  for (const [type, op] of rows) {
    const kinds = [
      "rows",
      "offsets",
      "heads",
      "headBits",
      { keys: u32 },
      { keys: f16 },
      { keys: wide },
    ] as const;
    for (const [at, segments] of kinds.entries()) {
      const algorithm = algorithmNames[at % algorithmNames.length] as (typeof algorithmNames)[number];
      const base = {
        type,
        op,
        maxLength,
        segments,
        algorithm,
        workGroupSize: 64,
        itemsPerThread: 4,
      } as const;
      for (const passes of ["single", "reduce-then-scan"] as const) {
        const unique = typeof segments === "object" ? { segments: { ...segments, unique: true } } : {};
        plans.push(
          planScan({ ...base, passes }, facts),
          planScan({ ...base, passes, exclusive: true, initial: true, lengthOnGpu: true }, facts),
          planReduce({ ...base, passes }, facts),
          planReduce({ ...base, ...unique, passes, initial: at % 2 === 0 }, facts),
        );
      }
    }
    const columns = { type, op, maxLength, segments: "columns", workGroupSize: 64 } as const;
    for (const primitive of ["scan", "reduce"] as const) {
      for (const options of [
        columns,
        { ...columns, exclusive: true, initial: true, lengthOnGpu: true },
        ...(type === u32 ? [{ ...columns, from: f32, map: "u32(x) + i" }] : []),
      ]) {
        plans.push(planColumns(primitive, options, facts, everyMethod, ALL_ARRANGEMENTS));
      }
    }
  }
  plans.push(planCombine({ type: u32, op: untyped(add), maxLength }, facts));
  return await Promise.all(plans);
}

const kernels = new Map<string, Kernel>();
/** By file, the lines that are in some kernel, counted from 1. */
const reached = new Map<string, Set<number>>();

beforeAll(async () => {
  for (const facts of Object.values(adapters)) {
    for (const plan of await plansOf(factsWith(facts, { maxComputeWorkgroupStorageSize: 32768 }))) {
      for (const kernel of plan.kernels) {
        kernels.set(kernel.code, kernel);
      }
    }
  }
  for (const kernel of kernels.values()) {
    for (const line of linesOf(kernel)) {
      if (line !== undefined) {
        const { name } = line.source;
        reached.set(name, (reached.get(name) ?? new Set()).add(line.number));
      }
    }
  }
}, 120_000);

const inKernel = [
  ...algorithmNames.flatMap((algorithm) =>
    allTypes.flatMap((type) =>
      [add, max, mul].flatMap((op) => inKernelFunctions(type, untyped(op), algorithm)),
    ),
  ),
  // Of so many items that their loops stay as they are in the files.
  workGroupSort({ type: u32, items: 20, workGroupSize: 32 }),
  workGroupSortPairs({ type: u32, values: u32, items: 20, workGroupSize: 32 }),
  workGroupSortPairs({ type: u32, values: f16, items: 20, workGroupSize: 32 }),
];

/** A declaration's text without what stands before it, and without the words in it that may be other ones. */
const shapeOf = ({ parts }: { readonly parts: readonly string[] }): string =>
  parts.filter((_, at) => at && at % 2 === 0).join("\0");

test("every shader is used by a plan or an in-kernel function", () => {
  const shapes = new Set(
    [...inKernel, ...allTypes.filter((type) => type.files.some(({ as }) => as)).map(numeric)]
      .flatMap(({ pieces }) => pieces)
      .map(shapeOf),
  );
  const isUsed = (path: string): boolean =>
    reached.has(`shaders/${path}`) ||
    piecesOf(read(path).replaceAll(" // unroll", "")).every(
      (one) => one.name === "" || shapes.has(shapeOf(one)),
    );
  expect(files.filter((path) => !isSample(path) && !isUsed(path))).toEqual([]);
});

test("everything that a file of shaders/device/ declares is reached by some kernel", () => {
  const missed = files
    .filter((path) => path.startsWith("device/") && !isSample(path))
    .flatMap((path) => {
      const text = read(path);
      return parse(text).declarations.flatMap(({ name, keyword }) => {
        const head = new RegExp(`^(?:@.*\\) )?${keyword}\\b(?:<.*?>)? *${name}\\b`, "m");
        const line = text.slice(0, text.search(head)).split("\n").length;
        return reached.get(`shaders/${path}`)?.has(line) ? [] : [`${path}: ${name}`];
      });
    });
  expect(missed).toEqual([]);
});

test("every kernel compiles", async () => {
  expect(kernels.size).toBeGreaterThan(500);
  const all = [...kernels.values()].map(({ label, code }) => ({ title: label, code }));
  expect(await failures(device(), all)).toEqual([]);
}, 120_000);

test("the check can fail", async () => {
  const code = read("contract.wgsl").replace("earlier + later", "earlier + 1.5f");
  expect(await failures(device(), [{ title: "broken", code }])).not.toEqual([]);
});

/** The functions of a text, each with the types that it takes and returns. */
const signaturesOf = (text: string): Map<string, string> =>
  new Map(
    Array.from(
      text.matchAll(/^fn (\w+)\(([^{]*?)\)( -> [^{]*?)? \{/gm),
      ([, name = "", parameters = "", result]) => [
        name,
        `(${parameters.replace(/(@[^)]*\) )?\w+: /g, "").replace(/,?\s*$/, "")})${result ?? ""}`,
      ],
    ),
  );

test("contract.wgsl is valid, and has the functions that are generated, as they are", async () => {
  const text = read("contract.wgsl");
  expect(await failures(device(), [{ title: "contract.wgsl", code: text }])).toEqual([]);
  const contract = signaturesOf(text);
  // What only in-kernel functions are written against has the caller's type in a kernel of ours.
  for (const name of [
    "element_from_value",
    "value_from_element",
    "value_from_exclusive",
    "counter_update",
    "allocation_capacity",
    "bits_from_key",
    "key_from_bits",
    "sort_order",
  ]) {
    expect(contract.delete(name), name).toBe(true);
  }
  const generated = new Set<string>();
  for (const kernel of kernels.values()) {
    kernel.relink((source) => {
      if (source.name === "generated contract") {
        for (const [name, signature] of signaturesOf(source.text)) {
          if (contract.has(name)) {
            generated.add(name);
            expect(signature, name).toBe(contract.get(name));
          }
        }
      }
      return source;
    });
  }
  expect([...contract.keys()].filter((name) => !generated.has(name))).toEqual([]);
});

const sizes = {
  workGroupSize: 64,
  items: 4,
  unrolled: true,
  oneByOne: false,
  minSubgroupSize: 32,
  maxSubgroupSize: 32,
};

const portableThreads = { sizes, subgroupIds: true };
const sumOfU32 = monoidOf(untyped(add), u32 as ElementType, "test");

/** The sources of every algorithm that a tile may be scanned by. */
const tileSources = (): [title: string, sources: readonly SourceText[]][] => [
  ["blelloch", blelloch.sources(portableThreads)(sumOfU32)],
  ["hillis-steele", hillisSteele.sources(portableThreads)(sumOfU32)],
  ...[32, 128].flatMap((maxSubgroupSize) =>
    [false, true].flatMap((subgroupIds) =>
      [f64, f32, u32, u64].flatMap((type) =>
        [add, max].flatMap((op) =>
          [false, true].map((votes): [string, readonly SourceText[]] => {
            const threads = { sizes: { ...sizes, maxSubgroupSize }, subgroupIds };
            const monoid = monoidOf(untyped(op), type as ElementType, "test");
            return [
              `subgroup: ${op.name} ${type.name} of at most ${maxSubgroupSize}, ${subgroupIds}, ${votes}`,
              subgroup.sources(threads)(monoid, votes),
            ];
          }),
        ),
      ),
    ),
  ),
];

test("every algorithm of a tile has the interface of tile.wgsl", () => {
  const text = read("device/tiles/tile.wgsl");
  const tile = signaturesOf(text);
  expect(tile.size).toBe(9);
  for (const [title, sources] of tileSources()) {
    const { declarations } = resolved(sources);
    const own = signaturesOf(declarations.map((one) => one.text.replace(/^(\/\/.*\n)+/, "")).join("\n"));
    for (const [name, signature] of tile) {
      expect(own.get(name), `${title}: ${name}`).toBe(signature);
    }
    const structs = new Map(declarations.map((one) => [one.name, one.text]));
    expect(structs.get("TileScan"), title).toMatch(/^ {2}total: Element,$/m);
    expect(structs.get("Invocation"), title).toMatch(/^ {2}@builtin/m);
  }
});

test("a tile of items that go one by one has the same interface, of Items", () => {
  const longSizes = { ...sizes, unrolled: false, oneByOne: true };
  const loadItems = { name: "device/io/load_items.wgsl", text: read("device/io/load_items.wgsl") };
  const tile = signaturesOf(read("device/tiles/tile.wgsl").replaceAll("array<Element, ITEMS>", "Items"));
  tile.set("finish_run", "(Items, Element) -> Element");
  // Of counts alone, which do not go one by one.
  tile.delete("scan_run");
  const long = monoidOf(untyped(wideSum), wide as ElementType, "test");
  for (const [title, { sources, threadsTake }] of Object.entries({ blelloch, hillisSteele, subgroup })) {
    for (const monoid of [sumOfU32, monoidOf(untyped(add), f32 as ElementType, "test"), long]) {
      const own = sources({ sizes: longSizes, subgroupIds: true })(monoid);
      const { declarations } = resolved(withInstead(oneByOne[threadsTake].items, [...own, loadItems]));
      const signatures = signaturesOf(
        declarations.map((one) => one.text.replace(/^(\/\/.*\n)+/, "")).join("\n"),
      );
      for (const [name, signature] of tile) {
        expect(signatures.get(name), `${title}: ${name}`).toBe(signature);
      }
    }
  }
});

test("kernels take nothing of a tile but its interface", () => {
  const inTiles = files.filter((path) => path.startsWith("device/tiles/"));
  const internal = new Set(inTiles.flatMap((path) => parse(read(path)).declarations.map(({ name }) => name)));
  for (const { name } of parse(read("device/tiles/tile.wgsl")).declarations) {
    internal.delete(name);
  }
  const used = files
    .filter((path) => path.startsWith("device/") && !inTiles.includes(path))
    // Votes are of a subgroup's lanes; rows that go one by one are scanned as they are stored.
    .filter((path) => !/(look_back_votes|store_rows_one_by_one)\.wgsl$/.test(path))
    .flatMap((path) => parse(read(path)).declarations.flatMap(({ references }) => [...references]))
    .filter((name) => internal.has(name));
  expect(used).toEqual([]);
});

test("kernels of tile.wgsl compile", async () => {
  const name = "device/tiles/tile.wgsl";
  const monoid = monoidOf(untyped(add), u32 as ElementType, "test");
  const options = {
    algorithm: "blelloch",
    sources: () => [{ name, text: read(name) }],
    sizes: { ...sizes, workGroupSize: 1 },
    lengthOnGpu: false,
    arrangement: "vectors",
  } as const;
  const scan = { ...options, exclusive: false, side: "items" } as const;
  const shape = lookBackShape(options);
  const lookBack = await lookBackSources("scan", monoid, shape, sizes, { patience: 10, tickets: true });
  const kept = {
    ...options,
    type: u32 as ElementType,
    selector: { where: "x > i" },
    indices: false,
  } as const;
  const made = [
    scanKernel(monoid, { ...scan, carry: true }),
    scanKernel(monoid, { ...scan, carry: lookBack }),
    reduceKernel(monoid, { ...options, input: "items", output: "elements", arrangement: "vectors" }),
    countKernel(monoid, kept),
    compactKernel(monoid, { ...kept, carry: "spine", mostWorkGroups: 100 }),
  ];
  expect(
    await failures(
      device(),
      made.map(({ label, code }) => ({ title: label, code })),
    ),
  ).toEqual([]);
});

test.each(files)("%s has a header, and no tab or trailing space", (path) => {
  const text = read(path);
  expect(text).toMatch(/^\/\/ \S/);
  expect(text).not.toMatch(/\t| $/m);
});

const built = new URL("../scripts/modules.mjs", import.meta.url).href;
const { withoutComments } = (await import(built)) as { withoutComments(text: string): string };

const names = new Set(files.flatMap((path) => parse(read(path)).declarations.map(({ name }) => name)));

/** What a text declares, with its lines of code, and which other declarations these refer to. */
const codeOf = ({ declarations }: Parsed) =>
  declarations.map(({ text, references, ...one }) => ({
    ...one,
    references: [...references].filter((name) => names.has(name) && name !== one.name).sort(),
    lines: text
      .split("\n")
      .map((line) => (line.endsWith("// unroll") ? line : line.replace(/\s*\/\/.*/, "")))
      .filter((line) => line.trim() !== "" && !line.startsWith("const_assert ")),
  }));

test.each(files)("%s without comments is the same code on the same lines", (path) => {
  const text = read(path);
  const bare = withoutComments(text);
  expect(bare).not.toMatch(/\/\/(?! unroll$| replaces: )/m);
  expect(codeOf(parse(bare))).toEqual(codeOf(parse(text)));
  const lines = text.split("\n");
  bare.split("\n").forEach((line, at) => {
    expect(lines[at]?.startsWith(line)).toBe(true);
  });
});
