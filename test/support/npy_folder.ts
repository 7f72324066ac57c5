import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach } from "vitest";
import type { ScalarArray } from "../../src/algebra/arrays.ts";
import type { Scalar, ScalarType, TypeName } from "../../src/algebra/types.ts";
import { dumpElements, parseElements } from "../../src/cli/npy.ts";
import { SIMULATED } from "./adapter.ts";
import type { Ended } from "./command.ts";
import { runIn } from "./command.ts";

/** A command that says nothing and succeeds. */
export const done: Ended = { status: 0, stdout: "", stderr: "" };

/** A folder of .npy files for each test of a file, and the command on the simulated GPU in it. */
export interface NpyFolder {
  readonly path: string;
  put(name: string, type: ScalarType, data: ScalarArray, shape?: readonly number[]): void;
  fileOf(name: string): {
    readonly type: TypeName;
    readonly shape: readonly number[];
    readonly data: Scalar[];
  };
  run(...args: string[]): Ended;
}

/** Makes the folder before each test, and removes it after. */
export function useNpyFolder(): NpyFolder {
  let path = "";
  beforeEach(() => {
    path = mkdtempSync(join(tmpdir(), "wavefold-npy-"));
  });
  afterEach(() => {
    rmSync(path, { recursive: true, force: true });
  });
  return {
    get path() {
      return path;
    },
    put: (name, type, data, shape = [data.length]) =>
      writeFileSync(join(path, name), dumpElements({ type, data, shape: [...shape] })),
    fileOf(name) {
      const { type, shape, data } = parseElements(readFileSync(join(path, name)), name);
      return { type: type.name, shape, data: Array.from(data as ArrayLike<Scalar>) };
    },
    run: (...args) => runIn(path, [...args, ...SIMULATED]),
  };
}
