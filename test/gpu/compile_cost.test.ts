import process from "node:process";
import { expect, test } from "vitest";
import { operator } from "../../src/algebra/custom_operator.ts";
import { u32 } from "../../src/algebra/integers.ts";
import { struct } from "../../src/algebra/struct.ts";
import { useSoftwareFold } from "../support/fold.ts";

// What a software adapter spends on compiling: what is compiled is up to us, and may grow with the element out of all measure.

const fold = useSoftwareFold();

const letters = [..."abcdefghijklmnop"];
const type = struct({ name: "Sixteen", fields: Object.fromEntries(letters.map((one) => [one, u32])) });
const op = operator({
  name: "sum",
  type,
  identity: Object.fromEntries(letters.map((one) => [one, 0])),
  combine: `Sixteen(${letters.map((one) => `earlier.${one} + later.${one}`).join(", ")})`,
  reference: (earlier) => earlier,
});

/** Seconds of all threads of this process. */
const cpuSeconds = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
};

// It takes 3 to 4.5 s, on a busy machine; kernels that hold items in arrays took 17 to 23 s.
test("an element of 64 bytes: a scan is prepared in seconds", async ({ skip }) => {
  skip(!fold().software, "a GPU's driver compiles in another process, or in no time");
  const before = cpuSeconds();
  const scan = await fold().prepareScan({ type, op, maxLength: 2 ** 16 });
  expect(cpuSeconds() - before).toBeLessThan(8);
  scan.destroy();
});
