import { beforeAll, expect, test } from "vitest";
import { operator } from "../../src/algebra/custom_operator.ts";
import { u32 } from "../../src/algebra/integers.ts";
import { struct } from "../../src/algebra/struct.ts";
import { cpuSeconds } from "../support/cpu_seconds.ts";
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

beforeAll(async () => {
  // What the first plan of a process loads, and what the driver does once, takes longer than a plan.
  const first = await fold().prepareScan({ type: u32, maxLength: 2 ** 16 });
  first.destroy();
});

const single = { passes: "single", workGroupSize: 64, itemsPerThread: 4 } as const;

// What each takes, and what it took where a thread held its items in an array, the look-back was that of GPUs, and the driver set
// work-group memory to zero, a store for each word.
const cases = [
  // 0.6 to 0.9 s; 17 to 23 s. A machine that is busy with other programs took 3.5 s.
  { title: "by default", options: {}, seconds: 8 },
  // 1.6 to 2.0 s; 14 to 19 s.
  { title: "in a single pass", options: { ...single, algorithm: "subgroup" }, seconds: 10 },
] as const;
test.for(cases)(
  "an element of 64 bytes: a scan is prepared in seconds $title",
  async ({ options, seconds }, { skip }) => {
    skip(!fold().software, "a GPU's driver compiles in another process, or in no time");
    const before = cpuSeconds();
    const scan = await fold().prepareScan({ type, op, maxLength: 2 ** 16, ...options });
    expect(cpuSeconds() - before).toBeLessThan(seconds);
    scan.destroy();
  },
);
