import { expect, test } from "vitest";
import { u32 } from "../../src/algebra/integers.ts";
import { add } from "../../src/algebra/operators.ts";
import type { GpuArray, GpuView } from "../../src/node.ts";
import { openFold } from "../../src/node.ts";
import { adapter } from "../support/adapter.ts";
import { watched } from "../support/watched_device.ts";

test("whatever is destroyed is disposed of, too", async () => {
  // With those that the fold opened by itself: its device ends.
  const own = await openFold({ adapter });
  const lost = own.device.lost;
  const type = u32;
  const plans = {
    scan: await own.prepareScan({ type, op: add, maxLength: 9 }),
    reduce: await own.prepareReduce({ type, op: add, maxLength: 9 }),
    compact: await own.prepareCompact({ type, where: "x > 1u", maxLength: 9 }),
    partition: await own.preparePartition({ type, where: "x > 1u", maxLength: 9 }),
    sort: await own.prepareSort({ type, maxLength: 9 }),
  };
  const encoder = own.device.createCommandEncoder();
  for (const [name, plan] of Object.entries(plans)) {
    plan[Symbol.dispose]();
    const record = plan.record as (encoder: GPUCommandEncoder, ranges: object) => void;
    expect(() => record(encoder, { length: 0 }), name).toThrow(/destroyed/);
  }
  const array = await own.upload(Uint32Array.of(1));
  array[Symbol.dispose]();
  await expect(array.read()).rejects.toThrow(/destroyed/);
  own[Symbol.dispose]();
  expect((await lost).reason).toBe("destroyed");
});

test("`using` gives arrays, views, plans and folds back at the end of a block, also of one that throws", async () => {
  const { device, alive } = watched((await openFold({ adapter })).device);
  const given = Uint32Array.of(3, 1, 7);
  let left: { array: GpuArray; view: GpuView<Uint32Array> } | undefined;
  const run = async (fails: boolean): Promise<Uint32Array> => {
    using fold = await openFold({ device });
    using array = await fold.upload(given);
    using sums = await fold.scan(array);
    using view = await sums.view();
    using scan = await fold.prepareScan({ type: u32, op: add, maxLength: 9 });
    expect(scan.record).toBeTypeOf("function");
    left = { array, view };
    if (fails) {
      throw new RangeError("in the block");
    }
    return view.elements.slice();
  };
  for (const fails of [false, true]) {
    if (fails) {
      await expect(run(fails)).rejects.toThrow("in the block");
    } else {
      expect(await run(fails)).toEqual(Uint32Array.of(3, 4, 11));
    }
    expect(left?.array.isGone).toBe(true);
    expect(left?.view.elements.length).toBe(0);
    expect(alive()).toEqual([]);
  }
  device.destroy();
});
