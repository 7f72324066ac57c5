import { expect, test } from "vitest";
import { exactAdd } from "../../src/algebra/exact_add.ts";
import { f32 } from "../../src/algebra/floats.ts";
import { u64 } from "../../src/algebra/types_64.ts";
import { LimitError, openFold } from "../../src/node.ts";
import { useFold } from "../support/fold.ts";
import { watched } from "../support/watched_device.ts";

const fold = useFold();
const tuning = { passes: "single", workGroupSize: 1, itemsPerThread: 2 } as const;

test("a prepared scan whose scratch is larger than a buffer may be is refused", async () => {
  const { device, made } = watched(fold().device);
  const one = await openFold({ device });
  const { maxStorageBufferBindingSize, maxBufferSize } = device.limits;
  const most = Math.min(maxStorageBufferBindingSize, maxBufferSize);
  const maxLength = Math.floor(most / 8);
  const prepared = one.prepareScan({ type: u64, maxLength, ...tuning });
  await expect(prepared).rejects.toThrow(LimitError);
  await expect(prepared).rejects.toThrow(
    new RegExp(
      `^scan<u64, add>: in tiles of 1 \\* 2 items, maxLength ${maxLength} takes \\d+ bytes of scratch, and the device's limit is ${most}; it takes a larger workGroupSize or itemsPerThread, or a smaller maxLength$`,
    ),
  );
  expect(made()).toEqual([]);
});

test.each([false, true])("a scan in two passes names its tiles, reverse %s", async (reverse) => {
  const limits = { maxStorageBufferBindingSize: 65536, maxBufferSize: 65536 };
  const { device } = watched(fold().device, { limits });
  const one = await openFold({ device });
  // Totals of exact sums are longer than the items.
  const options = {
    op: exactAdd,
    reverse,
    passes: "reduce-then-scan",
    workGroupSize: 1,
    itemsPerThread: 2,
  } as const;
  const refusals = [
    one.prepareScan({ type: f32, maxLength: 16384, ...options }),
    one.scan(new Float32Array(16384), options),
  ];
  for (const refusal of refusals) {
    await expect(refusal).rejects.toThrow(LimitError);
    await expect(refusal).rejects.toThrow("scan<f32, exactAdd>: in tiles of 1 * 2 items, maxLength");
  }
});

test("a scan at hand whose scratch is larger than a buffer may be is refused", async () => {
  const limits = { maxStorageBufferBindingSize: 65536, maxBufferSize: 65536 };
  const { device, made } = watched(fold().device, { limits });
  const one = await openFold({ device });
  const scan = one.scan(new BigUint64Array(8192), tuning);
  await expect(scan).rejects.toThrow(LimitError);
  // It goes in pieces that leave room for whole vectors.
  await expect(scan).rejects.toThrow("maxLength 7680 takes");
  expect(made()).toEqual([]);
  // In larger tiles there is room.
  expect(
    await one.scan(new BigUint64Array(8192).fill(1n), { ...tuning, workGroupSize: 4, itemsPerThread: 8 }),
  ).toEqual(BigUint64Array.from({ length: 8192 }, (_, at) => BigInt(at + 1)));
});
