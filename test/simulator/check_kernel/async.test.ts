import { expect, test } from "vitest";
import { checkKernel, checkKernelAsync } from "../../../src/simulator/index.ts";

const RACE = `@group(0) @binding(0) var<storage, read_write> data: array<u32>;
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
  data[0] = subgroupAdd(id.x);
}`;

test("gives the same report", async () => {
  expect(await checkKernelAsync(RACE)).toEqual(checkKernel(RACE));
  expect(await checkKernelAsync(RACE, { runs: 3 })).toMatchObject({ runs: 3 });
});

test("lets other work go on between runs", async () => {
  let turns = 0;
  const timer = setInterval(() => turns++);
  await checkKernelAsync(RACE, { runs: 20 });
  clearInterval(timer);
  expect(turns).toBeGreaterThan(2);
});

test("ends with the reason of the signal, before the next run", async () => {
  const controller = new AbortController();
  const check = checkKernelAsync(RACE, { signal: controller.signal, runs: 1_000_000, seconds: 1000 });
  setTimeout(() => controller.abort(new Error("not wanted")));
  await expect(check).rejects.toThrow("not wanted");
  await expect(checkKernelAsync("no kernel", { signal: AbortSignal.abort(7) })).rejects.toBe(7);
});

test("takes no other signal, and checkKernel none", async () => {
  await expect(checkKernelAsync(RACE, { signal: {} as AbortSignal })).rejects.toThrow(
    "checkKernel: signal is [object Object]; it takes an AbortSignal",
  );
  await expect(checkKernelAsync(RACE, null as never)).rejects.toThrow("checkKernel: options is null");
  expect(() => checkKernel(RACE, { signal: AbortSignal.abort() } as never)).toThrow(
    "checkKernel takes no option signal; checkKernelAsync takes it",
  );
});
