import { expect, test } from "vitest";
import { filesApart, needsOwnProcess } from "./apart.ts";

test("files that change their process, or measure it, have one of their own", () => {
  const apart = filesApart();
  // They replace modules, measure memory, take much of it, collect garbage, and add WebGPU's globals.
  expect(apart).toEqual(
    expect.arrayContaining([
      "test/cli/doctor_lost.test.ts",
      "test/errors.test.ts",
      "test/gpu/compile_cost.test.ts",
      "test/gpu/call_memory.test.ts",
      "test/gpu/memory.test.ts",
      "test/gpu/calls_on_gpu.test.ts",
      "test/kernels/validity.test.ts",
      "test/typegpu.test.ts",
    ]),
  );
  expect(apart).not.toContain("test/results/u32.test.ts");
  expect(needsOwnProcess('vi.spyOn(device, "createBuffer");')).toBe(false);
});
