import { beforeAll, expect, test } from "vitest";
import type { Fold } from "../../src/node.ts";
import { ArgumentError, f32, openFold, SourceError, struct, u32, vec2 } from "../../src/node.ts";
import { reduceReference } from "../../src/reference/reduce.ts";
import { expandRunsReference, runLengthsReference, uniqueReference } from "../../src/reference/runs.ts";
import { scanReference } from "../../src/reference/scan.ts";
import { useNullDevice } from "../support/null_device.ts";

// What a hurried user gives segments and runs: each error names what is wrong, and what would be right. Nothing is compiled.

const device = useNullDevice();
let fold: Fold;
beforeAll(async () => {
  fold = await openFold({ device: device() });
});

const data = Uint32Array.of(1, 2, 3, 4, 5, 6);
const Pair = struct({ name: "Pair", fields: { a: u32, b: u32 } });

const wrong: readonly (readonly [segments: unknown, message: RegExp])[] = [
  [{ rows: 0 }, /rows: 0; it takes a whole number from 1 to 2\^32 - 2, the items of a row/],
  [{ rows: "2" }, /rows: "2"; it takes a whole number/],
  [{ rows: 4 }, /rows of 4 items do not divide the 6 items/],
  [{ columns: 0 }, /columns: 0; it takes a whole number from 1 to 2\^32 - 2, the number of columns/],
  [{ columns: 4 }, /4 columns do not divide the 6 items/],
  [{ rows: 2, keys: data }, /segments is \{ rows, keys \}; it takes one of \{ rows \}, /],
  [{}, /segments is \{ {2}\}; it takes one of/],
  ["rows", /segments is "rows"; it takes one of/],
];
const wrongAtHand: typeof wrong = [
  ...wrong,
  [{ offsets: [0, 4, 2, 6] }, /offset 2 is 2, after 4; offsets start from 0, never fall, and end with/],
  [{ offsets: [0, 9] }, /offset 1 is 9, after 0; offsets/],
  [{ offsets: [0, 4] }, /the last offset is 4; offsets/],
  [{ offsets: [] }, /there are no offsets; offsets/],
  [{ keys: [1, 1, 1, 2, 2, 2] }, /keys: Array has no element type/],
  [{ keys: Pair.from([{ a: 1, b: 2 }]) }, /keys has 1 elements for 6 items; it takes one for each/],
  [{ keys: null }, /keys: null; it takes an array/],
  [{ headBits: Uint8Array.of(1) }, /headBits in another array; it takes a Uint32Array/],
];
const wrongOnGpu: typeof wrong = [
  ...wrong,
  // A long array is not written out.
  [{ offsets: [0, 6] }, /: offsets is Array, and data is on the GPU; it takes an array on the GPU, as/],
  [{ heads: data }, /: heads is Uint32Array, and data is on the GPU/],
  [{ keys: null }, /: keys is null, and data is on the GPU/],
];

const refusal = async (call: () => unknown): Promise<unknown> => {
  try {
    await call();
    return undefined;
  } catch (cause) {
    return cause;
  }
};

test("segments that mean nothing: at hand, on the GPU and in the reference", async () => {
  const array = await fold.upload(data);
  const calls: readonly (readonly [string, (segments: unknown) => unknown, typeof wrong])[] = [
    ["scan", (segments) => fold.scan(data, { segments } as never), wrongAtHand],
    ["reduce", (segments) => fold.reduce(data, { segments } as never), wrongAtHand],
    ["scan on the GPU", (segments) => fold.scan(array, { segments } as never), wrongOnGpu],
    ["reduce on the GPU", (segments) => fold.reduce(array, { segments } as never), wrongOnGpu],
    ["scanReference", (segments) => scanReference(data, { segments } as never), wrongAtHand],
    ["reduceReference", (segments) => reduceReference(data, { segments } as never), wrongAtHand],
  ];
  for (const [name, call, table] of calls) {
    for (const [segments, message] of table) {
      const cause = await refusal(() => call(segments));
      expect(cause, `${name}: ${message}`).toBeInstanceOf(ArgumentError);
      expect(cause, `${name}: ${message}`).toMatchObject({
        option: "segments",
        message: expect.stringMatching(message),
      });
    }
  }
});

