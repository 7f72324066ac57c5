import { describe, expect, it, test } from "vitest";
import { valuesOf } from "../../src/algebra/array_values.ts";
import type { ScalarArray } from "../../src/algebra/arrays.ts";
import { elementTypes } from "../../src/algebra/element_types.ts";
import type { Scalar, TypeName } from "../../src/algebra/types.ts";
import type { Dtype } from "../../src/cli/dtypes.ts";
import { arrays, dtypes } from "../../src/cli/dtypes.ts";
import type { ElementSource } from "../../src/cli/npy.ts";
import { openElements, parseElements, parseFlags, readAll, readFlags } from "../../src/cli/npy.ts";
import { inputOf, npyBytes, npyHeaderText } from "../support/npy_bytes.ts";
import { randomBits } from "../support/random.ts";

const bits = randomBits("stored");
const pick = <T>(items: readonly T[]): T => items[bits() % items.length] as T;
const randomBytes = (length: number): Uint8Array => Uint8Array.from({ length }, bits);

// What numpy.save of NumPy 2.4 writes: the header, the data, and the elements in C order.
const files: readonly (readonly [header: string, data: string, elements: readonly Scalar[]])[] = [
  [
    `{'descr': '>f4', 'fortran_order': False, 'shape': (4,), }`,
    "3fc00000800000007f800000c0100000",
    [1.5, -0, Infinity, -2.25],
  ],
  [
    `{'descr': '>f8', 'fortran_order': False, 'shape': (2,), }`,
    "3fb999999999999afe37e43c8800759c",
    [0.1, -1e300],
  ],
  [`{'descr': '>f2', 'fortran_order': False, 'shape': (3,), }`, "3c00c1007bff", [1.0, -2.5, 65504.0]],
  [
    `{'descr': '>u4', 'fortran_order': False, 'shape': (3,), }`,
    "0000000180000000ffffffff",
    [1, 2147483648, 4294967295],
  ],
  [
    `{'descr': '>i4', 'fortran_order': False, 'shape': (3,), }`,
    "ffffffff8000000000000007",
    [-1, -2147483648, 7],
  ],
  [
    `{'descr': '>u8', 'fortran_order': False, 'shape': (3,), }`,
    "0000000000000001ffffffffffffffff0000010000000003",
    [1n, 18446744073709551615n, 1099511627779n],
  ],
  [
    `{'descr': '>i8', 'fortran_order': False, 'shape': (3,), }`,
    "ffffffffffffffff80000000000000000000000000000005",
    [-1n, -9223372036854775808n, 5n],
  ],
  [`{'descr': '>u2', 'fortran_order': False, 'shape': (3,), }`, "0001ffff0100", [1, 65535, 256]],
  [`{'descr': '>i2', 'fortran_order': False, 'shape': (3,), }`, "fffe7fff8000", [-2, 32767, -32768]],
  [`{'descr': '|b1', 'fortran_order': False, 'shape': (3,), }`, "010001", [1, 0, 1]],
  [`{'descr': '|u1', 'fortran_order': False, 'shape': (3,), }`, "00ff80", [0, 255, 128]],
  [`{'descr': '|i1', 'fortran_order': False, 'shape': (3,), }`, "807fff", [-128, 127, -1]],
  [`{'descr': '<u2', 'fortran_order': False, 'shape': (3,), }`, "0100ffff0001", [1, 65535, 256]],
  [`{'descr': '<i2', 'fortran_order': False, 'shape': (3,), }`, "feffff7f0080", [-2, 32767, -32768]],
  [
    `{'descr': '<i4', 'fortran_order': True, 'shape': (2, 3), }`,
    "fdffffff00000000feffffff01000000ffffffff02000000",
    [-3, -2, -1, 0, 1, 2],
  ],
  [
    `{'descr': '|u1', 'fortran_order': True, 'shape': (2, 3, 4), }`,
    "000c04100814010d05110915020e06120a16030f07130b17",
    [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23],
  ],
  [
    `{'descr': '<f8', 'fortran_order': True, 'shape': (3, 1, 4), }`,
    "000000000000000000000000000018400000000000002840000000000000f83f0000000000001e400000000000002b40000000000000084000000000000022400000000000002e40000000000000124000000000000025400000000000803040",
    [0.0, 1.5, 3.0, 4.5, 6.0, 7.5, 9.0, 10.5, 12.0, 13.5, 15.0, 16.5],
  ],
  [
    `{'descr': '<i2', 'fortran_order': True, 'shape': (2, 2, 2), }`,
    "fcff0000feff0200fdff0100ffff0300",
    [-4, -3, -2, -1, 0, 1, 2, 3],
  ],
  [
    `{'descr': '<u8', 'fortran_order': True, 'shape': (3, 2), }`,
    "00000000000000000000000004000000000000000800000000000000020000000000000006000000000000000a000000",
    [0n, 8589934592n, 17179869184n, 25769803776n, 34359738368n, 42949672960n],
  ],
  [`{'descr': '|b1', 'fortran_order': True, 'shape': (3, 2), }`, "010001000001", [1, 0, 0, 0, 1, 1]],
  [`{'descr': '<f4', 'fortran_order': False, 'shape': (0, 3), }`, "", []],
  [`{'descr': '|u1', 'fortran_order': True, 'shape': (3, 2), }`, "000102030405", [0, 3, 1, 4, 2, 5]],
  [
    `{'descr': '<i8', 'fortran_order': False, 'shape': (3,), }`,
    "000000000000000001000000000000000200000000000000",
    [0n, 1n, 2n],
  ],
  [`{'descr': '>u2', 'fortran_order': False, 'shape': (), }`, "0005", [5]],
];

