import { join } from "node:path";
import process from "node:process";
import { deno, denoMissing, denoOn, lavapipeMissing } from "../support/deno.ts";
import { adapter } from "../support/fold.ts";
import { bundleSuite } from "./bundle.ts";
import { firefoxPath, problemOfFirefox } from "./firefox.ts";
import { runProgram } from "./process.ts";
import type { Collector } from "./report.ts";
import { shareOf, testHost } from "./report.ts";
import { MAIN, SECOND_ADAPTER, WORKER } from "./suite.ts";

// Firefox has the same compiler of WGSL, naga.
const share = shareOf("first", problemOfFirefox(firefoxPath()));

async function runDeno(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  collector: Collector,
  ended: Promise<string>,
): Promise<void> {
  const { folder, remove } = await bundleSuite("web", share);
  try {
    await runProgram(
      deno,
      ["run", "--no-config", "-A", "--unstable-webgpu", join(folder, "suite.js"), ...args],
      { ...process.env, DENO_NO_UPDATE_CHECK: "1", ...env },
      collector,
      ended,
    );
  } finally {
    await remove();
  }
}

testHost("Deno", denoMissing, [MAIN, WORKER], share, async (collector, ended) =>
  runDeno([], adapter === "software" ? await denoOn("swiftshader") : {}, collector, ended),
);

// SwiftShader has no f16; a GPU that has it runs these cases with all the others.
if (adapter === "software") {
  testHost("Deno on lavapipe", lavapipeMissing, [SECOND_ADAPTER], share, async (collector, ended) =>
    runDeno([SECOND_ADAPTER], await denoOn("lavapipe"), collector, ended),
  );
}
