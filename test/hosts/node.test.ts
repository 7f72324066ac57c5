import { join } from "node:path";
import process from "node:process";
import { chromiumMissing } from "../support/chromium.ts";
import { bundleSuite } from "./bundle.ts";
import { runProgram } from "./process.ts";
import { shareOf, testHost } from "./report.ts";
import { MAIN, WORKER } from "./suite.ts";

// Chromium has the same compiler of WGSL, Tint.
const share = shareOf("first", chromiumMissing);

testHost("Node.js", undefined, [MAIN, WORKER], share, async (collector, ended) => {
  const { folder, remove } = await bundleSuite("node", share);
  try {
    await runProgram(process.execPath, [join(folder, "suite.mjs")], process.env, collector, ended);
  } finally {
    await remove();
  }
});