/** The type that elements have to have, by their kind and bytes. */
const typeOf = (descr: string): TypeName =>
  (({ b1: "u32", u1: "u32", i1: "i32", u2: "u32", i2: "i32" }) as Record<string, TypeName>)[descr.slice(1)] ??
  (`${descr[1]}${8 * Number(descr[2])}` as TypeName);

const listOf = (data: ScalarArray, name: TypeName): Scalar[] => {
  const value = valuesOf(data, elementTypes[name]) as (index: number) => Scalar;
  return Array.from({ length: data.length }, (_, index) => value(index));
};

/** All elements of a source, in rooms of so many elements. */
async function inRooms(source: ElementSource, elements: number): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  for (let filled = -1; filled !== 0; ) {
    const room = new Uint8Array(elements * source.type.bytes).fill(0xa5);
    filled = await source.fill(room);
    pieces.push(room.subarray(0, filled));
  }
  return Buffer.concat(pieces);
}

describe("a file of NumPy's", () => {
  test.each(files)("%s is read", async (header, hex, elements) => {
    const bytes = npyBytes(header, Buffer.from(hex, "hex"));
    const [, descr = "", fortran = "", lengths = ""] =
      /'descr': '(.*?)', 'fortran_order': (\w+), 'shape': \((.*?)\)/.exec(header) ?? [];
    const shape = lengths.split(",").filter(Boolean).map(Number);
    const dtype = descr.replace(">", "<");
    const type = typeOf(descr);
    expect(["True", "False"]).toContain(fortran);

    const { data, ...parsed } = parseElements(bytes, "in.npy");
    expect(parsed).toEqual({ type: elementTypes[type], dtype, shape });
    expect(listOf(data, type)).toEqual(elements);

    // A file and a pipe.
    for (const isPipe of [false, true]) {
      const source = await openElements(inputOf(bytes, isPipe));
      expect(source).toMatchObject({ type: elementTypes[type], dtype, shape, size: data.byteLength });
      expect(await readAll(source, "in.npy")).toEqual(data);
      for (const room of [1, 2, 5, 100]) {
        const read = await inRooms(await openElements(inputOf(bytes, isPipe)), room);
        expect(Array.from(read)).toEqual([...new Uint8Array(data.buffer as ArrayBuffer)]);
      }
    }

    const flags = Uint8Array.from(elements, (one) => Number(Number(one) !== 0));
    expect(parseFlags(bytes, "in.npy")).toEqual({ flags, shape });
    expect(await readFlags(inputOf(bytes))).toEqual({ flags, shape });
  });

  const lengths = [1, 2, 3, 4, 5];
  const bytesAt = (bytes: Uint8Array, at: number, each: number): number[] => [
    ...bytes.subarray(at * each, (at + 1) * each),
  ];
  it("has each element of any array in Fortran order at its place, in either byte order", () => {
    for (let round = 0; round < 200; round++) {
      const dtype = pick(Object.keys(arrays) as Dtype[]);
      const each = arrays[dtype].BYTES_PER_ELEMENT;
      const shape = Array.from({ length: pick(lengths) }, () => pick(lengths));
      const length = shape.reduce((product, one) => product * one, 1);
      const data = randomBytes(length * each);
      const isBig = pick([true, false]) && each > 1;
      const descr = isBig ? dtype.replace("<", ">") : dtype;
      // Flags are read as they are stored; of elements, those that are not narrow are.
      const read = parseElements(npyBytes(npyHeaderText(descr, shape, true), data), "in.npy");
      const isNarrow = dtypes[read.type.name] !== dtype;
      const found = new Uint8Array(read.data.buffer as ArrayBuffer);
      for (let at = 0; at < length; at++) {
        // The indices of this place, the last one fastest; and the place where the first one is.
        let left = at;
        const indices = [...shape].reverse().map((size) => {
          const index = left % size;
          left = Math.floor(left / size);
          return index;
        });
        indices.reverse();
        let place = 0;
        for (let dimension = shape.length - 1; dimension >= 0; dimension--) {
          place = place * (shape[dimension] as number) + (indices[dimension] as number);
        }
        const stored = bytesAt(data, place, each);
        const expected = isBig ? stored.reverse() : stored;
        const element = bytesAt(found, at, read.type.bytes);
        if (isNarrow) {
          const value = new arrays[dtype](Uint8Array.from(expected).buffer)[0] as number;
          const own = read.data[at] as number;
          expect(own, `${descr} ${shape} at ${at}`).toBe(dtype === "|b1" ? Number(value !== 0) : value);
        } else {
          expect(element, `${descr} ${shape} at ${at}`).toEqual(expected);
        }
      }
    }
  });
});

