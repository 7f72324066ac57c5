import { describe, expect, it } from "vitest";
import { openBus, partNames } from "../../bench/bus.ts";
import { useFold } from "../support/fold.ts";

const fold = useFold();

/** Bytes that differ from their neighbours, and from what is as far away as a piece. */
const bytesOf = (count: number): Uint8Array => Uint8Array.from({ length: count }, (_, at) => (at * 37) % 251);

async function bytesWritten(
  source: () => { read(into: Uint8Array): Promise<void>; destroy(): void },
  count: number,
) {
  const bytes = new Uint8Array(count);
  const reader = source();
  await reader.read(bytes);
  reader.destroy();
  return bytes;
}

describe("openBus", () => {
  // Pieces of 256 bytes: less than one, one, as many as are under way, and more, the last of them short.
  it.each([
    [4, 4],
    [256, 256],
    [1024, 256],
    [1024, 1024],
    [3300, 4],
    [3300, 1300],
    [3300, 3300],
  ])("copies %i bytes there and %i back, again and again", async (there, back) => {
    const data = bytesOf(there);
    const into = new Uint8Array(back);
    const bus = await openBus(fold().device, data, into, 256);
    for (let round = 0; round < 2; round++) {
      into.fill(255);
      bus.clear();
      await bus.copy.prepare?.();
      await bus.copy.run();
      expect(into).toEqual(data.subarray(0, back));
      expect(await bytesWritten(bus.written, there)).toEqual(data);
    }
    bus.destroy();
  });

  it("takes its steps one by one, in any order, and copies right after them", async () => {
    const data = bytesOf(1000);
    const into = new Uint8Array(900);
    const bus = await openBus(fold().device, data, into, 256);
    const step = async (name: (typeof partNames)[number]): Promise<void> => {
      await bus.parts[name].prepare?.();
      await bus.parts[name].run();
    };
    for (const name of [...partNames, ...[...partNames].reverse()]) {
      await step(name);
    }
    await step("memcpyIn");
    await step("copyIn");
    // In one round of the staging, the steps after one another are a copy.
    expect(await bytesWritten(bus.written, 1000)).toEqual(data);
    await step("copyOut");
    into.fill(255);
    await step("memcpyOut");
    expect(into).toEqual(data.subarray(0, 900));
    into.fill(255);
    bus.clear();
    await bus.copy.prepare?.();
    await bus.copy.run();
    expect(into).toEqual(data.subarray(0, 900));
    bus.destroy();
  });
});
