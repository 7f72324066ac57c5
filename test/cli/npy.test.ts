import { describe, expect, it } from "vitest";
import { f16, f32 } from "../../src/algebra/floats.ts";
import { i32, u32 } from "../../src/algebra/integers.ts";
import type { Scalar, ScalarType } from "../../src/algebra/types.ts";
import { f64, i64, u64 } from "../../src/algebra/types_64.ts";
import { typeNamed } from "../../src/cli/dtypes.ts";
import { formatValue } from "../../src/cli/format.ts";
import { dumpElements, parseElements, parseFlags } from "../../src/cli/npy.ts";

/** A `.npy` file's bytes, right or wrong as asked: nothing is checked. `pad` moves the data out of alignment. */
function npy(
  descr: string,
  shape: string,
  data: ArrayBufferView,
  {
    version = 1,
    fortran = false,
    pad = 0,
  }: { readonly version?: number; readonly fortran?: boolean; readonly pad?: number } = {},
): Uint8Array {
  const lengthBytes = version === 1 ? 2 : 4;
  const text = `{'descr': '${descr}', 'fortran_order': ${fortran ? "True" : "False"}, ${shape === "" ? "" : `'shape': ${shape}, `}}`;
  const fixed = 8 + lengthBytes;
  const end = Math.ceil((fixed + text.length + 1) / 64) * 64 + pad;
  const header = Buffer.alloc(end, " ");
  header.write("\x93NUMPY", "latin1");
  header[6] = version;
  header[7] = 0;
  header.writeUIntLE(end - fixed, 8, lengthBytes);
  header.write(text, fixed, "latin1");
  header[end - 1] = 10;
  return new Uint8Array(
    Buffer.concat([header, new Uint8Array(data.buffer, data.byteOffset, data.byteLength)]),
  );
}

const words = Uint32Array.of(3, 1, 7);

