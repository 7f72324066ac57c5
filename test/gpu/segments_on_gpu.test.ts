import { beforeAll, expect, test } from "vitest";
import type { Fold } from "../../src/node.ts";
import { ArgumentError, openFold, struct, u32 } from "../../src/node.ts";
import { reduceReference } from "../../src/reference/reduce.ts";
import { expandRunsReference, uniqueReference } from "../../src/reference/runs.ts";
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
  [{ rows: 0 }, /rows: 0; it takes a whole number from 1 up, the items of a row/],
  [{ rows: "2" }, /rows: "2"; it takes a whole number/],
  [{ rows: 4 }, /rows of 4 items do not divide the 6 items/],
  [{ columns: 0 }, /columns: 0; it takes a whole number from 1 up, the number of columns/],
  [{ columns: 4 }, /4 columns do not divide the 6 items/],
  [{ rows: 2, keys: data }, /segments is \{ rows, keys \}; it takes one of \{ rows \}, /],
  [{}, /segments is \{ {2}\}; it takes one of/],
  ["rows", /segments is rows; it takes one of/],
];
const wrongAtHand: typeof wrong = [
  ...wrong,
  [{ offsets: [0, 4, 2, 6] }, /offset 2 is 2, after 4; offsets start from 0, never fall, and end with/],
  [{ offsets: [0, 9] }, /offset 1 is 9, after 0; offsets/],
  [{ offsets: [0, 4] }, /the last offset is 4; offsets/],
  [{ offsets: [] }, /there are no offsets; offsets/],
  [{ keys: [1, 1, 1, 2, 2, 2] }, /keys: object is not an array of an element type/],
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
    [() => uniqueReference([1, 2] as never), "data", /^uniqueReference: object is not an array/],
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
