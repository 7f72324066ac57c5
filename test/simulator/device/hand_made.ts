import type { EntryPointText, ReadModule, Runnable } from "../../../src/simulator/device/compiler.ts";
import type { StorageRange } from "../../../src/simulator/machine/index.ts";
import { WorkGroup } from "../../../src/simulator/machine/index.ts";
import { TextFault } from "../../../src/text/syntax.ts";
import { readWord, writeWord } from "../machine/kernels.ts";

// A compiler of few texts: what each does is written beside it. So the rules of devices are tested without the real compiler.

interface HandMade {
  readonly code: string;
  readonly enables?: readonly string[];
  readonly requires?: readonly string[];
  readonly entryPoints: readonly (EntryPointText & {
    readonly workGroupSize: readonly [number, number, number];
    readonly run?: Runnable["run"];
  })[];
}

const storage = { group: 0, binding: 0, type: "storage", minSize: 4 } as const;
const main = { name: "main", bindings: [storage], workGroupMemory: 0, workGroupSize: [1, 1, 1] } as const;

const rangeAt = (ranges: ReadonlyMap<string, StorageRange>, key: string): StorageRange => {
  const range = ranges.get(key);
  if (range === undefined) {
    throw new Error(`no range ${key}`);
  }
  return range;
};

const bare = (code: string, more: Partial<HandMade["entryPoints"][number]> = {}): HandMade => ({
  code,
  entryPoints: [{ ...main, ...more }],
});

/** A text that uses as many bindings of a type. */
function many(count: number, type: "uniform" | "read-only-storage"): HandMade {
  const numbers = Array.from({ length: count }, (_, binding) => binding);
  const space = type === "uniform" ? "uniform" : "storage";
  return bare(
    `${numbers.map((at) => `@group(0) @binding(${at}) var<${space}> b${at}: vec4<u32>;`).join("\n")}
@compute @workgroup_size(1) fn main() { ${numbers.map((at) => `_ = b${at};`).join(" ")} }`,
    { bindings: numbers.map((binding) => ({ group: 0, binding, type, minSize: 16 })) },
  );
}

