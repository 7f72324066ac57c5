import { join } from "node:path";
import process from "node:process";
import { bundleSuite } from "./bundle.ts";
import { runProgram } from "./process.ts";
import { testHost } from "./report.ts";
import { MAIN, WORKER } from "./suite.ts";

testHost("Node.js", undefined, [MAIN, WORKER], async (collector, ended) => {
  const { folder, remove } = await bundleSuite("node");
  try {
    await runProgram(process.execPath, [join(folder, "suite.mjs")], process.env, collector, ended);
  } finally {
    await remove();
  }
});
