import { describe, expect, test } from "vitest";
import type { AnyArray } from "../../src/algebra/arrays.ts";
import { arrayLike, arrayOver } from "../../src/algebra/arrays.ts";
import { operator } from "../../src/algebra/custom_operator.ts";
import { exactAdd } from "../../src/algebra/exact_add.ts";
import { f32 } from "../../src/algebra/floats.ts";
import { u32 } from "../../src/algebra/integers.ts";
import type { Operator } from "../../src/algebra/monoid.ts";
import { add } from "../../src/algebra/operators.ts";
import { struct } from "../../src/algebra/struct.ts";
import type { ElementType, Value } from "../../src/algebra/types.ts";
import { f64, u64 } from "../../src/algebra/types_64.ts";
import { contextOf } from "../../src/gpu/device/device.ts";
import { cutRows } from "../../src/gpu/streams/row_pieces.ts";
import { ArgumentError, type ArrayStream, type Fold, openFold } from "../../src/node.ts";
import { reduceReference } from "../../src/reference/reduce.ts";
import { scanReference } from "../../src/reference/scan.ts";
import { expectSameBits } from "../support/compare.ts";
import { untyped, useFold } from "../support/fold.ts";
import { useNullDevice } from "../support/null_device.ts";
import { affine } from "../support/operators.ts";
import { anyItems, randomBits } from "../support/random.ts";
import { type Watched, watched } from "../support/watched_device.ts";

// Rows of long arrays and of streams, which go piece by piece.

const fold = useFold();
const nullDevice = useNullDevice();

/** Bytes of a piece in these tests. A real one has 16 MiB. */
const PIECE = 96;
const sizes = { workGroupSize: 4, itemsPerThread: 4 } as const;
const Pair = struct({ name: "Pair", fields: { a: u32, b: u32 } });

/** A composition of x → a x + b, which does not commute. */
const pairs = operator({
  name: "pairs",
  type: Pair,
  identity: { a: 1, b: 0 },
  combine: "Pair(earlier.a * later.a, later.a * earlier.b + later.b)",
  reference: (earlier, later) => ({
    a: Math.imul(earlier.a, later.a) >>> 0,
    b: (Math.imul(later.a, earlier.b) + later.b) >>> 0,
  }),
});

/** A fold of its own on a device, with its buffers watched, and short pieces. */
async function foldOn(device: GPUDevice, pieceBytes = PIECE): Promise<Watched & { readonly one: Fold }> {
  const own = watched(device);
  const one = await openFold({ device: own.device });
  Object.assign(contextOf(own.device).kept, { pieceBytes, longBytes: pieceBytes });
  return { ...own, one };
}

const rejection = (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => new Error("it was taken"),
    (cause: unknown) => cause,
  );

interface Row {
  readonly title: string;
  readonly type: ElementType;
  readonly op: Operator<string>;
  readonly initial: Value;
  readonly items?: (length: number) => AnyArray;
  readonly more?: object;
  /** The bytes of an item that comes in, if they are others. */
  readonly fromBytes?: number;
  /** Whether Wavefold chooses the sizes. */
  readonly isPlanned?: boolean;
  /** The options of the reference. */
  readonly like?: object;
}

