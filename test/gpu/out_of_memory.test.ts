import { describe, expect, test } from "vitest";
import { f32 } from "../../src/algebra/floats.ts";
import { u32 } from "../../src/algebra/integers.ts";
import { add, max } from "../../src/algebra/operators.ts";
import { contextOf } from "../../src/gpu/device/device.ts";
import { type Fold, OutOfMemoryError, openFold } from "../../src/node.ts";
import { adapter, useSoftwareFold } from "../support/fold.ts";

const fold = useSoftwareFold();
const tuning = { workGroupSize: 4, itemsPerThread: 2 } as const;
const data = Uint32Array.from({ length: 100 }, (_, index) => index);

/** A fold whose buffers are watched. */
interface Watched {
  readonly fold: Fold;
  /** The labels of the buffers that are not destroyed. */
  alive(): string[];
  /** How many buffers were made. */
  made(): number;
}

/**
 * The file's device; but a buffer whose label ends with `starved` asks for as many bytes as a buffer
 * may have, for which SwiftShader has no room: the error is the adapter's own.
 */
async function watch(starved?: string): Promise<Watched> {
  const { device } = fold();
  const alive = new Map<GPUBuffer, string>();
  let made = 0;
  const createBuffer = (descriptor: GPUBufferDescriptor): GPUBuffer => {
    const label = descriptor.label ?? "";
    const isStarved = starved !== undefined && label.endsWith(starved);
    const large = { ...descriptor, size: device.limits.maxBufferSize, mappedAtCreation: false };
    const refused = isStarved ? device.createBuffer(large) : undefined;
    // A buffer that is mapped when it is made has its bytes in this process: so many take seconds.
    const buffer =
      refused === undefined || descriptor.mappedAtCreation === true
        ? device.createBuffer(descriptor)
        : refused;
    made++;
    // A uniform belongs to the recordings that share it.
    if (descriptor.mappedAtCreation !== true) {
      alive.set(buffer, label);
    }
    const destroy = buffer.destroy.bind(buffer);
    buffer.destroy = () => {
      alive.delete(buffer);
      return destroy();
    };
    return buffer;
  };
  const watched = new Proxy(device, {
    get(target, name) {
      const value: unknown = name === "createBuffer" ? createBuffer : Reflect.get(target, name, target);
      return typeof value === "function" && name !== "createBuffer" ? value.bind(target) : value;
    },
  });
  return { fold: await openFold({ device: watched }), alive: () => [...alive.values()], made: () => made };
}

const failure = (promise: Promise<unknown>): Promise<Error> =>
  promise.then(
    () => new Error("it was fulfilled"),
    (cause: Error) => cause,
  );

/** The fold is as good as new: it computes, and nothing reaches the device's own error handler. */
async function expectItWorks(one: Fold): Promise<void> {
  expect(await one.reduce(data, { op: max, ...tuning })).toBe(99);
  const scan = await one.scan(data, tuning);
  expect(scan).toEqual(data.map((index) => (index * (index + 1)) / 2));
}