/** The texts, by name. */
export const texts = {
  /** Adds the number of work-groups to the first word. */
  count: bare(
    `@group(0) @binding(0) var<storage, read_write> total: atomic<u32>;
@compute @workgroup_size(1) fn main() { atomicAdd(&total, 1u); }`,
    {
      run: (machine, [x, y, z], ranges) => {
        const total = rangeAt(ranges, "0,0");
        const group = new WorkGroup(machine, [1, 1, 1], 0);
        total.store(0, total.latest(0, group) + x * y * z, group);
      },
    },
  ),
  /** Copies words. */
  copy: {
    code: `@group(0) @binding(0) var<storage, read> source: array<u32>;
@group(0) @binding(1) var<storage, read_write> destination: array<u32>;
@compute @workgroup_size(1) fn main(@builtin(workgroup_id) id: vec3<u32>) { destination[id.x] = source[id.x]; }`,
    entryPoints: [
      {
        ...main,
        bindings: [
          { ...storage, type: "read-only-storage" },
          { ...storage, binding: 1 },
        ],
        run: (machine, [x], ranges) => {
          const group = new WorkGroup(machine, [1, 1, 1], 0);
          for (let at = 0; at < x; at++) {
            rangeAt(ranges, "0,1").store(at, rangeAt(ranges, "0,0").latest(at, group), group);
          }
        },
      },
    ],
  },
  /** Reads its first word plainly, at the text's second line. */
  read: bare(
    `@group(0) @binding(0) var<storage, read_write> data: array<u32>;
@compute @workgroup_size(1) fn main() { data[1] = data[0]; }`,
    {
      run: (machine, groups, ranges) => {
        machine.beginDispatch(groups);
        const group = new WorkGroup(machine, [1, 1, 1], 0);
        group.start(0, [0, 0, 0], groups);
        const data = rangeAt(ranges, "0,0");
        writeWord(data, 1, readWord(data, 0, 0, group, 0), 0, group, 0);
      },
    },
  ),
  /** Two of the same kind, both written. */
  two: {
    code: `@group(0) @binding(0) var<storage, read_write> a: array<u32>;
@group(0) @binding(1) var<storage, read_write> b: array<u32>;
@compute @workgroup_size(1) fn main() { a[0] = b[0]; }`,
    entryPoints: [{ ...main, bindings: [storage, { ...storage, binding: 1 }] }],
  },
  uniform: bare(
    `@group(0) @binding(0) var<uniform> u: vec4<u32>;
@compute @workgroup_size(1) fn main() { _ = u; }`,
    { bindings: [{ ...storage, type: "uniform", minSize: 16 }] },
  ),
  secondGroup: bare(
    `@group(1) @binding(2) var<storage, read> data: array<vec4<u32>>;
@compute @workgroup_size(1) fn main() { _ = data[0]; }`,
    { bindings: [{ group: 1, binding: 2, type: "read-only-storage", minSize: 16 }] },
  ),
  empty: bare("@compute @workgroup_size(1) fn main() {}", { bindings: [] }),
  twoEntryPoints: {
    code: "@compute @workgroup_size(1) fn a() {} @compute @workgroup_size(1) fn b() {}",
    entryPoints: [
      { ...main, name: "a", bindings: [] },
      { ...main, name: "b", bindings: [] },
    ],
  },
  manyThreads: bare("@compute @workgroup_size(257) fn main() {}", {
    bindings: [],
    workGroupSize: [257, 1, 1],
  }),
  manyLayers: bare("@compute @workgroup_size(1, 1, 65) fn main() {}", {
    bindings: [],
    workGroupSize: [1, 1, 65],
  }),
  manyRows: bare("@compute @workgroup_size(1, 257) fn main() {}", {
    bindings: [],
    workGroupSize: [1, 257, 1],
  }),
  manyInAll: bare("@compute @workgroup_size(32, 32) fn main() {}", {
    bindings: [],
    workGroupSize: [32, 32, 1],
  }),
  manyUniforms: many(13, "uniform"),
  manyBuffers: many(9, "read-only-storage"),
  muchMemory: bare(
    "var<workgroup> a: array<u32, 4097>; @compute @workgroup_size(1) fn main() { a[0] = 1; }",
    { bindings: [], workGroupMemory: 16400 },
  ),
  farGroup: bare(
    `@group(4) @binding(0) var<storage, read> data: array<u32>;
@compute @workgroup_size(1) fn main() { _ = data[0]; }`,
    { bindings: [{ ...storage, group: 4, type: "read-only-storage" }] },
  ),
  farBinding: bare(
    `@group(0) @binding(1000) var<storage, read> data: array<u32>;
@compute @workgroup_size(1) fn main() { _ = data[0]; }`,
    { bindings: [{ ...storage, binding: 1000, type: "read-only-storage" }] },
  ),
  knownFeature: {
    ...bare("requires subgroup_id; @compute @workgroup_size(1) fn main() {}", { bindings: [] }),
    requires: ["subgroup_id"],
  },
  unknownFeature: {
    ...bare("requires other_feature; @compute @workgroup_size(1) fn main() {}", { bindings: [] }),
    requires: ["other_feature"],
  },
  half: {
    ...bare("enable f16; @compute @workgroup_size(1) fn main() {}", { bindings: [] }),
    enables: ["f16"],
  },
} as const satisfies Record<string, HandMade>;

/** A text that has a fault at its second line. */
export const faulty = "fn fine() {}\nfn a( {";

/** What it does not compile: a constant of a pipeline. */
export const unknownConstant = "unknown";

const known = new Map<string, HandMade>(Object.values(texts).map((text) => [text.code, text]));

export const readHandMade: ReadModule = (code) => {
  const text = known.get(code);
  if (text === undefined) {
    throw new TextFault("a fault of the text", faulty.indexOf("{", 15));
  }
  return {
    entryPoints: text.entryPoints,
    enables: text.enables ?? [],
    requires: text.requires ?? [],
    program: (name, constants) => programOf(text, name, constants),
  };
};

function programOf(
  { entryPoints }: HandMade,
  name: string,
  constants: Readonly<Record<string, number>>,
): Runnable {
  if (unknownConstant in constants) {
    throw new TextFault("there is no such constant", 0);
  }
  const entryPoint = entryPoints.find((candidate) => candidate.name === name);
  if (entryPoint === undefined) {
    throw new Error(`no entry point ${name}`);
  }
  return {
    workGroupSize: entryPoint.workGroupSize,
    sites: [{ line: 2, column: 1, function: "main" }],
    run: entryPoint.run ?? (() => {}),
  };
}
