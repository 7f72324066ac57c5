import { describe, expect, test } from "vitest";
import type { AnyArray } from "../../src/algebra/arrays.ts";
import { arrayOver } from "../../src/algebra/arrays.ts";
import { f16, f32 } from "../../src/algebra/floats.ts";
import { i32, u32 } from "../../src/algebra/integers.ts";
import type { Operator } from "../../src/algebra/monoid.ts";
import { add, min, mul } from "../../src/algebra/operators.ts";
import type { ElementType } from "../../src/algebra/types.ts";
import { f64, u64 } from "../../src/algebra/types_64.ts";
import { matrix2x2 } from "../../src/monoids/index.ts";
import { ArgumentError, openFold } from "../../src/node.ts";
import { reduceReference } from "../../src/reference/reduce.ts";
import { scanReference } from "../../src/reference/scan.ts";
import { matrix } from "../look_back/operators.ts";
import { arrayBuffer, readWords, storageBuffer, submit } from "../support/buffers.ts";
import { expectSameBits } from "../support/compare.ts";
import { useFoldOfOneSize } from "../support/fold.ts";
import { affine } from "../support/operators.ts";
import { randomWords } from "../support/random.ts";
import { watched } from "../support/watched_device.ts";

// The two ends of a scan or a reduction: the value before the first element, and the range that the total goes to.

// Sums of f64 have the order that groupingOf gives.
const fold = useFoldOfOneSize();
const POISON = 0xdeadbeef;
const storage = (data: AnyArray): GPUBuffer => arrayBuffer(fold().device, data);

describe("parts of one array", () => {
  test("a total is the initial value of the next part", async () => {
    const { device } = fold();
    const data = randomWords(500, "parts");
    const options = { type: u32, op: affine, workGroupSize: 4, itemsPerThread: 2 } as const;
    for (const exclusive of [false, true]) {
      const scan = await fold().prepareScan({
        ...options,
        exclusive,
        maxLength: 200,
        initial: true,
        total: true,
      });
      const input = storage(data);
      const output = storageBuffer(device, new Uint32Array(500));
      const carries = [storageBuffer(device, new Uint32Array(4)), storageBuffer(device, new Uint32Array(4))];
      submit(device, (encoder) => {
        let start = 0;
        for (const [at, length] of [200, 1, 0, 190, 109].entries()) {
          const [from, to] = at % 2 === 0 ? [0, 1] : [1, 0];
          scan.record(encoder, {
            input: { buffer: input, offset: start * 4 },
            output: { buffer: output, offset: start * 4 },
            length,
            initial: at === 0 ? 0x10000 : (carries[from] as GPUBuffer),
            total: carries[to] as GPUBuffer,
          });
          start += length;
        }
      });
      const total = new Uint32Array(1);
      const whole = scanReference(data, { op: affine, exclusive, total });
      expectSameBits(await readWords(device, output), whole, "prefixes");
      expectSameBits((await readWords(device, carries[1] as GPUBuffer)).slice(0, 1), total, "total");
    }
  });

  test.each([
    [i32, min, Int32Array.of(3, -1, 7, -8, 2, 6)],
    [u64, mul, BigUint64Array.of(3n, 2n ** 40n, 7n, 2n ** 33n + 1n, 2n, 6n)],
    [f64, add, Float64Array.of(0.5, 0.25, 3, -8, 1.5, 2)],
    [matrix.type, matrix, matrix.type.over(Uint32Array.from({ length: 24 }, (_, at) => at).buffer)],
  ] as const)("an array that took a total is the initial value everywhere: %#", async (type, op, items) => {
    const options = { type, op } as { type: ElementType<string>; op: Operator<string> };
    const data = items as AnyArray;
    const part = (start: number, length: number): AnyArray => {
      const bytes = new Uint8Array(data.buffer, start * type.bytes, length * type.bytes).slice().buffer;
      return arrayOver(type, bytes);
    };
    const total = part(0, 1);
    const whole = scanReference(data, options as never) as AnyArray;
    const bytesOf = ({ buffer, byteOffset, byteLength }: AnyArray): Uint8Array =>
      new Uint8Array(buffer, byteOffset, byteLength);
    const expected = (start: number, length: number): Uint8Array =>
      bytesOf(whole).slice(start * type.bytes, (start + length) * type.bytes);
    const first = await fold().scan(part(0, 2), { ...options, total } as never);
    expect(bytesOf(first as AnyArray)).toEqual(expected(0, 2));
    // The same array takes the next total.
    const second = await fold().scan(part(2, 2), { ...options, initial: total, total } as never);
    expect(bytesOf(second as AnyArray)).toEqual(expected(2, 2));
    const rest = part(4, 2);
    const given = { ...options, initial: total } as never;
    const last = await fold().scan(rest, given);
    expect(bytesOf(last as AnyArray)).toEqual(expected(4, 2));
    expect(bytesOf(scanReference(rest, given) as AnyArray)).toEqual(expected(4, 2));
    const sum = await fold().reduce(rest, given);
    expect(sum).toEqual(reduceReference(rest, given));
    // On the GPU, recorded, and in a stream.
    const array = await fold().upload(rest, { type } as never);
    const prefixes = await fold().scan(array as never, given);
    expect(bytesOf((await (prefixes as { read(): Promise<AnyArray> }).read()) as AnyArray)).toEqual(
      expected(4, 2),
    );
    expect(await fold().reduceStream([rest] as never, given)).toEqual(sum);
  });

  test("bits of f16 in an array that took a total are read as f16", () => {
    const total = new Uint16Array(1);
    const bits = Uint16Array.of(0x3c00, 0x4000);
    scanReference(bits, { type: f16, total });
    const after = scanReference(bits, { type: f16, initial: total, exclusive: true });
    expect([...(after as Uint16Array)]).toEqual([0x4200, 0x4400]);
  });

  test("the total alone, and what an empty sum of f64 gives", async () => {
    for (const exclusive of [false, true]) {
      for (const [data, wanted] of [
        [[], 0],
        [[-0], -0],
        [[1.5, 2], 3.5],
      ] as const) {
        const total = Float64Array.of(9);
        await fold().scan(Float64Array.from(data), { exclusive, total });
        expectSameBits(total, Float64Array.of(wanted), `${data}`);
      }
    }
  });
});