describe("pieces", () => {
  const LENGTH = 200_000;
  /** The most that is read for the header. */
  const HEADER = 2 ** 16 + 12;

  test.each([["|u1"], ["|b1"], [">i2"], [">u4"], ["<u2"]])(
    "of %s are read one after another",
    async (descr) => {
      const each = Number(descr[2]);
      const bytes = npyBytes(npyHeaderText(descr, [LENGTH]), randomBytes(LENGTH * each));
      const whole = parseElements(bytes, "in.npy").data;
      const input = inputOf(bytes, true);
      const source = await openElements(input);
      expect(input.read).toBeLessThanOrEqual(HEADER);
      const room = new Uint8Array(4 * 100_000);
      expect(await source.fill(room)).toBe(room.length);
      expect(input.read).toBeLessThanOrEqual(Math.max(HEADER, bytes.length - 100_000 * each));
      expect(Buffer.compare(room, new Uint8Array(whole.buffer as ArrayBuffer, 0, room.length))).toBe(0);
      // The rest, and its end.
      expect(await source.fill(room)).toBe(room.length);
      expect(Buffer.compare(room, new Uint8Array(whole.buffer as ArrayBuffer, room.length))).toBe(0);
      expect(await source.fill(new Uint8Array(1))).toBe(0);
    },
  );

  test.each([["|u1"], [">i2"], [">f8"]])("of %s are told to be too few or too many", async (descr) => {
    const each = Number(descr[2]);
    for (const [more, message] of [
      [-1, /truncated: shape \(200000,\)/],
      [1, /has 1 byte too many behind the header/],
    ] as const) {
      const header = npyHeaderText(descr, [LENGTH]);
      const bytes = npyBytes(header, new Uint8Array(LENGTH * each + more));
      const call = openElements(inputOf(bytes, true)).then((source) => readAll(source, "in.npy"));
      await expect(call).rejects.toThrow(message);
    }
  });

  test("of an array in Fortran order come after all of it is read", async () => {
    const bytes = npyBytes(npyHeaderText(">u2", [1000, 100], true), randomBytes(200_000));
    const input = inputOf(bytes, true);
    const source = await openElements(input);
    expect(input.read).toBeLessThanOrEqual(HEADER);
    expect(await source.fill(new Uint8Array(40))).toBe(40);
    expect(input.read).toBe(bytes.length);
  });

  test.each<[Dtype, TypeName]>([
    ["|b1", "u32"],
    ["|u1", "u32"],
    ["|i1", "i32"],
    ["<u2", "u32"],
    ["<i2", "i32"],
    ["<f2", "f16"],
    ["<f8", "f64"],
  ])("of %s come without a header, too", async (dtype, type) => {
    const bytes = randomBytes(120 * arrays[dtype].BYTES_PER_ELEMENT);
    const { data } = parseElements(npyBytes(npyHeaderText(dtype, [120]), bytes), "in.npy");
    for (const isPipe of [false, true]) {
      const source = await openElements(inputOf(bytes, isPipe), dtype);
      expect(source).toMatchObject({ type: elementTypes[type], dtype, shape: undefined });
      expect(source.size).toBe(isPipe ? undefined : data.byteLength);
      expect(await readAll(source, "in.bin")).toEqual(data);
      expect(await inRooms(await openElements(inputOf(bytes, isPipe), dtype), 7)).toEqual(
        Buffer.from(data.buffer as ArrayBuffer),
      );
    }
    if (arrays[dtype].BYTES_PER_ELEMENT > 1) {
      const cut = bytes.subarray(1);
      const call = openElements(inputOf(cut, true), dtype).then((source) => readAll(source, "in.bin"));
      await expect(call).rejects.toThrow(
        /in the middle of an element: it holds \d+ bytes, and each \w+ takes/,
      );
    }
  });
});
