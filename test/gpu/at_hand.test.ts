import { describe, expect } from "vitest";
import { f16, f32 } from "../../src/algebra/floats.ts";
import { u32 } from "../../src/algebra/integers.ts";
import { struct } from "../../src/algebra/struct.ts";
import type { ElementType } from "../../src/algebra/types.ts";
import { ArgumentError, type Fold, openFold, WavefoldError } from "../../src/node.ts";
import { adapter, useSoftwareFold } from "../support/fold.ts";
import { rows, testInTurn } from "../support/rows.ts";

const test = testInTurn({ of: 12 });

const fold = useSoftwareFold();
const tuning = { workGroupSize: 4, itemsPerThread: 2 } as const;
const Pair = struct({ name: "Pair", fields: { a: u32, b: f32 } });

/** Calls on an array of each kind; `where` keeps everything. */
const calls: [string, (fold: Fold, data: never) => Promise<unknown>][] = [
  ["scan", (one, data) => one.scan(data)],
  ["scan, sizes chosen", (one, data) => one.scan(data, tuning)],
  ["reduce", (one, data) => one.reduce(data)],
  ["compact by a predicate", (one, data) => one.compact(data, { where: "true" })],
  [
    "compact by flags",
    (one, data: Uint32Array) => one.compact(data, { flags: new Uint32Array(data.length) }),
  ],
];

describe("an array that is transferred or becomes shorter during the call is refused", () => {
  const message = "the array was transferred or became shorter during the call";
  const arrays: [string, () => { readonly buffer: ArrayBufferLike }][] = [
    ["Uint32Array", () => new Uint32Array(1000).fill(1)],
    ["Int32Array", () => new Int32Array(1000).fill(1)],
    ["BigUint64Array", () => new BigUint64Array(1000).fill(1n)],
    ["a part of a Uint32Array", () => new Uint32Array(2000).fill(1).subarray(500, 1500)],
  ];
  for (const [at, [kind, make]] of arrays.entries()) {
    test.each(rows(calls, { of: 16, shift: at }))(`${kind}: %s`, async (_, call) => {
      const data = make();
      const pending = call(fold(), data as never);
      structuredClone(data.buffer, { transfer: [data.buffer as ArrayBuffer] });
      const error = await pending.then(
        (value) => value,
        (cause: unknown) => cause,
      );
      expect(error).toBeInstanceOf(ArgumentError);
      expect((error as Error).message).toContain(message);
      // The device is as good as new.
      expect(await fold().reduce(Uint32Array.of(1, 2, 3))).toBe(6);
    });
  }

  test("an array of structs", async () => {
    const pairs = Pair.from([{ a: 1, b: 2 }]);
    const pending = fold().compact(pairs, { where: "true" });
    structuredClone(pairs.buffer, { transfer: [pairs.buffer] });
    await expect(pending).rejects.toThrow(message);
  });

  test("a buffer that is resized", async ({ skip }) => {
    const Resizable = ArrayBuffer as unknown as new (bytes: number, options: object) => ArrayBuffer;
    const buffer = new Resizable(4000, { maxByteLength: 8000 });
    skip(!("resize" in buffer), "this runtime's buffers cannot be resized");
    const data = new Uint32Array(buffer).fill(1);
    const { resize } = buffer as unknown as { resize(bytes: number): void };
    const shrunk = fold().scan(data);
    resize.call(buffer, 400);
    await expect(shrunk).rejects.toThrow(message);
    // Of one that grows, what it held is taken.
    const grown = fold().scan(data);
    resize.call(buffer, 8000);
    expect(await grown).toEqual(Uint32Array.from({ length: 100 }, (_, at) => at + 1));
  });

  test("flags", async () => {
    const flags = new Uint32Array(1000);
    const pending = fold().compact(new Uint32Array(1000), { flags });
    structuredClone(flags.buffer, { transfer: [flags.buffer] });
    await expect(pending).rejects.toThrow("compact<u32>: 0 flags for 1000 elements");
  });
});