describe("parseElements", () => {
  it.each([1, 2, 3])("reads version %i", (version) => {
    const { type, data, shape } = parseElements(npy("<u4", "(3,)", words, { version }), "a.npy");
    expect(type).toBe(u32);
    expect(data).toEqual(words);
    expect(shape).toEqual([3]);
  });

  it("reads each element type", () => {
    expect(parseElements(npy("<i4", "(2,)", Int32Array.of(-1, 5)), "a.npy")).toEqual({
      type: i32,
      data: Int32Array.of(-1, 5),
      shape: [2],
    });
    expect(parseElements(npy("<f4", "(2,)", Float32Array.of(-0.5, Infinity)), "a.npy")).toEqual({
      type: f32,
      data: Float32Array.of(-0.5, Infinity),
      shape: [2],
    });
    expect(parseElements(npy("<f2", "(1,)", Uint16Array.of(0x3c00)), "a.npy")).toEqual({
      type: f16,
      data: Uint16Array.of(0x3c00),
      shape: [1],
    });
  });

  it.each([0, 1, 2, 3, 5])("reads data that lies %i bytes out of alignment", (pad) => {
    expect(parseElements(npy("<u4", "(3,)", words, { pad }), "a.npy").data).toEqual(words);
  });

  it("reads a view into a larger buffer", () => {
    const file = npy("<u4", "(3,)", words);
    const larger = new Uint8Array(file.length + 7);
    larger.set(file, 3);
    expect(parseElements(larger.subarray(3, 3 + file.length), "a.npy").data).toEqual(words);
  });

  it("reads no dimension, no elements and several dimensions", () => {
    expect(parseElements(npy("<u4", "()", Uint32Array.of(9)), "a.npy")).toMatchObject({ shape: [] });
    expect(parseElements(npy("<u4", "(0,)", new Uint32Array(0), { pad: 1 }), "a.npy").data).toEqual(
      new Uint32Array(0),
    );
    expect(parseElements(npy("<u4", "(3, 1)", words), "a.npy").shape).toEqual([3, 1]);
  });

  it("takes Fortran order where it means nothing", () => {
    expect(parseElements(npy("<u4", "(3,)", words, { fortran: true }), "a.npy").data).toEqual(words);
    expect(parseElements(npy("<u4", "(3, 1)", words, { fortran: true }), "a.npy").data).toEqual(words);
  });

  const whole = npy("<u4", "(3,)", words);
  it.each<[string, Uint8Array, RegExp]>([
    ["nothing", new Uint8Array(0), /a\.npy: the file is empty; it takes a \.npy file/],
    ["text", new TextEncoder().encode("hello, world"), /not a \.npy file; it takes one/],
    ["an archive", Uint8Array.of(0x50, 0x4b, 3, 4), /zip archive .*numpy\.save/],
    ["half a magic", whole.subarray(0, 4), /truncated in its header/],
    ["half a header", whole.subarray(0, 40), /truncated in its header/],
    ["version 4", npy("<u4", "(3,)", words, { version: 4 }), /version is 4\.0; it takes 1\.0, 2\.0 or 3\.0/],
    [
      "too little data",
      whole.subarray(0, whole.length - 1),
      /truncated: shape \(3,\) of <u4 takes 12 bytes of data, and it holds 11/,
    ],
    [
      "too much data",
      Uint8Array.of(...whole, 0, 0),
      /it has 2 bytes too many .* takes 12 bytes of data, and it holds 14/,
    ],
    [
      "big-endian",
      npy(">u4", "(3,)", words),
      /dtype is >u4, which is big-endian; it takes little-endian <u4/,
    ],
    [
      "Fortran order",
      npy("<u4", "(3, 2)", new Uint32Array(6), { fortran: true }),
      /Fortran order, with shape \(3, 2\); it takes C order/,
    ],
    ["f16", npy("<f16", "(1,)", new Float64Array(2)), /dtype is <f16; it takes <u4 <i4 <f4 <f2 <u8 <i8 <f8/],
    ["c8", npy("<c8", "(1,)", new Float32Array(2)), /dtype is <c8; it takes <u4/],
    ["bool", npy("|b1", "(1,)", new Uint8Array(1)), /dtype is \|b1; it takes <u4 <i4 <f4 <f2 <u8 <i8 <f8/],
    ["a header without shape", npy("<u4", "", words), /malformed: it has no 'shape'/],
    ["a negative shape", npy("<u4", "(-3,)", words), /malformed: it has no shape of whole numbers/],
  ])("rejects %s", (_, bytes, message) => {
    expect(() => parseElements(bytes, "a.npy")).toThrow(message);
  });
});

