import { expect, test } from "vitest";
import { timeShort, timeWrite } from "../../bench/round_trip.ts";
import type { Fold } from "../../src/node.ts";
import { useFold } from "../support/fold.ts";

const fold = useFold();
const pace = { warmUpMs: 0, least: 3, most: 3, milliseconds: 0 };

/** An object with other properties. */
const lying = <T extends object>(truth: T, lies: Record<string, unknown>): T =>
  new Proxy(truth, {
    get(target, name) {
      if (Object.hasOwn(lies, name)) {
        return lies[name as string];
      }
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });

test("a short call is timed beside a bare round trip", async () => {
  const times = await timeShort(fold(), pace, 77);
  expect(times.length).toBe(77);
  for (const { median, quartiles, runs } of [times.bare, times.scan, times.reduce]) {
    expect(runs).toBe(3);
    expect(median).toBeGreaterThan(0);
    expect(quartiles[0]).toBeLessThanOrEqual(median);
    expect(quartiles[1]).toBeGreaterThanOrEqual(median);
  }
});

test("a short scan that is wrong has no time", async () => {
  const scan = (data: Uint32Array, options: { into: Uint32Array }): Promise<Uint32Array> =>
    fold()
      .scan(data, { into: options.into })
      .then((made) => made.fill(1, 40, 41));
  await expect(timeShort(lying(fold(), { scan }) as Fold, pace, 77)).rejects.toThrow(
    /^a short scan is wrong: element 40 is 1, and the CPU has \d+$/,
  );
});

test("a short reduction that is wrong has no time", async () => {
  const reduce = async (): Promise<number> => 1;
  await expect(timeShort(lying(fold(), { reduce }) as Fold, pace, 77)).rejects.toThrow(
    /^a short reduction is wrong: /,
  );
});

test("a bare round trip that does not bring back what went there has no time", async () => {
  const { device } = fold();
  const queue = lying(device.queue, {
    writeBuffer: (buffer: GPUBuffer, at: number, data: Uint32Array<ArrayBuffer>) =>
      device.queue.writeBuffer(
        buffer,
        at,
        data.map((value, index) => (index === 3 ? ~value : value)),
      ),
  });
  await expect(
    timeShort(lying(fold(), { device: lying(device, { queue }) }) as Fold, pace, 77),
  ).rejects.toThrow(/^the bare round trip is wrong: element 3 is/);
});

test("writes by the queue are timed, and compared on every element", async () => {
  const { device } = fold();
  const { length, bytes, write, returned } = await timeWrite(device, 70_001, pace);
  expect({ length, bytes, runs: [write.runs, returned.runs] }).toEqual({
    length: 70_001,
    bytes: 280_004,
    runs: [3, 3],
  });
  expect(write.median).toBeGreaterThan(0);
  const queue = lying(device.queue, {
    writeBuffer: (buffer: GPUBuffer, at: number, data: Uint32Array<ArrayBuffer>) =>
      device.queue.writeBuffer(buffer, at, data, 0, 70_000),
  });
  await expect(timeWrite(lying(device, { queue }), 70_001, pace)).rejects.toThrow(
    /^what was written is wrong: element 70000 is 0/,
  );
});
