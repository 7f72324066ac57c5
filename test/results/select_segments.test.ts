import { expect, test } from "vitest";
import { f32 } from "../../src/algebra/floats.ts";
import { u32 } from "../../src/algebra/integers.ts";
import type { Fold } from "../../src/node.ts";
import { topKReference } from "../../src/reference/sort.ts";
import { GUARD, guarded, storageBuffer, submitted } from "../support/buffers.ts";
import { useFold } from "../support/fold.ts";
import { testMutations } from "../support/mutations.ts";
import { errorOf } from "../support/option_checks.ts";
import { kinds } from "../support/sorted_arrays.ts";

// Selections of the first elements of each segment between offsets. Results in all forms are those of the primitive's examples.

const fold = useFold();
/** Segments with no element, with one, with fewer than are taken, with as many, and with more than a small tile has; and one that is cut off. */
const offsets = [0, 0, 1, 4, 9, 9, 268, 300];
const NONE = 0xffffffff;

test("each segment has k places, and those without an element say so", async () => {
  const data = Float32Array.of(3, -1, 7, 5);
  const { values, indices } = await fold().topK(data, 2, { segments: { offsets: [0, 3, 3, 4] } });
  expect(values).toEqual(Float32Array.of(7, 3, 0, 0, 5, 0));
  expect(indices).toEqual(Uint32Array.of(2, 0, NONE, NONE, 3, NONE));
  expect(topKReference(data, 2, { segments: { offsets: [0, 3, 3, 4] } })).toEqual({ values, indices });
});

/** Recorded, in ranges anywhere, from a first index: with the length on the GPU, which cuts the last segment off, and without. */
async function* recorded(given: Fold): AsyncGenerator<readonly [found: unknown, expected: unknown]> {
  const { device } = given;
  const data = kinds.few("u32", 300, "segments") as Uint32Array;
  for (const [maxSegmentLength, length] of [
    [291, 300],
    [undefined, 300],
    [291, 270],
  ] as const) {
    const lengthOnGpu = length < 300;
    const best = await given.prepareTopK({
      type: u32,
      k: 5,
      segments: "offsets",
      maxLength: 300,
      lengthOnGpu,
      ...(maxSegmentLength && { maxSegmentLength }),
    });
    const ends = offsets.map((at) => Math.min(at, length));
    const { values, indices } = topKReference(data.slice(0, length), 5, { segments: { offsets: ends } });
    const count = offsets.length - 1;
    const [input, starts] = [
      storageBuffer(device, guarded(data, 3, 0)),
      storageBuffer(device, guarded(Uint32Array.from(offsets), 2, 0)),
    ];
    const room = (before: number): GPUBuffer =>
      storageBuffer(device, new Uint32Array(before + 5 * count + 2).fill(GUARD));
    const [output, positions] = [room(4), room(1)];
    const counter = storageBuffer(device, Uint32Array.of(length));
    const found = await submitted(
      device,
      (encoder) =>
        best.record(encoder, {
          input: { buffer: input, offset: 12 },
          offsets: { buffer: starts, offset: 8 },
          segmentCount: count,
          output: { buffer: output, offset: 16 },
          indices: { buffer: positions, offset: 4 },
          length: lengthOnGpu ? counter : length,
          firstIndex: 7,
        }),
      [output, positions],
    );
    const moved = indices.map((index) => (index === NONE ? NONE : index + 7));
    yield [found, [guarded(values, 4, 2), guarded(moved, 1, 2)]];
    best.destroy();
  }
}

test.each([
  [() => fold().topK(Uint32Array.of(1, 2), 1, { segments: { offsets: [0, 1] } }), /offsets/],
  [() => fold().topK(Uint32Array.of(1, 2), 0, { segments: { offsets: [0, 2] } }), /a whole number from 1/],
  [
    () => fold().topK(Uint32Array.of(1, 2), 1, { segments: { heads: [0] } } as never),
    /it takes \{ rows \}, \{ offsets \} or \{ begins, ends \}/,
  ],
  [() => fold().topK(Uint32Array.of(1, 2), 1, { maxSegmentLength: 2 }), /only beside segments/],
  [
    () => fold().prepareTopK({ type: f32, k: 1, maxLength: 4, segments: "keys" as never }),
    /"rows", "offsets" or "begins"/,
  ],
])("bad input %#", async (run, message) => {
  expect((await errorOf(run() as Promise<unknown>)).message).toMatch(message);
});

testMutations(
  fold,
  { recorded },
  {
    recorded: {
      "a place past the segment takes what follows": ["if (sorted < span.y)", "if (sorted < length)"],
      "positions of places without an element count from the first index": [
        "indices[call.indices_base + place] = position;",
        "indices[call.indices_base + place] = select(position, position + call.first_index, position == NO_POSITION);",
      ],
      "elements come from the start of the data": [
        "let sorted = span.x + place % call.k;",
        "let sorted = place % call.k;",
      ],
      "places stand beside those of the next segment": [
        "span_of_segment(place / call.k, length)",
        "span_of_segment(place / (call.k + 1u), length)",
      ],
      "all items that there is room for count": [
        "let span = span_of_segment(place / call.k, length);",
        "let span = span_of_segment(place / call.k, call.length);",
      ],
    },
  },
);
