import { existsSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { softwareFolder } from "../../src/runtime/software.ts";
import { adapter } from "../support/fold.ts";
import { bundleSuite } from "./bundle.ts";
import { runProgram } from "./process.ts";
import { testHost } from "./report.ts";
import { MAIN, WORKER } from "./suite.ts";

/** The binary itself: the package's own command is put in place by an install script, which may not have run. */
const deno = fileURLToPath(new URL("../../node_modules/@deno/linux-x64-glibc/deno", import.meta.url));
const missing = existsSync(deno) ? undefined : "the npm package deno has no binary here";

testHost("Deno", missing, [MAIN, WORKER], async (collector, ended) => {
  const { folder, remove } = await bundleSuite("web");
  try {
    await runProgram(
      deno,
      ["run", "--no-config", "-A", "--unstable-webgpu", join(folder, "suite.js")],
      { ...process.env, ...(adapter === "software" && (await softwareDriver())), DENO_NO_UPDATE_CHECK: "1" },
      collector,
      ended,
    );
  } finally {
    await remove();
  }
});

async function softwareDriver(): Promise<Record<string, string>> {
  const driver = await softwareFolder();
  return { LD_LIBRARY_PATH: driver, VK_ICD_FILENAMES: join(driver, "vk_swiftshader_icd.json") };
}
