import { expect, test } from "vitest";
import { f32 } from "../../src/algebra/floats.ts";
import { u32 } from "../../src/algebra/integers.ts";
import { compactReference } from "../../src/reference/compact.ts";
import { partitionReference } from "../../src/reference/partition.ts";
import { readWords, storageBuffer, submit } from "../support/buffers.ts";
import { useFold } from "../support/fold.ts";
import { around } from "../support/lengths.ts";
import type { Subject } from "../support/mutations.ts";
import { testMutations } from "../support/mutations.ts";
import { pairs } from "../support/pairs.ts";
import { randomWords } from "../support/random.ts";

// Compactions and partitions by a condition and by flags together.

const fold = useFold();
const where = "(x + i) % 3u != 0u";
const keep = (x: number, i: number): boolean => ((x + i) >>> 0) % 3 !== 0;

/** Elements, and flags of which about half are set, in words of any bits. */
function drawn(length: number) {
  const data = randomWords(length, `data ${length}`);
  const flags = randomWords(length, `flags ${length}`).map((word) => (word % 2 === 0 ? 0 : word));
  return { data, flags };
}

/** Lengths take turns: each plan has the same tiles. */
const lengths = [0, 1, ...around(16), ...around(256), 600];
const rows = pairs({
  place: ["at hand", "on the GPU", "recorded"],
  indices: [false, true],
  primitive: ["compact", "partition"],
  before: [0, 3, 16],
  passes: [undefined, "single", "reduce-then-scan"],
}).flatMap((row, turn) =>
  [2 * turn, 2 * turn + 1].map((at) => ({ ...row, length: lengths[at % lengths.length] as number })),
);

test.each(rows)("$primitive of $length, $place, indices: $indices, $passes", async (row) => {
  const { length, place, indices, primitive, before, passes } = row;
  const { data, flags } = drawn(length);
  const options = {
    where,
    workGroupSize: 8,
    itemsPerThread: 2,
    indices,
    ...(passes && { passes: passes as "single" }),
  };
  const isWhole = primitive === "partition";
  const meant = isWhole
    ? partitionReference(data, keep, { flags, indices } as { indices: true })
    : { values: compactReference(data, keep, { flags, indices } as { indices: true }), count: -1 };
  const count = isWhole ? meant.count : meant.values.length;
  if (place === "recorded") {
    const { device } = fold();
    const plan = isWhole
      ? await fold().preparePartition({ ...options, type: u32, flags: true, maxLength: length })
      : await fold().prepareCompact({ ...options, type: u32, flags: true, maxLength: length });
    const behind = (words: Uint32Array) => ({
      buffer: storageBuffer(device, Uint32Array.of(...new Uint32Array(before), ...words)),
      offset: 4 * before,
    });
    const [output, counter] = [behind(new Uint32Array(length).fill(0xdead)), behind(Uint32Array.of(0xdead))];
    const ranges = { input: behind(data), flags: behind(flags), output, count: counter, length };
    submit(device, (encoder) => plan.record(encoder, ranges));
    expect((await readWords(device, counter.buffer))[before]).toBe(count);
    const found = (await readWords(device, output.buffer)).slice(before);
    expect(found.slice(0, meant.values.length)).toEqual(meant.values);
    expect(found.slice(meant.values.length).every((word) => word === 0xdead)).toBe(true);
    plan.destroy();
    return;
  }
  const isThere = place === "on the GPU";
  const given = isThere ? await fold().upload(data) : data;
  const marks = isThere ? await fold().upload(flags) : flags;
  const found = (await fold()[primitive as "compact"](given as Uint32Array, {
    ...options,
    flags: marks as Uint32Array,
  })) as unknown;
  const part = (isWhole ? (found as { values: unknown }).values : found) as Uint32Array;
  expect(isThere ? await (part as unknown as { read(): Promise<Uint32Array> }).read() : part).toEqual(
    meant.values,
  );
});

test("with a map, params and flags of any array; on the CPU, too", async () => {
  const data = Float32Array.of(1, 5, 9, 2, 8);
  const options = {
    where: "x > limit",
    params: { limit: 1.5 },
    map: "x + f32(i)",
    flags: [0, 1, true, 0, 1],
  };
  expect(await fold().compact(data, options as never)).toEqual(Float32Array.of(6, 11, 12));
  expect(compactReference(data, (x) => x > 1.5, { type: f32, flags: [0, 1, 1, 0, 1] })).toEqual(
    Float32Array.of(5, 9, 8),
  );
});

test("classes take no flags", async () => {
  await expect(
    fold().preparePartition({ type: u32, classes: 2, class: "x", flags: true, maxLength: 8 } as never),
  ).rejects.toThrow("partition<u32> takes flags or classes, and not both");
});

const kept: Subject = async function* (fold) {
  const { device } = fold;
  const { data, flags } = drawn(100);
  const plan = await fold.prepareCompact({ type: u32, where, flags: true, maxLength: 100 });
  const output = storageBuffer(device, new Uint32Array(100));
  const count = storageBuffer(device, new Uint32Array(1));
  const [input, marks] = [storageBuffer(device, data), storageBuffer(device, Uint32Array.of(0, ...flags))];
  submit(device, (encoder) =>
    plan.record(encoder, {
      input,
      flags: { buffer: marks, offset: 4 },
      output,
      count,
      length: 100,
      firstIndex: 7,
    }),
  );
  const meant = compactReference(data, (x, i) => keep(x, i + 7), { flags });
  const [found = 0] = await readWords(device, count);
  yield [(await readWords(device, output)).slice(0, found), meant];
  plan.destroy();
};

testMutations(
  fold,
  { kept },
  {
    kept: {
      "flags are not read": ["!= 0u && keep_value(", "!= 7u && keep_value("],
      "flags of the range before": ["call.flags_base + index] != 0u && k", "index] != 0u && k"],
      "either is enough": ["!= 0u && keep_value(", "!= 0u || keep_value("],
      "the condition counts from 0": [
        "keep_value(value_from_item(item), index + call.first_index);\n}",
        "keep_value(value_from_item(item), index);\n}",
      ],
    },
  },
);
