import { createRequire } from "node:module";
import { join } from "node:path";
import process from "node:process";
import { pathToFileURL } from "node:url";
import { AdapterError, MissingPackageError } from "./errors.ts";

export interface Dawn {
  create(flags: readonly string[]): GPU;
}

/** The package `webgpu`, beside this module or beside the program. @throws {MissingPackageError} @throws {AdapterError} if it cannot be loaded. */
export async function loadDawn(): Promise<Dawn> {
  for (const base of [import.meta.url, pathToFileURL(join(process.cwd(), "package.json")).href]) {
    let path: string;
    try {
      path = createRequire(base).resolve("webgpu");
    } catch {
      continue;
    }
    try {
      return (await import(pathToFileURL(path).href)) as Dawn;
    } catch (cause) {
      const why = cause instanceof Error ? cause.message : String(cause);
      throw Object.assign(
        new AdapterError(`openFold: the package webgpu, ${path}, cannot be loaded: ${why}`),
        {
          package: "webgpu",
        },
      );
    }
  }
  throw new MissingPackageError(
    "openFold: WebGPU in Node.js needs the package webgpu: npm install webgpu",
    "webgpu",
  );
}
