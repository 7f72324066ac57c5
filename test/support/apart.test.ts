import { expect, test } from "vitest";
import { filesApart, needsOwnProcess } from "./apart.ts";

test("files that change their process, or measure it, have one of their own", () => {
  const apart = filesApart();
  // They replace modules, and add WebGPU's globals.
  expect(apart).toEqual(
    expect.arrayContaining([
      "test/cli/doctor_lost.test.ts",
      "test/errors.test.ts",
      "test/gpu/tune_adapter.test.ts",
      "test/typegpu.test.ts",
    ]),
  );
  expect(apart).not.toContain("test/results/u32.test.ts");
  expect(needsOwnProcess('vi.spyOn(device, "createBuffer");')).toBe(false);
});
