import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** What leaves a process other than it was, or measures all of it. */
const OF_THE_PROCESS = [
  "vi.mock(",
  "vi.doMock(",
  "Object.assign(globalThis",
  "setFlagsFromString(",
  "process.memoryUsage(",
  "process.resourceUsage(",
];

/**
 * Whether a file of tests needs a process of its own in the quick tier: one that replaces modules or adds globals would hide faults
 * of the files after it, and one that measures memory would measure that of the files before it.
 */
export const needsOwnProcess = (text: string): boolean => OF_THE_PROCESS.some((one) => text.includes(one));

/** The files of tests that need processes of their own. */
export const filesApart = (): string[] =>
  readdirSync("test", { recursive: true, encoding: "utf8" })
    .map((name) => join("test", name).replaceAll("\\", "/"))
    .filter((name) => name.endsWith(".test.ts"))
    .filter((name) => needsOwnProcess(readFileSync(name, "utf8")))
    .sort();