test("keys that cannot be computed: at hand, on the GPU, recorded and in the reference", async () => {
  const Cell = struct({ name: "Cell", fields: { a: u32, at: vec2(f32) } });
  const Other = struct({ name: "Cell", fields: { a: u32 } });
  const cells = Cell.array(6);
  const [array, there] = [await fold.upload(data), await fold.upload(cells)];
  // At hand, where the keys are the data or `cells`; `keys` stands for these.
  const wrongKeys: readonly (readonly [segments: object, message: RegExp])[] = [
    [{ key: 5 }, /segments is key: 5; it takes WGSL over an element's value x, such as "x.cell"/],
    [{ key: "" }, /segments is key: empty; it takes WGSL/],
    [{ keys: true, keyType: u32 }, /segments is keyType: u32; it takes a type only beside key/],
    [{ keyType: u32 }, /segments is \{ keyType \}; it takes one of \{ rows \}/],
    [{ rows: 2, key: "x" }, /segments is \{ rows, key \}; it takes key only beside keys/],
    [{ key: "x", keyType: 7 }, /keyType: 7 is not an element type; it takes u32/],
    [
      { keys: true, key: "x.a + 1u" },
      /keyType: undefined; it takes the type that the key "x\.a \+ 1u" gives/,
    ],
    [{ keys: true, key: "x.at" }, /"x\.at", of vec2<f32>; it takes a scalar of it, such as "x\.at\[0\]"/],
    [
      { keys: true, key: "x.a", keyType: Other },
      /hold different structs that are both called struct Cell; rename/,
    ],
  ];
  for (const [segments, message] of wrongKeys) {
    const own = "keys" in segments ? { keys: cells } : {};
    const gpu = "keys" in segments ? { keys: there } : {};
    const calls = [
      () => fold.scan(data, { segments: { ...segments, ...own } } as never),
      () => fold.reduce(data, { segments: { ...segments, ...own } } as never),
      () => fold.scan(array, { segments: { ...segments, ...gpu } } as never),
      () => fold.reduce(array, { segments: { ...segments, ...gpu } } as never),
      ...("key" in segments && !("rows" in segments)
        ? [
            () =>
              fold.prepareReduce({
                type: u32,
                maxLength: 6,
                segments: { ...segments, keys: "keys" in segments ? Cell : u32 },
              } as never),
          ]
        : []),
    ];
    for (const call of calls) {
      const cause = await refusal(call);
      expect(cause, String(message)).toBeInstanceOf(ArgumentError);
      expect(cause, String(message)).toMatchObject({
        option: "segments",
        message: expect.stringMatching(message),
      });
    }
  }
  const others: readonly (readonly [() => unknown, option: string, message: RegExp])[] = [
    [() => fold.unique(data, { keyType: u32 }), "keyType", /unique: keyType is u32; it takes a type only/],
    [() => fold.unique(cells, { key: "x.a + 1u" }), "keyType", /the type that the key/],
    [
      () => fold.unique(cells, { key: "x.b_" }),
      "key",
      /unique: key is "x\.b_"; it takes a field of \w+: x\.a/,
    ],
    [() => fold.runLengths(there, { key: 5 as never }), "key", /runLengths: key is 5; it takes WGSL/],
    [() => fold.runLengths(data, { key: "x", descending: true } as never), "descending", /no option/],
    [
      () => fold.reduce(Other.array(6), { type: u32, map: "x.a", segments: { keys: cells, key: "x.a" } }),
      "segments",
      /Cell, of the keys, and Cell hold different structs/,
    ],
    [() => scanReference(data, { segments: null } as never), "segments", /segments is null/],
    [
      () => scanReference(data, { segments: { key: () => "x" as never } }),
      "segments",
      /the key gave "x" is no value of u32/,
    ],
    [
      () => reduceReference(data, { segments: { keys: cells, key: (x) => x.a } }),
      "segments",
      /keyType: undefined/,
    ],
    [
      () => uniqueReference(data, { keyType: u32 }),
      "keyType",
      /keyType is u32; it takes a type only beside key/,
    ],
    [() => runLengthsReference(cells, { key: (x) => x.a }), "keyType", /keyType is undefined/],
  ];
  for (const [call, option, message] of others) {
    const cause = await refusal(call);
    expect(cause, String(message)).toBeInstanceOf(ArgumentError);
    expect(cause, String(message)).toMatchObject({ option, message: expect.stringMatching(message) });
  }
  for (const call of [
    () => fold.reduce(data, { segments: { key: "x)" } }),
    () => fold.unique(array, { key: "x)" }),
  ]) {
    const cause = await refusal(call);
    expect(cause).toBeInstanceOf(SourceError);
    expect(String(cause)).toMatch(/the key, line 1: '\)' without its '\('/);
  }
  for (const one of [array, there]) {
    one.destroy();
  }
});

test("runs, and the greatest element, of what they do not take", async () => {
  const array = await fold.upload(data);
  const calls: readonly (readonly [() => unknown, option: string, message: RegExp])[] = [
    [
      () => expandRunsReference(data, undefined as never),
      "counts",
      /counts is undefined; it takes a Uint32Array/,
    ],
    [() => expandRunsReference(data, [1, 1] as never), "counts", /counts is .*; it takes a Uint32Array/],
    [() => expandRunsReference(data, Uint32Array.of(1)), "counts", /1 counts for 6 values/],
    [
      () => expandRunsReference([1] as never, Uint32Array.of(1)),
      "values",
      /it takes an array of an element type/,
    ],
    [() => uniqueReference([1, 2] as never), "data", /^uniqueReference: Array has no element type/],
    [
      () => fold.argMax(array as never),
      "data",
      /^argMax: data is on the GPU; .* reduce by argMax of wavefold\/monoids/,
    ],
  ];
  for (const [call, option, message] of calls) {
    const cause = await refusal(call);
    expect(cause, String(message)).toBeInstanceOf(ArgumentError);
    expect(cause, String(message)).toMatchObject({ option, message: expect.stringMatching(message) });
  }
});
