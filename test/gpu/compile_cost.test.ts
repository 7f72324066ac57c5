import process from "node:process";
import { beforeAll, expect, test } from "vitest";
import { operator } from "../../src/algebra/custom_operator.ts";
import { u32 } from "../../src/algebra/integers.ts";
import { struct } from "../../src/algebra/struct.ts";
import { cpuSeconds } from "../support/cpu_seconds.ts";
import { useFold } from "../support/fold.ts";

// What a software adapter spends on compiling: what is compiled is up to us, and may grow with the element out of all measure.

const fold = useFold();

const letters = [..."abcdefghijklmnop"];
const type = struct({ name: "Sixteen", fields: Object.fromEntries(letters.map((one) => [one, u32])) });
const op = operator({
  name: "sum",
  type,
  identity: Object.fromEntries(letters.map((one) => [one, 0])),
  combine: `Sixteen(${letters.map((one) => `earlier.${one} + later.${one}`).join(", ")})`,
  reference: (earlier) => earlier,
});

/** The most memory that this process has held, in MB. */
const mostMegabytes = (): number => process.resourceUsage().maxRSS / 1024;

let atFirst = 0;
beforeAll(async () => {
  // What the first plan of a process loads, and what the driver does once, takes longer than a plan.
  const first = await fold().prepareScan({ type: u32, maxLength: 2 ** 16 });
  first.destroy();
  atFirst = mostMegabytes();
});

const single = { passes: "single", workGroupSize: 64, itemsPerThread: 4 } as const;

// What each takes alone, on a busy machine, CPU and memory beside what the process had; and what it took where a thread held its
// items in an array, the look-back was that of GPUs, and the driver set work-group memory to zero, a store for each word. In one
// process memory only grows.
const cases = [
  // 0.6 to 0.9 s and 120 MB; 17 to 23 s and 500 MB. With no more than the driver's stores, 4 s and 220 MB.
  { title: "by default", options: {}, seconds: 3, megabytes: 170 },
  // 1.7 to 1.9 s and 160 MB; 16 to 19 s and 770 MB.
  {
    title: "in a single pass, hillis-steele",
    options: { ...single, algorithm: "hillis-steele" },
    seconds: 5,
    megabytes: 330,
  },
  // 1.6 to 2.0 s and 160 MB; 14 to 19 s and 600 to 900 MB.
  {
    title: "in a single pass, subgroup",
    options: { ...single, algorithm: "subgroup" },
    seconds: 5,
    megabytes: 330,
  },
  // 1.9 to 2.7 s and 200 MB; 13 s and 690 MB.
  {
    title: "in a single pass, blelloch",
    options: { ...single, algorithm: "blelloch" },
    seconds: 6,
    megabytes: 330,
  },
] as const;
test.for(cases)(
  "an element of 64 bytes: a scan is prepared in seconds $title",
  async ({ options, seconds, megabytes }, { skip }) => {
    skip(!fold().software, "a GPU's driver compiles in another process, or in no time");
    const before = cpuSeconds();
    const scan = await fold().prepareScan({ type, op, maxLength: 2 ** 16, ...options });
    expect(cpuSeconds() - before).toBeLessThan(seconds);
    expect(mostMegabytes() - atFirst).toBeLessThan(megabytes);
    scan.destroy();
  },
);
