import { describe, expect, it } from "vitest";
import { f16, f32 } from "../../src/algebra/floats.ts";
import { i32, u32 } from "../../src/algebra/integers.ts";
import type { Scalar, ScalarType } from "../../src/algebra/types.ts";
import { f64, i64, u64 } from "../../src/algebra/types_64.ts";
import type { Dtype } from "../../src/cli/dtypes.ts";
import { dtypes, named, rawDtypes } from "../../src/cli/dtypes.ts";
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
      dtype: "<i4",
      data: Int32Array.of(-1, 5),
      shape: [2],
    });
    expect(parseElements(npy("<f4", "(2,)", Float32Array.of(-0.5, Infinity)), "a.npy")).toEqual({
      type: f32,
      dtype: "<f4",
      data: Float32Array.of(-0.5, Infinity),
      shape: [2],
    });
    expect(parseElements(npy("<f2", "(1,)", Uint16Array.of(0x3c00)), "a.npy")).toEqual({
      type: f16,
      dtype: "<f2",
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
    ["an archive", Uint8Array.of(0x50, 0x4b, 3, 4), /zip archive .*the path of the archive/],
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
    ["f16", npy("<f16", "(1,)", new Float64Array(2)), /dtype is <f16; it takes \|b1 \|u1 .* <u8 <i8 <f8: /],
    ["c8", npy("<c8", "(1,)", new Float32Array(2)), /dtype is <c8; it takes \|b1/],
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
  const narrow = {
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
      expect(named(other, dtypes)).toEqual(
        /^[uif]8$/.test(other)
          ? { problem: expect.stringContaining(`write ${name} or <${other}.`) }
          : { name },
      );
    }
  });

  it.each(Object.entries(narrow))("%s is read in any spelling", (dtype, others) => {
    const length = 8 / Number(dtype[2]);
    for (const other of others.split(" ")) {
      const file = npy(other, `(${length},)`, data);
      expect(parseFlags(file, "f.npy").flags[0], other).toBe(1);
      const read = parseElements(file, "a.npy");
      expect(read).toMatchObject({ type: dtype[1] === "i" ? i32 : u32, dtype, shape: [length] });
      expect(Array.from(read.data as Uint32Array)).toEqual([1, ...Array(length - 1).fill(0)]);
      // Of elements without a header, the name says how wide they are.
      expect(rawDtypes[(named(other, rawDtypes) as { name: keyof typeof rawDtypes }).name], other).toBe(
        dtype,
      );
      expect(named(other, dtypes)).toHaveProperty("problem");
    }
  });

  it("of 8 bits is told from one of 64 by its name", () => {
    for (const [given, message] of [
      ["u8", "write u64, or uint8 for 8."],
      ["i8", "write i64, or int8 for 8."],
      ["f8", "write f64 or <f8."],
    ] as const) {
      expect(named(given, rawDtypes)).toEqual({ problem: expect.stringContaining(message) });
    }
  });

  it("of ours is a type on the command line, whatever NumPy calls by that name", () => {
    for (const name of ["u32", "i32", "f32", "f16", "u64", "i64", "f64"]) {
      expect(named(name, dtypes)).toEqual({ name });
    }
    expect(named(">u4", dtypes)).toEqual({
      problem: expect.stringMatching(/little-endian.*a\.astype\("<u4"\)/),
    });
    for (const other of ["u16", "uint8", ">u2", "<uint32", "l", "", "U4", "toString"]) {
      expect(named(other, dtypes)).toEqual({
        problem: expect.stringMatching(/^Allowed choices are u32, i32, .* uint32\.$/),
      });
    }
  });

  it.each([
    ["<f16", 'a.astype("<f8")'],
    ["longdouble", 'a.astype("<f8")'],
    ["l", 'a.astype("<i8")'],
    ["ulong", 'a.astype("<u8")'],
    ["<M8[ns]", 'a.astype("<i8")'],
    ["timedelta64[s]", 'a.astype("<i8")'],
    ["<U5", 'a.astype("<f8")'],
    ["|O", 'a.astype("<f8")'],
    [">M8[ns]", 'a.astype("<i8")'],
    [">c16", 'a.real.astype("<f8"), and a.imag.astype("<f8") in a file of its own'],
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
    const problem = (descr: string): string => {
      const header = Buffer.from(npy("", "(1,)", data))
        .toString("latin1")
        .replace("''", descr);
      const text = Buffer.from(header.replace(/ *(?=\n)/, ""), "latin1");
      text.writeUInt16LE(text.indexOf("\n") - 9, 8);
      try {
        return `${parseElements(text, "a.npy")}`;
      } catch (cause) {
        return (cause as Error).message;
      }
    };
    expect(problem("('<u4', (2,))")).toMatch(
      /its dtype is a tuple, of an array in each place; it takes \|b1 .* the end of the shape, as numpy\.save writes it$/,
    );
    expect(problem("[('x', '>u2'), ('y', '<f4')]")).toMatch(
      /with fields; .*: save one field alone, such as a\["x"\]$/,
    );
    expect(problem("[('x', '<M8[s]'), ('y', '<f4')]")).toMatch(/such as a\["x"\]\.astype\("<i8"\)$/);
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
    expect(parseElements(dumpElements(file), "a.npy")).toEqual({ ...file, dtype: "<f2" });
  });

  it.each([
    { type: u64, data: BigUint64Array.of(2n ** 64n - 1n, 5n), shape: [2] },
    { type: i64, data: BigInt64Array.of(-(2n ** 63n), 7n), shape: [2, 1] },
    { type: f64, data: Float64Array.of(0.1, -0, Infinity), shape: [3] },
  ])("round-trips $type.name", (file) => {
    expect(parseElements(dumpElements(file), "a.npy")).toEqual({ ...file, dtype: dtypes[file.type.name] });
  });

  it.each<[Dtype, ScalarType, Uint32Array | Int32Array, number[]]>([
    ["|b1", u32, Uint32Array.of(1, 0, 1), [1, 0, 1]],
    ["|u1", u32, Uint32Array.of(255, 0, 7), [255, 0, 7]],
    ["|i1", i32, Int32Array.of(-128, -1, 127), [128, 255, 127]],
    ["<u2", u32, Uint32Array.of(65535, 256, 1), [255, 255, 0, 1, 1, 0]],
    ["<i2", i32, Int32Array.of(-32768, -2, 1), [0, 128, 254, 255, 1, 0]],
  ])("writes %s", (dtype, type, data, bytes) => {
    const file = { type, dtype, data, shape: [3] };
    const written = dumpElements(file);
    expect(Array.from(written.subarray(-bytes.length))).toEqual(bytes);
    expect(Buffer.from(written).toString("latin1")).toContain(`{'descr':'${dtype}',`);
    expect(parseElements(written, "a.npy")).toEqual(file);
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