describe("a dtype", () => {
  // What numpy.dtype of NumPy 2.4 makes of each, on a 64-bit machine.
  const spellings = {
    "<u4": "u4 =u4 |u4 I =I <I |I uint32 uintc",
    "<i4": "i4 =i4 i =i <i int32 intc",
    "<f4": "f4 =f4 f <f float32 single",
    "<f2": "f2 =f2 e =e float16 half",
    "<u8": "u8 =u8 Q <Q uint64 ulonglong uint P",
    "<i8": "i8 =i8 q <q int64 longlong int intp p",
    "<f8": "f8 =f8 d <d float64 double float",
  };
  const flags = {
    "|b1": "b1 <b1 >b1 ? <? bool bool_",
    "|u1": "u1 =u1 >u1 B uint8 ubyte",
    "|i1": "i1 b int8 byte",
    "<u2": "u2 =u2 H <H uint16 ushort",
    "<i2": "i2 h short int16",
  };
  const data = Uint8Array.of(1, 0, 0, 0, 0, 0, 0, 0);

  it.each(Object.entries(spellings))("%s is read in any spelling of NumPy's", (dtype, others) => {
    const file = (descr: string) => npy(descr, `(${8 / Number(dtype[2])},)`, data);
    const expected = parseElements(file(dtype), "a.npy");
    for (const other of others.split(" ")) {
      expect(parseElements(file(other), "a.npy"), other).toEqual(expected);
      expect(parseFlags(file(other), "a.npy").flags[0], other).toBe(1);
      // On the command line, a name that means bits to others is refused.
      const { name } = expected.type;
      expect(typeNamed(other)).toEqual(
        /^[uif]8$/.test(other)
          ? { problem: expect.stringContaining(`write ${name} or <${other}.`) }
          : { type: name },
      );
    }
  });

  it.each(Object.entries(flags))("%s is read in any spelling, for flags", (dtype, others) => {
    for (const other of others.split(" ")) {
      const file = npy(other, `(${8 / Number(dtype[2])},)`, data);
      expect(parseFlags(file, "f.npy").flags[0], other).toBe(1);
      expect(() => parseElements(file, "a.npy")).toThrow(`its dtype is ${dtype}; it takes <u4`);
    }
  });

  it("of ours is a type on the command line, whatever NumPy calls by that name", () => {
    for (const name of ["u32", "i32", "f32", "f16", "u64", "i64", "f64"]) {
      expect(typeNamed(name)).toEqual({ type: name });
    }
    expect(typeNamed(">u4")).toEqual({ problem: expect.stringMatching(/little-endian.*a\.astype\("<u4"\)/) });
    for (const other of ["u16", "uint8", ">u2", "<uint32", "l", "", "U4", "toString"]) {
      expect(typeNamed(other)).toEqual({
        problem: expect.stringMatching(/^Allowed choices are u32, i32, .* uint32\.$/),
      });
    }
  });

  it.each([
    ["|b1", 'a.astype("<u4")'],
    ["|u1", 'a.astype("<u4")'],
    ["<u2", 'a.astype("<u4")'],
    [">u2", 'a.astype("<u4")'],
    ["|i1", 'a.astype("<i4")'],
    ["<i2", 'a.astype("<i4")'],
    [">i8", 'a.astype("<i8")'],
    [">f", 'a.astype("<f4")'],
    ["<f16", 'a.astype("<f8")'],
    ["longdouble", 'a.astype("<f8")'],
    ["l", 'a.astype("<i8")'],
    ["ulong", 'a.astype("<u8")'],
    ["<M8[ns]", 'a.astype("<i8")'],
    ["timedelta64[s]", 'a.astype("<i8")'],
    ["<U5", 'a.astype("<f8")'],
    ["|O", 'a.astype("<f8")'],
    ["<c8", 'a.real.astype("<f8"), and a.imag.astype("<f8") in a file of its own'],
    ["|V2", 'a.view("<f2"), or with another of these types, which its bytes are of'],
    ["|V16", 'a.view("<u4"), or with another of these types, which its bytes are of'],
    ["what", 'a.astype("<f8")'],
  ])("of %s is refused, with what to convert it to", (descr, cure) => {
    expect(() => parseElements(npy(descr, "(1,)", data), "a.npy")).toThrow(
      RegExp(
        `^a\\.npy: its dtype is .*; it takes .*: convert it with ${cure.replace(/[()[\].|]/g, "\\$&")}$`,
      ),
    );
  });

  it("that is no text is refused by what it is", () => {
    const problem = (
      descr: string,
      parse: (bytes: Uint8Array, name: string) => unknown = parseElements,
    ): string => {
      const header = Buffer.from(npy("", "(1,)", data))
        .toString("latin1")
        .replace("''", descr);
      const text = Buffer.from(header.replace(/ *(?=\n)/, ""), "latin1");
      text.writeUInt16LE(text.indexOf("\n") - 9, 8);
      try {
        return `${parse(text, "a.npy")}`;
      } catch (cause) {
        return (cause as Error).message;
      }
    };
    expect(problem("('<u4', (2,))")).toMatch(
      /its dtype is a tuple, of an array in each place; it takes <u4 .* the end of the shape, as numpy\.save writes it$/,
    );
    expect(problem("[('x', '<u2'), ('y', '<f4')]")).toMatch(
      /with fields; .*: save one field alone, such as a\["x"\]\.astype\("<u4"\)$/,
    );
    expect(problem("[('x', '<u2'), ('y', '<f4')]", parseFlags)).toMatch(/such as a\["x"\]$/);
    expect(problem("[('', '|V4'), (('title', 'y'), [('z', 'u4', (2,))])]")).toMatch(
      /such as a\["y"\]\["z"\]$/,
    );
    expect(problem("['<u4']")).toMatch(/malformed: its dtype \('descr'\) is no text, such as '<u4'/);
    expect(problem("None")).toMatch(/malformed: its dtype \('descr'\) is no text, such as '<u4'/);
  });
});

