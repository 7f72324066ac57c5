import { spawnSync } from "node:child_process";
import process from "node:process";
import { pathToFileURL } from "node:url";
import { expect } from "vitest";
import { adapter } from "./support/fold.ts";
import { testInTurn } from "./support/rows.ts";

// Dawn's object may be collected after `destroy()`. While other threads still compile, that ends the process, or it never ends.
const source = `
import { openFold, u32 } from ${JSON.stringify(pathToFileURL("dist/node.js").href)};

const open = () => openFold({ adapter: ${JSON.stringify(adapter)} });
const after = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));
async function leave(round) {
  const fold = await open();
  const plans = [16, 32, 64].flatMap((workGroupSize) =>
    [2, 4].map((itemsPerThread) =>
      fold.prepareScan({ type: u32, maxLength: 1000, workGroupSize, itemsPerThread }).catch(() => {}),
    ),
  );
  await after(5 * round);
  fold.destroy();
  return plans;
}
for (let round = 0; round < 3; round++) {
  const plans = await leave(round);
  for (let turn = 0; turn < 5; turn++) {
    gc();
    await after(2);
  }
  await Promise.all(plans);
}
const fold = await open();
console.log((await fold.scan(Uint32Array.of(3, 1, 7))).join(" "));
fold.destroy();
`;

const it = testInTurn({ of: 4 });

it("a fold may be destroyed while its plans compile, and another one opened", () => {
  const { status, signal, stdout, stderr } = spawnSync(
    process.execPath,
    ["--expose-gc", "--input-type=module", "--eval", source],
    { encoding: "utf8", timeout: 120_000 },
  );
  expect({ status, signal, stdout }, stderr).toEqual({ status: 0, signal: null, stdout: "3 4 11\n" });
}, 150_000);