test("-0 is 0 to integers", async () => {
  for (const numbers of [Int32Array.of(3, 1), Uint32Array.of(3, 1)]) {
    expect([...(await fold().scan(numbers, { initial: -0, exclusive: true } as never))]).toEqual([0, 3]);
    expect(Object.is(await fold().reduce(numbers, { initial: -0 } as never), 4)).toBe(true);
  }
});

test("an initial value of floats is the nearest value of their type", async () => {
  const none = new Float32Array(0);
  const nearest = Math.fround(0.1);
  expect(reduceReference(none, { initial: 0.1 })).toBe(nearest);
  expect(await fold().reduce(none, { initial: 0.1 })).toBe(nearest);
  const op = matrix2x2(f32);
  const initial = { a: 0.1, b: 2, c: 3, d: 4 };
  expect(reduceReference(op.type.array(0), { op, initial })).toEqual({ ...initial, a: nearest });
});

describe("bad input", () => {
  const data = Uint32Array.of(1, 2, 3);
  const refusal = async (call: Promise<unknown>): Promise<[string, string | undefined]> => {
    const cause = await call.then(
      () => new Error("it was taken"),
      (one: unknown) => one,
    );
    expect(cause).toBeInstanceOf(ArgumentError);
    return [(cause as Error).message, (cause as ArgumentError).option];
  };

  test.each([
    ["no value of the type", { initial: -1 }, "initial", /-1 is no value of u32; it wraps to 4294967295$/],
    ["a fraction", { initial: 1.5 }, "initial", /1.5 is no value of u32, which takes whole numbers$/],
    [
      "a total of another type",
      { initial: Float32Array.of(5) },
      "initial",
      /a Float32Array is no .*; array\[0\] gives the first/,
    ],
    [
      "an array of two elements",
      { initial: Uint32Array.of(5, 6) },
      "initial",
      /a Uint32Array is no .*; array\[0\] gives the first/,
    ],
    ["an array of none", { initial: new Uint32Array(0) }, "initial", /a Uint32Array is no /],
    [
      "a promise",
      { initial: Promise.resolve(1) },
      "initial",
      /a promise \(is an await missing\?\) is no value/,
    ],
    [
      "a promise of a total",
      { total: Promise.resolve(1) },
      "total",
      /total is a promise \(is an await missing/,
    ],
    ["a value of another kind", { initial: 1n }, "initial", /takes a number/],
    ["null", { initial: null }, "initial", /null is no value of u32/],
    ["a total of another type", { total: new Float32Array(1) }, "total", /total is Float32Array/],
    ["a total of two elements", { total: new Uint32Array(2) }, "total", /array of 1 element/],
    ["a total that is no array", { total: true }, "total", /total is true|total is Boolean/],
  ])("at hand: %s", async (_, options, option, message) => {
    const [text, named] = await refusal(fold().scan(data, options as object));
    expect(text).toMatch(message);
    expect(named).toBe(option);
    expect(() => scanReference(data, options as object)).toThrow(ArgumentError);
  });

  test.each([
    ["is the first of the result", 0, 0],
    ["is the last of the result", 3, 2],
  ])(
    "a total that %s is refused before anything is written, and one beside it is not",
    async (_, from, at) => {
      const all = Uint32Array.from({ length: 10 }, (_, at) => 100 + at);
      const into = all.subarray(from, from + data.length);
      const before = all.slice();
      const [text, named] = await refusal(
        fold().scan(data, { into, total: all.subarray(from + at, from + at + 1) }),
      );
      expect(text).toBe("scan: into and total overlap; they must be apart");
      expect(named).toBe("total");
      expect(all).toEqual(before);
      await fold().scan(data, { into, total: all.subarray(from + data.length, from + data.length + 1) });
      expect(all[from + data.length]).toBe(into.at(-1));
    },
  );

  test("a reduction has no total", async () => {
    const [text, named] = await refusal(fold().reduce(data, { total: new Uint32Array(1) } as object));
    expect(text).toMatch(/total/);
    expect(named).toBe("total");
  });

  test("recorded", async () => {
    const { device } = fold();
    const [message, option] = await refusal(
      fold().prepareScan({ type: u32, maxLength: 8, initial: 7 as never }),
    );
    expect(message).toMatch(/initial is 7; it takes true or false/);
    expect(option).toBe("initial");
    const sizes = { workGroupSize: 8, itemsPerThread: 4 } as const;
    const scan = await fold().prepareScan({ type: u32, maxLength: 8, initial: true, total: true, ...sizes });
    const plain = await fold().prepareScan({ type: u32, maxLength: 8, ...sizes });
    const make = (): GPUBuffer => storageBuffer(device, new Uint32Array(64).fill(POISON));
    const [input, output, sum] = [make(), make(), make()];
    const encoder = device.createCommandEncoder();
    const good = { input, output, length: 8, initial: 1, total: sum };
    const take = (ranges: object): unknown => {
      try {
        scan.record(encoder, ranges as typeof good);
      } catch (cause) {
        expect(cause).toBeInstanceOf(ArgumentError);
        return (cause as ArgumentError).option;
      }
      return "taken";
    };
    expect(take({ ...good, initial: undefined })).toBe("initial");
    expect(take({ ...good, initial: 1.5 })).toBe("initial");
    expect(take({ ...good, initial: { buffer: input, offset: 2 } })).toBe("initial");
    expect(take({ ...good, initial: { buffer: input, offset: 256 } })).toBe("initial");
    expect(take({ ...good, total: undefined })).toBe("total");
    expect(take({ ...good, total: { buffer: output, offset: 4 } })).toBe("total");
    // One dispatch would read it and write it.
    expect(take({ ...good, initial: { buffer: sum, offset: 0 } })).not.toBe("taken");
    expect(take({ ...good, initial: { buffer: output, offset: 128 } })).not.toBe("taken");
    for (const firstIndex of [-1, 1.5, 2 ** 32, "1"]) {
      expect(take({ ...good, firstIndex })).toBe("firstIndex");
    }
    expect(take(good)).toBe("taken");
    expect(() => plain.record(encoder, good)).toThrow(/initial/);
    await device.queue.onSubmittedWorkDone();
  });

  test("recorded with a value, nothing is made for it before each range was checked", async () => {
    const { device, made } = watched(fold().device);
    const own = await openFold({ device });
    const scan = await own.prepareScan({ type: u32, maxLength: 8, initial: true, total: true });
    const [input, output] = [storageBuffer(device, data), storageBuffer(device, data)];
    const before = made().length;
    const encoder = device.createCommandEncoder();
    const ranges = { input, output, length: 3, initial: 1 };
    expect(() => scan.record(encoder, ranges)).toThrow(/total is undefined/);
    expect(made().length).toBe(before);
    scan.destroy();
  });
});