// A GPU may well have room for the largest buffer.
describe.skipIf(adapter === "gpu")("no room", () => {
  test("for an input of the largest size", async () => {
    const { fold: one, alive, made } = await watch();
    const bytes = fold().device.limits.maxBufferSize;
    // Zeros that are never touched: they take no memory of this process either.
    const large = new Float32Array(bytes / 4);
    const error = await failure(one.upload(large));
    expect(error).toBeInstanceOf(OutOfMemoryError);
    expect(error.name).toBe("OutOfMemoryError");
    const start = `upload<f32>: no room for ${bytes} bytes (wavefold upload<f32> array): `;
    expect(error.message.slice(0, start.length)).toBe(start);
    expect(error.message).toContain("OUT_OF_DEVICE_MEMORY");
    // Where that is in the device's own code says nothing to whoever reads it.
    expect(error.message).not.toMatch(/^\s+at /m);
    expect(made()).toBeGreaterThan(0);
    expect(alive()).toEqual([]);
    await expectItWorks(one);
  });

  test.each(["input", "output", "carry", "staging", "read-back"])(
    "for the %s of a call that goes in pieces",
    async (name) => {
      const { fold: one, alive } = await watch(name);
      Object.assign(contextOf(one.device).kept, { pieceBytes: 256, longBytes: 256 });
      const long = new Uint32Array(1000).fill(1);
      const calls: [string, Promise<Error>][] = [
        ["scan<u32, add>", failure(one.scan(long, tuning))],
        [
          "compact<u32>",
          name === "carry" ? failure(one.scan(long)) : failure(one.compact(long, { flags: long })),
        ],
      ];
      for (const [title, call] of calls) {
        const error = await call;
        expect(error).toBeInstanceOf(OutOfMemoryError);
        expect(error.message).toContain(name === "carry" ? "scan<u32, add>" : title);
        expect(error.message).toMatch(new RegExp(`no room for \\d+ bytes \\(wavefold .* ${name}\\): `));
      }
      expect(alive()).toEqual([]);
    },
  );

  // A plan for 100 items is for 256. In tiles of 8 they have a spine of 32, and that one of 4: totals, and what comes before each.
  const scanned: [string, number][] = [
    ["scratch: totals of level 0", 32 * 4],
    ["scratch: prefixes of level 0", 32 * 4],
    ["scratch: totals of level 1", 4 * 4],
    ["scratch: prefixes of level 1", 4 * 4],
    ["input", 400],
    ["output", 400],
    ["read-back", 400],
  ];
  test.each(scanned)("for a scan's %s", async (name, bytes) => {
    const { fold: one, alive, made } = await watch(name);
    const error = await failure(one.scan(data, tuning));
    expect(error).toBeInstanceOf(OutOfMemoryError);
    const start = `scan<u32, add>: no room for ${bytes} bytes (wavefold scan<u32, add> ${name}): `;
    expect(error.message.slice(0, start.length)).toBe(start);
    expect(made()).toBeGreaterThan(0);
    expect(alive()).toEqual([]);
  });

  // Nothing is chosen: 600 items are more than a tile.
  const plain: [string, number][] = [
    ["input", 2400],
    ["output", 2400],
    ["scratch: totals of level 0", 16],
    ["scratch: prefixes of level 0", 16],
    ["read-back", 2400],
  ];
  test.each(plain)("for a plain scan's %s", async (name, bytes) => {
    const { fold: one, alive, made } = await watch(name);
    const error = await failure(one.scan(new Uint32Array(600)));
    expect(error).toBeInstanceOf(OutOfMemoryError);
    const start = `scan<u32, add>: no room for ${bytes} bytes (wavefold scan<u32, add> ${name}): `;
    expect(error.message.slice(0, start.length)).toBe(start);
    expect(made()).toBeGreaterThan(0);
    expect(alive()).toEqual([]);
  });

  test.each(["flags", "count", "output", "read-back"])("for a compaction's %s", async (name) => {
    const { fold: one, alive } = await watch(name);
    const error = await failure(one.compact(data, { flags: data, ...tuning }));
    expect(error).toBeInstanceOf(OutOfMemoryError);
    expect(error.message).toMatch(/^compact<u32>: no room for \d+ bytes \(wavefold compact<u32> /);
    expect(error.message).toContain(name);
    expect(alive()).toEqual([]);
  });

  test("for what a prepared scan holds: the next one has room", async () => {
    const { fold: one, alive, made } = await watch("scan<f32, add> scratch: totals of level 1");
    const options = { type: f32, op: add, maxLength: 100, ...tuning };
    const error = await failure(one.prepareScan(options));
    expect(error).toBeInstanceOf(OutOfMemoryError);
    expect(error.message).toMatch(
      /^scan<f32, add>: no room for 8 bytes \(wavefold scan<f32, add> scratch: totals of level 1\): /,
    );
    expect(made()).toBe(2);
    expect(alive()).toEqual([]);
    const prepared = await one.prepareScan({ ...options, type: u32 });
    expect(alive()).toHaveLength(2);
    prepared.destroy();
    expect(alive()).toEqual([]);
    await expectItWorks(one);
  });
});
