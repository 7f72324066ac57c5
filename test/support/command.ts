import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { resolve } from "node:path";
import process from "node:process";
import { expect } from "vitest";

export const program = resolve("dist/cli.js");

export interface Ended {
  status: number | null;
  stdout: string;
  stderr: string;
}

/** Runs the command in a folder, to its end. */
export function runIn(folder: string, args: readonly string[]): Ended {
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...args], {
    cwd: folder,
    encoding: "utf8",
  });
  return { status, stdout, stderr };
}

/** Runs the command bound to what files permit, which root is not. */
export function runBoundIn(folder: string, args: readonly string[]): Ended {
  const own = [process.execPath, program, ...args];
  const [command = "", ...rest] =
    process.getuid?.() === 0
      ? ["setpriv", "--bounding-set=-dac_override,-dac_read_search", "--inh-caps=-all", ...own]
      : own;
  const { status, stdout, stderr } = spawnSync(command, rest, { cwd: folder, encoding: "utf8" });
  return { status, stdout, stderr };
}

/** Runs what must fail: one line on stderr, nothing on stdout, and the folder as it was. */
export function failsIn(folder: string, message: RegExp, args: readonly string[]): void {
  const before = readdirSync(folder);
  const { status, stdout, stderr } = runIn(folder, args);
  expect(stderr).toMatch(message);
  expect(stderr).toMatch(/^wavefold: [^\n]+\n$/);
  expect(stdout).toBe("");
  expect(status).toBe(1);
  expect(readdirSync(folder)).toEqual(before);
}