const table: readonly Row[] = [
  { title: "an operator that does not commute", type: u32, op: untyped(affine), initial: 0x80030005 },
  {
    title: "as all segments, in a single pass",
    type: u32,
    op: untyped(affine),
    initial: 7,
    more: { passes: "single" },
    isPlanned: true,
  },
  {
    title: "sizes that Wavefold chooses",
    type: u32,
    op: untyped(affine),
    initial: 7,
    isPlanned: true,
  },
  {
    title: "structs",
    type: Pair,
    op: untyped(pairs),
    initial: { a: 3, b: 5 } as unknown as Value,
    items: (length) =>
      Pair.over(Uint32Array.from({ length: 2 * length }, randomBits(`pairs ${length}`)).buffer) as never,
  },
  {
    // Every sum is exact, whatever the order; a row of −0 alone has another sum than 0.
    title: "f64 add",
    type: f64,
    op: untyped(add),
    initial: 0.5,
    items: (length) => {
      const next = randomBits(`f64 ${length}`);
      return Float64Array.from({ length }, (_, at) => (at < 50 ? -0 : next() * 2 ** 10));
    },
  },
  {
    title: "to a longer type, with the index in the whole array",
    type: u64,
    op: untyped(add),
    initial: 3n,
    items: (length) => anyItems("u32", length, "wide") as Uint32Array,
    fromBytes: 4,
    more: { from: u32, map: "vec2<u32>(x, i)" },
    like: { map: (x: number, i: number) => (BigInt(i) << 32n) + BigInt(x) },
  },
  { title: "exact sums", type: f32, op: untyped(exactAdd), initial: 2 ** -20, items: magnitudes },
];

function magnitudes(length: number): AnyArray {
  const next = randomBits(`f32 ${length}`);
  return Float32Array.from({ length }, () => (next() / 2 ** 32 - 0.5) * 2 ** (next() % 40));
}

/** Columns beside the number of items that a piece has: rows that fit it, one that fills it, and longer ones. */
const columnsFor = (items: number): number[] => [1, 3, items, items + 1, 3 * items + 2];

/** The parts that an array is divided into. */
function chunksOf(data: AnyArray, lengths: readonly number[]): ReadableStream<AnyArray> {
  let at = 0;
  let turn = 0;
  return new ReadableStream({
    pull(controller) {
      const next = Math.min(data.length, at + (lengths[turn++ % lengths.length] as number));
      const { buffer, byteOffset, byteLength } = data;
      const bytes = byteLength / data.length;
      const own = new Uint8Array(buffer as ArrayBuffer, byteOffset + at * bytes, (next - at) * bytes);
      controller.enqueue(arrayLike(data, own.slice().buffer));
      at = next;
      if (at === data.length) {
        controller.close();
      }
    },
  });
}

async function joined(type: ElementType, from: ReadableStream<AnyArray>): Promise<AnyArray> {
  const parts: Uint8Array[] = [];
  for await (const { buffer, byteOffset, byteLength } of from) {
    parts.push(new Uint8Array(buffer as ArrayBuffer, byteOffset, byteLength));
  }
  const { buffer } = Uint8Array.from(Buffer.concat(parts));
  return arrayOver(type, buffer);
}

