// What the tests run on. It imports nothing of src/, so that the tests of the command need not load it.
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import process from "node:process";
import { beforeEach } from "vitest";

/**
 * `WAVEFOLD_TEST_ADAPTER=gpu` runs the tests on a GPU. Otherwise they run on a software adapter: SwiftShader on Linux x64,
 * WARP on Windows. macOS has none, so there they run on the GPU.
 */
export const adapter =
  process.env.WAVEFOLD_TEST_ADAPTER === "gpu" || process.platform === "darwin" ? "gpu" : "software";

/** Whether tests that take any adapter run on the simulator: unless `WAVEFOLD_TEST_ADAPTER` names another one. */
export const isSimulated = (process.env.WAVEFOLD_TEST_ADAPTER || "simulated") === "simulated";

/** The adapter of the tests of the command. They take a GPU only where there is nothing else. */
export const SOFTWARE = ["--adapter", process.platform === "darwin" ? "gpu" : "software"] as const;

/** The adapter of tests of the command that take any. */
export const SIMULATED = ["--adapter", "simulated"] as const;

/** Why what needs SwiftShader by itself cannot run here. */
export const swiftShaderMissing: string | undefined =
  process.platform === "linux" && process.arch === "x64"
    ? undefined
    : `SwiftShader is built for Linux x64, and this is ${process.platform} ${process.arch}`;

/** Why what needs these packages cannot run. Tests on a GPU may run where they are not installed. */
export const packagesMissing = (...names: readonly string[]): string | undefined => {
  const { resolve } = createRequire(import.meta.url);
  const isMissing = (name: string): boolean => {
    try {
      resolve(name);
      return false;
    } catch {
      return true;
    }
  };
  const missing = adapter === "gpu" ? names.filter(isMissing) : [];
  return missing.length > 0 ? `${missing.join(" and ")} are not installed` : undefined;
};

/** Skips all tests of a file, or of the `describe` around it, if there is a reason. */
export function skipAll(reason: string | undefined): void {
  beforeEach(({ skip }) => skip(reason !== undefined, reason));
}

/** Why there is no Unix shell, and nothing else of what Unix has: signals, permissions. */
export const unixMissing =
  process.platform === "win32" ? "it takes a Unix shell, signals or permissions" : undefined;

/** Skips all tests of a file, or of the `describe` around it, where there is no Unix. */
export const needsUnix = (): void => skipAll(unixMissing);

/** Why nothing can be written to a device that is full: macOS has none. */
export const fullDeviceMissing = existsSync("/dev/full") ? undefined : "there is no /dev/full here";