test("arrays over shared memory are copied", async () => {
  const shared = <A>(make: new (buffer: SharedArrayBuffer, offset: number, length: number) => A): A =>
    new make(new SharedArrayBuffer(64), 8, 3);
  const words = shared(Uint32Array);
  words.set([3, 1, 7]);
  expect(await fold().scan(words)).toEqual(Uint32Array.of(3, 4, 11));
  expect(await fold().scan(words, tuning)).toEqual(Uint32Array.of(3, 4, 11));
  expect(await fold().reduce(words)).toBe(11);
  expect(await fold().compact(words, { where: "x > 2" })).toEqual(Uint32Array.of(3, 7));
  const flags = shared(Uint32Array);
  flags[1] = 1;
  expect(await fold().compact(words, { flags })).toEqual(Uint32Array.of(1));
  const floats = shared(Float64Array);
  floats.set([0.5, 2, -1]);
  expect(await fold().scan(floats)).toEqual(Float64Array.of(0.5, 2.5, 1.5));
  if (fold().device.features.has("shader-f16")) {
    const halves = shared(Uint16Array);
    halves.fill(0x3c00);
    expect(await fold().scan(halves, { type: f16 })).toEqual(Uint16Array.of(0x3c00, 0x4000, 0x4200));
  }
});

describe("what the device refuses rejects the call", () => {
  /** A device whose buffers of this name lack the usage STORAGE, so that no dispatch can bind them. */
  const spoiled = (device: GPUDevice, name: string): GPUDevice =>
    new Proxy(device, {
      get(target, key) {
        if (key === "createBuffer") {
          return (descriptor: GPUBufferDescriptor) =>
            target.createBuffer(
              descriptor.label?.endsWith(name)
                ? { ...descriptor, usage: descriptor.usage & ~0x80 }
                : descriptor,
            );
        }
        const value: unknown = Reflect.get(target, key, target);
        return typeof value === "function" ? value.bind(target) : value;
      },
    });

  test.each(
    calls.flatMap(([title, call]) => ["input", "output"].map((name) => [title, name, call] as const)),
  )("%s: %s", async (_, name, call) => {
    const one = await openFold({ device: spoiled(fold().device, name) });
    for (const data of [new Uint32Array(3000).fill(1), new Int32Array(1000).fill(1)]) {
      const error = await call(one, data as never).then(
        (value) => value,
        (cause: unknown) => cause,
      );
      expect(error).toBeInstanceOf(WavefoldError);
      expect((error as Error).message).toMatch(/^(scan|reduce|compact)<.*>: the device refused/);
    }
  });

  test("calls at the same time do not take each other's errors", async () => {
    const good = fold();
    const bad = await openFold({ device: spoiled(good.device, "output") });
    const data = new Uint32Array(3000).fill(1);
    const results = await Promise.allSettled(
      Array.from({ length: 20 }, (_, at) => (at % 3 === 1 ? bad : good).reduce(data, at % 2 ? tuning : {})),
    );
    expect(results.map(({ status }) => status)).toEqual(
      results.map((_, at) => (at % 3 === 1 ? "rejected" : "fulfilled")),
    );
  });
});

test("what a prepared plan holds is refused when it is prepared", async () => {
  // Buffers of a usage that there is not.
  const { device } = fold();
  const wrong = new Proxy(device, {
    get(target, key) {
      if (key === "createBuffer") {
        return (descriptor: GPUBufferDescriptor) =>
          target.createBuffer({
            ...descriptor,
            usage: descriptor.label?.includes("scratch") ? 0x10000 : descriptor.usage,
          });
      }
      const value: unknown = Reflect.get(target, key, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
  const one = await openFold({ device: wrong });
  await expect(
    one.prepareScan({ type: u32 as ElementType<"u32">, maxLength: 1000, ...tuning }),
  ).rejects.toThrow(WavefoldError);
});

test("nothing reaches the device's own handler of errors", async () => {
  const one = await openFold({ adapter });
  const seen: string[] = [];
  one.device.addEventListener("uncapturederror", (event) => {
    seen.push((event as GPUUncapturedErrorEvent).error.message);
  });
  const data = new Uint32Array(3000).fill(1);
  const pending = one.scan(data);
  structuredClone(data.buffer, { transfer: [data.buffer] });
  await expect(pending).rejects.toThrow(ArgumentError);
  await one.reduce(Uint32Array.of(1));
  expect(seen).toEqual([]);
  one.destroy();
});