describe("every element is the reference's", () => {
  test.for(table)("$title", async (row) => {
    const { type, op, initial: before, items, more, like, fromBytes = type.bytes, isPlanned } = row;
    const { one, alive } = await foldOn(fold().device);
    const pieceItems = 2 * Math.floor(PIECE / Math.max(type.bytes, fromBytes) / 2);
    for (const [turn, columns] of columnsFor(pieceItems).entries()) {
      // Each width is once inclusive or exclusive, and every other pair starts from a value.
      const exclusive = turn % 2 === 1;
      const length = columns * (Math.ceil((4 * pieceItems) / columns) + (exclusive ? 0 : 3));
      const data = items?.(length) ?? anyItems(type.name as never, length, `rows ${length}`);
      const initial = turn % 4 < 2 ? before : undefined;
      const folded = { op, type, ...(initial !== undefined && { initial }), segments: { rows: columns } };
      const given = { ...folded, ...more, ...(!isPlanned && sizes) };
      const expected = scanReference(data, { ...folded, ...like, exclusive } as never) as AnyArray;
      const title = `rows of ${columns}, ${length} items, exclusive ${exclusive}, from ${String(initial)}`;
      expectSameBits(
        (await one.scan(data, { ...given, exclusive } as never)) as unknown as AnyArray,
        expected,
        title,
      );
      const reversed = { ...folded, exclusive: !exclusive, reverse: true };
      const suffixes = scanReference(data, { ...reversed, ...like } as never) as AnyArray;
      const found: unknown = await one.scan(data, { ...given, ...reversed } as never);
      expectSameBits(found as AnyArray, suffixes, `from the end, ${title}`);
      expectSameBits(
        (await one.reduce(data, given as never)) as unknown as AnyArray,
        reduceReference(data, { ...folded, ...like } as never) as unknown as AnyArray,
        `totals of ${title}`,
      );
      const chunks = chunksOf(data, [5, 1, pieceItems, 0, 3 * pieceItems + 1]);
      const scan: unknown = one.scanStream({ ...given, exclusive } as never);
      const results = chunks.pipeThrough(scan as ArrayStream<AnyArray, AnyArray>);
      expectSameBits(await joined(type, results), expected, `stream of ${title}`);
      const reduction: unknown = one.reduceStream(given as never);
      const totals = chunksOf(data, [5, 1, pieceItems, 0, 3 * pieceItems + 1]).pipeThrough(
        reduction as ArrayStream<AnyArray, AnyArray>,
      );
      expectSameBits(
        await joined(type, totals),
        reduceReference(data, { ...folded, ...like } as never) as unknown as AnyArray,
        `stream of totals of ${title}`,
      );
      if (fromBytes === type.bytes) {
        expect(await one.scan(data, { ...given, exclusive, into: data } as never)).toBe(data);
        expectSameBits(data, expected, `in place, ${title}`);
      }
    }
    one.destroy();
    expect(alive().filter((label) => label.startsWith("wavefold"))).toEqual([]);
  });
});

test("a stream of no rows has no totals, and what a reduction gives is no more than it must be", async () => {
  const { one } = await foldOn(fold().device);
  for (const columns of [3, 500]) {
    const none = chunksOf(new Uint32Array(0), [1]).pipeThrough(
      one.reduceStream({ type: u32, segments: { rows: columns } }) as never as ArrayStream<
        AnyArray,
        AnyArray
      >,
    );
    expect((await joined(u32, none)).length).toBe(0);
    const { readable, writable } = one.reduceStream({ type: u32, segments: { rows: columns } });
    const writer = writable.getWriter();
    const reader = readable.getReader();
    // A row is there as soon as the piece is that it ends with.
    const first = reader.read();
    const writing = rejection(writer.write(new Uint32Array(1000).fill(1)));
    expect([...new Set((await first).value)]).toEqual([columns]);
    await reader.cancel(new Error("it is enough"));
    expect(((await writing) as Error).message).toBe("it is enough");
  }
  one.destroy();
});

test("what long rows take does not grow with their number", async () => {
  const { one, made } = await foldOn(nullDevice());
  const columns = 1000;
  for (const length of [4000, 40_000]) {
    const before = made().length;
    await one.scan(new Uint32Array(length), { segments: { rows: columns } });
    await one.reduce(new Uint32Array(length), { segments: { rows: columns } });
    if (length > 4000) {
      expect(made().slice(before)).toEqual([]);
    }
  }
  one.destroy();
});

describe("how pieces are cut", () => {
  test.each([
    [1, 24],
    [5, 24],
    [24, 24],
    [25, 24],
    [48, 24],
    [100, 24],
  ])("rows of %i, pieces of at most %i", (columns, most) => {
    const cut = cutRows(columns, most);
    expect(cut.isWhole).toBe(columns <= most);
    expect(cut.most).toBeLessThanOrEqual(most);
    let first = 0;
    for (let piece = 0; piece < 30; piece++) {
      expect(cut.firstOf(piece)).toBe(first);
      expect(cut.starts(piece)).toBe(first % columns === 0);
      const items = cut.itemsOf(piece);
      expect(items).toBeGreaterThan(0);
      expect(items).toBeLessThanOrEqual(cut.most);
      // A piece has whole rows, or items of one row.
      const lastRow = Math.floor((first + items - 1) / columns);
      expect(cut.isWhole ? items % columns : lastRow - Math.floor(first / columns)).toBe(0);
      first += items;
      expect(cut.ends(piece)).toBe(first % columns === 0);
    }
  });
});

