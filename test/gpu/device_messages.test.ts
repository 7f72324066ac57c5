import { expect, test } from "vitest";
import { DeviceLostError, OutOfMemoryError } from "../../src/errors.ts";
import { contextOf } from "../../src/gpu/device/device.ts";
import { refusedError, roomError } from "../../src/gpu/device/device_errors.ts";
import { explain, requireDevice } from "../../src/gpu/device/lost.ts";

// Dawn ends some of its messages with the lines of its own code. No working adapter says such a thing, so a stand-in does.

const SAID = "vkQueueSubmit failed with VK_ERROR_DEVICE_LOST\n - While calling [Queue].Submit([...])";
const STACK =
  "\n    at CheckVk (/home/dawn/VulkanError.cpp:112)\n    at Submit (/home/dawn/QueueVk.cpp:230)\n";

/** A device that is lost, with a message. */
const lostDevice = (message: string): GPUDevice =>
  ({
    lost: Promise.resolve({ reason: "unknown", message }),
    limits: {},
    features: new Set(),
  }) as unknown as GPUDevice;

test.each([
  ["a stack", SAID + STACK, ` (${SAID})`],
  ["a line break at its end", `${SAID}\n`, ` (${SAID})`],
  ["one line", "it is gone", " (it is gone)"],
  ["nothing", "", ""],
])("a lost device whose message has %s", async (_, message, shown) => {
  const context = contextOf(lostDevice(message));
  const expected = `scan: the device was lost${shown}; open a new one`;
  const found = await explain(context, "scan", new Error("a failure that the loss caused"));
  expect(found).toBeInstanceOf(DeviceLostError);
  expect(found).toMatchObject({ message: expected, reason: "unknown" });
  expect(() => requireDevice(context, "scan")).toThrow(
    expect.objectContaining({ name: "DeviceLostError", message: expected }),
  );
});

test("what a device refuses or has no room for is told without a stack", () => {
  const failure = { message: SAID + STACK };
  expect(refusedError("scan", failure).message).toBe(`scan: the device refused it: ${SAID}`);
  const full = roomError("scan", 64, "scratch", failure);
  expect(full).toBeInstanceOf(OutOfMemoryError);
  expect(full.message).toBe(`scan: no room for 64 bytes (scratch): ${SAID}`);
});
