import { expect, test } from "vitest";
import { f32 } from "../../src/algebra/floats.ts";
import { u32 } from "../../src/algebra/integers.ts";
import { readWords, storageBuffer } from "../support/buffers.ts";
import { useFold } from "../support/fold.ts";

const fold = useFold();

test("at hand", async () => {
  const data = Float32Array.from({ length: 100 }, (_, at) => at / 100);
  expect(await fold().compact(data, { where: "x > limit", params: { limit: 0.95 } })).toEqual(
    await fold().compact(data, { where: "x > 0.95" }),
  );
  expect(await fold().compact(data, { where: "x > limit", params: { limit: 0.5 } })).toEqual(
    await fold().compact(data, { where: "x > 0.5" }),
  );
  expect(await fold().reduce(data, { map: "u32(x > limit) + more", type: u32, params: { limit: 0.5, more: [u32, 3] } })).toEqual(
    await fold().reduce(data, { map: "u32(x > 0.5) + 3", type: u32 }),
  );
});

test("recorded", async () => {
  const { device } = fold();
  const input = storageBuffer(device, new Uint32Array(Float32Array.of(0.1, 0.9, 0.4, 0.6).buffer));
  const outputs = [0, 1].map(() => storageBuffer(device, new Uint32Array(4)));
  const counts = [0, 1].map(() => storageBuffer(device, new Uint32Array(1)));
  const plan = await fold().prepareCompact({ type: f32, maxLength: 4, where: "x > limit", params: { limit: f32 } });
  const encoder = device.createCommandEncoder();
  plan.record(encoder, { input, output: outputs[0], count: counts[0], length: 4, params: { limit: 0.5 } });
  plan.record(encoder, { input, output: outputs[1], count: counts[1], length: 4, params: { limit: 0.2 } });
  device.queue.submit([encoder.finish()]);
  expect([...(await readWords(device, counts[0]))]).toEqual([2]);
  expect([...(await readWords(device, counts[1]))]).toEqual([3]);
});