describe("what is wrong", () => {
  const refused = async (call: Promise<unknown>, message: RegExp): Promise<void> => {
    const error = await rejection(call);
    expect(error).toBeInstanceOf(ArgumentError);
    expect((error as Error).message).toMatch(message);
    expect((error as ArgumentError).option).toBe("segments");
  };

  test("a stream that ends within a row", async () => {
    const { one } = await foldOn(nullDevice());
    for (const [columns, call] of [5, 200].flatMap((columns) =>
      (["scanStream", "reduceStream"] as const).map((call) => [columns, call] as const),
    )) {
      const { readable, writable } = (one[call] as Fold["scanStream"])({
        type: u32,
        segments: { rows: columns },
      });
      const writer = writable.getWriter();
      const read = rejection(
        (async () => {
          for await (const _ of readable as never as AsyncIterable<unknown>);
        })(),
      );
      await writer.write(new Uint32Array(207));
      await refused(
        writer.close(),
        new RegExp(`${call}: the stream ends after 207 items, and its rows of ${columns} do not divide`),
      );
      expect(((await read) as Error).message).toMatch(/the stream ends after 207 items/);
    }
    one.destroy();
  });

  test("segments of a stream that are no rows, or no segments of a stream", async () => {
    const { one } = await foldOn(nullDevice());
    const failing = (segments: unknown): Promise<unknown> =>
      one
        .scanStream({ type: u32, segments } as never)
        .writable.getWriter()
        .closed.then(() => undefined);
    await refused(failing({ heads: [1] }), /segments is \{ heads \}; it takes \{ rows \}: other segments/);
    await refused(failing({ columns: 3 }), /segments is \{ columns \}; it takes \{ rows \}/);
    await refused(failing({ rows: 0 }), /segments is rows: 0; it takes a whole number from 1 to 2\^32 - 2/);
    await refused(failing({ rows: 3, heads: [] }), /segments is \{ rows, heads \}/);
    const source = async function* (): AsyncGenerator<Uint32Array> {};
    await refused(
      one.reduceStream(source() as never, { type: u32, segments: { rows: 3 } } as never),
      /with segments there are many totals, which come as a stream: source\.pipeThrough\(fold\.reduceStream/,
    );
    const reducing = one.reduceStream({
      type: u32,
      segments: { heads: [1] },
    } as never) as unknown as ArrayStream<Uint32Array, Uint32Array>;
    await refused(
      reducing.writable.getWriter().closed.then(() => undefined),
      /reduceStream: segments is \{ heads \}; it takes \{ rows \}/,
    );
    const noSource = await rejection(one.reduceStream({ type: u32 } as never, undefined as never));
    expect((noSource as Error).message).toMatch(
      /reduceStream: source is \[object Object\]; it takes a ReadableStream/,
    );
    one.destroy();
  });

  test("a long array that rows do not divide, and options", async () => {
    const { one, made } = await foldOn(nullDevice());
    const data = new Uint32Array(1000);
    const before = made().length;
    await refused(
      one.scan(data, { segments: { rows: 7 } }),
      /rows of 7 items do not divide the 1000 items of the array/,
    );
    for (const [wrong, message] of [
      [{ initial: -1 }, /initial: -1 is no value of u32/],
      [{ op: "add" }, /op is "add"; it takes an operator itself, such as add/],
      [{ total: new Uint32Array(1) }, /with segments there is no total of all/],
    ] as const) {
      const error = await rejection(one.scan(data, { segments: { rows: 10 }, ...wrong } as never));
      expect(error).toBeInstanceOf(ArgumentError);
      expect((error as Error).message).toMatch(message);
    }
    expect(made().slice(before)).toEqual([]);
    one.destroy();
  });
});
