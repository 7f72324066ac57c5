import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { softwareFolder } from "../../src/runtime/software.ts";

/** The binary itself: the package's own command is put in place by an install script, which may not have run. */
export const deno = fileURLToPath(new URL("../../node_modules/@deno/linux-x64-glibc/deno", import.meta.url));

/** Why Deno cannot be started here. */
export const denoMissing = existsSync(deno) ? undefined : "the npm package deno has no binary here";

const driverFolders = ["/usr/share/vulkan/icd.d", "/etc/vulkan/icd.d"];

/** Mesa's lavapipe, a software adapter with `shader-f16`, where the system has it. Dawn refuses its older versions. */
const lavapipe = driverFolders
  .filter((folder) => existsSync(folder))
  .flatMap((folder) => readdirSync(folder).map((name) => join(folder, name)))
  .find((path) => /\/lvp_icd\b.*\.json$/.test(path));

/** Why Deno has no adapter with `shader-f16` here. */
export const lavapipeMissing =
  denoMissing ?? (lavapipe === undefined ? "Mesa's lavapipe is not installed" : undefined);

/** The environment in which Deno runs on a software adapter. */
export async function denoOn(driver: "swiftshader" | "lavapipe"): Promise<Record<string, string>> {
  const folder = await softwareFolder();
  return {
    DENO_NO_UPDATE_CHECK: "1",
    LD_LIBRARY_PATH: folder,
    VK_ICD_FILENAMES: driver === "lavapipe" ? (lavapipe ?? "") : join(folder, "vk_swiftshader_icd.json"),
  };
}
