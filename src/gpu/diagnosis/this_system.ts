import { execFileSync } from "node:child_process";
import { closeSync, existsSync, openSync, readdirSync, readlinkSync, readSync, statSync } from "node:fs";
import { constants, release } from "node:os";
import process from "node:process";
import type { System } from "./system.ts";

const orUndefined = <T>(get: () => T): T | undefined => {
  try {
    return get();
  } catch {
    return undefined;
  }
};

/** The machine that this program runs on. */
export function thisSystem(): System {
  return {
    platform: process.platform,
    arch: process.arch,
    release: release(),
    env: process.env,
    read: (path, most) => orUndefined(() => read(path, most)),
    list: (path) => orUndefined(() => readdirSync(path).sort()) ?? [],
    exists: existsSync,
    linkOf: (path) => orUndefined(() => readlinkSync(path)),
    groupOf: (path) => orUndefined(() => statSync(path).gid),
    openProblem,
    loadProblem,
    linkedWith: (name) => orUndefined(() => linkedWith(name)) ?? { missing: [] },
  };
}

function read(path: string, most: number): Uint8Array {
  const file = openSync(path, "r");
  try {
    // Files below /proc and /sys have a size of 0, and end where reading ends.
    const parts: Uint8Array[] = [];
    for (let left = most; left > 0; ) {
      const part = new Uint8Array(Math.min(left, 65_536));
      const count = readSync(file, part);
      if (count === 0) {
        break;
      }
      parts.push(part.subarray(0, count));
      left -= count;
    }
    return Buffer.concat(parts);
  } finally {
    closeSync(file);
  }
}

function openProblem(path: string): string | undefined {
  try {
    closeSync(openSync(path, "r+"));
    return undefined;
  } catch (cause) {
    return (cause as NodeJS.ErrnoException).code ?? String(cause);
  }
}

/** glibc's RTLD_NODELETE, which Node.js does not name: drivers do not expect to be unloaded. */
const RTLD_NODELETE = 0x1000;

function loadProblem(path: string): string | undefined {
  const { RTLD_LAZY = 0x1 } = constants.dlopen as Record<string, number>;
  try {
    process.dlopen({ exports: {} }, path, RTLD_LAZY | RTLD_NODELETE);
    return undefined;
  } catch (cause) {
    const message = cause instanceof Error ? cause.message : String(cause);
    // The library is no Node.js module, which Node.js, Bun and Deno find out once the library is loaded.
    return /did not self-register|napi_register_module|register Node-API module/.test(message)
      ? undefined
      : message;
  }
}

/** With the variable `LD_TRACE_LOADED_OBJECTS`, glibc's linker lists what it would load, as ldd(1) does, and runs nothing. */
function linkedWith(name: string): ReturnType<System["linkedWith"]> {
  // Another linker runs the program, which may be one that does not know `--version`. It would then be here again.
  if (process.env.LD_TRACE_LOADED_OBJECTS) {
    return { missing: [] };
  }
  const env = { ...process.env, LD_TRACE_LOADED_OBJECTS: "1", LD_PRELOAD: name };
  const listed = execFileSync(process.execPath, ["--version"], {
    env,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
    timeout: 5000,
  });
  const found = [...listed.matchAll(/^\s*(\S+) => (not found|\S+)/gm)];
  return {
    path: found.find(([, one, path]) => one === name && path !== "not found")?.[2],
    missing: found.flatMap(([, one = "", path]) => (path === "not found" ? one : [])),
  };
}