describe("parseFlags", () => {
  it.each<[string, Uint8Array]>([
    ["|b1", Uint8Array.of(1, 0, 1)],
    ["|u1", Uint8Array.of(255, 0, 1)],
    ["|i1", Uint8Array.of(255, 0, 1)],
    ["<u2", new Uint8Array(Uint16Array.of(256, 0, 1).buffer)],
    ["<i2", new Uint8Array(Int16Array.of(-1, 0, 1).buffer)],
    ["<f2", new Uint8Array(Uint16Array.of(0x7e00, 0x8000, 1).buffer)],
    ["<u4", new Uint8Array(Uint32Array.of(65536, 0, 1).buffer)],
    ["<i4", new Uint8Array(Int32Array.of(-1, 0, 1).buffer)],
    ["<f4", new Uint8Array(Float32Array.of(Number.NaN, -0, 0.5).buffer)],
    ["<f8", new Uint8Array(Float64Array.of(Number.NaN, -0, 5e-324).buffer)],
    ["<u8", new Uint8Array(BigUint64Array.of(2n ** 32n, 0n, 1n).buffer)],
    ["<i8", new Uint8Array(BigInt64Array.of(-1n, 0n, 1n).buffer)],
  ])("reads %s: what is not zero keeps", (descr, bytes) => {
    for (const pad of [0, 1]) {
      expect(parseFlags(npy(descr, "(3,)", bytes, { pad }), "f.npy").flags).toEqual(Uint8Array.of(1, 0, 1));
    }
  });

  it("rejects what is no flag", () => {
    expect(() => parseFlags(npy("<c8", "(1,)", new Float64Array(1)), "f.npy")).toThrow(
      /dtype is <c8; it takes \|b1/,
    );
  });
});

describe("dumpElements", () => {
  it.each([[[]], [[1]], [[1, 1, 1]]])("round-trips shape %j", (shape) => {
    const file = { type: f16, data: Uint16Array.of(0x7e00), shape };
    expect(parseElements(dumpElements(file), "a.npy")).toEqual(file);
  });

  it.each([
    { type: u64, data: BigUint64Array.of(2n ** 64n - 1n, 5n), shape: [2] },
    { type: i64, data: BigInt64Array.of(-(2n ** 63n), 7n), shape: [2, 1] },
    { type: f64, data: Float64Array.of(0.1, -0, Infinity), shape: [3] },
  ])("round-trips $type.name", (file) => {
    expect(parseElements(dumpElements(file), "a.npy")).toEqual(file);
  });

  it("writes the dtype and the order", () => {
    const text = Buffer.from(dumpElements({ type: f32, data: new Float32Array(6), shape: [2, 3] })).toString(
      "latin1",
    );
    expect(text).toContain("{'descr':'<f4','fortran_order':False,'shape':(2,3)}");
  });
});

describe("formatValue", () => {
  it.each([
    [f32, Math.fround(0.1), "0.1"],
    [f32, 4, "4.0"],
    [f32, 1e20, "1e+20"],
    [f32, Math.fround(1.5e-7), "1.5e-07"],
    [f32, -0, "-0.0"],
    [f32, 16777217, "16777216.0"],
    [f32, Infinity, "inf"],
    [f32, -Infinity, "-inf"],
    [f32, Number.NaN, "nan"],
    [f16, 0.0999755859375, "0.1"],
    [i32, -5, "-5"],
    [u32, 4294967295, "4294967295"],
    [u64, 2n ** 64n - 1n, "18446744073709551615"],
    [i64, -5n, "-5"],
    [f64, 0.1, "0.1"],
    [f64, 5e-324, "5e-324"],
    [f64, 1 / 3, "0.3333333333333333"],
  ] as [ScalarType, Scalar, string][])("prints a value of %o", (type, value, text) => {
    expect(formatValue(type.round(value), type)).toBe(text);
  });
});
