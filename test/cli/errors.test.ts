import { expect, test } from "vitest";
import { oneLine } from "../../src/cli/errors.ts";

test("one line has what a device says, and not where in its own code", () => {
  const lost = new Error(
    "scan: the device was lost (vkQueueSubmit failed\n - While calling [Queue].Submit\n    at CheckVk (/home/dawn/VulkanError.cpp:112)\n); open a new one",
  );
  expect(oneLine(lost)).toBe(
    "scan: the device was lost (vkQueueSubmit failed - While calling [Queue].Submit ); open a new one",
  );
});
