import { existsSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { softwareFolder } from "../../src/gpu/adapters/software_adapter.ts";
import { swiftShaderMissing } from "./adapter.ts";

/** The binary itself: the package's own command is put in place by an install script, which may not have run. */
export const deno = fileURLToPath(
  new URL(`../../node_modules/@deno/${denoBuild(process.platform, process.arch)}`, import.meta.url),
);

/** Where a system's build of Deno is in its npm packages. */
export function denoBuild(platform: string, arch: string): string {
  return `${platform}-${arch}${platform === "linux" ? "-glibc" : ""}/deno${platform === "win32" ? ".exe" : ""}`;
}

/** Why Deno cannot be started here. */
export const denoMissing = existsSync(deno) ? undefined : "the npm package deno has no binary here";

/**
 * Mesa's lavapipe, a software adapter with `shader-f16`: the file that names it to a Vulkan loader. Not looked for in
 * the system's folders, where Dawn would find it too.
 */
const lavapipe = process.env.WAVEFOLD_LAVAPIPE || undefined;

/** Why Deno has no adapter with `shader-f16` here. */
export const lavapipeMissing =
  denoMissing ??
  swiftShaderMissing ??
  (lavapipe === undefined ? "WAVEFOLD_LAVAPIPE names no driver: scripts/lavapipe.sh unpacks one" : undefined);

/** The environment in which Deno runs on a software adapter; where SwiftShader is not built, on what it finds. */
export async function denoOn(driver: "swiftshader" | "lavapipe"): Promise<Record<string, string>> {
  if (swiftShaderMissing !== undefined) {
    return { DENO_NO_UPDATE_CHECK: "1" };
  }
  const folder = await softwareFolder();
  const isOwn = driver === "swiftshader" || lavapipe === undefined;
  return {
    DENO_NO_UPDATE_CHECK: "1",
    LD_LIBRARY_PATH: isOwn ? folder : `${folder}:${libraryFolder(lavapipe)}`,
    VK_ICD_FILENAMES: isOwn ? join(folder, "vk_swiftshader_icd.json") : lavapipe,
  };
}

/** Where a driver lies, and what was unpacked with it. */
function libraryFolder(icd: string): string {
  const { ICD } = JSON.parse(readFileSync(icd, "utf8")) as { ICD: { library_path: string } };
  return dirname(resolve(dirname(icd), ICD.library_path));
}
