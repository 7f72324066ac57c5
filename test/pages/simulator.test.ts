import { cp, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { skipAll } from "../support/adapter.ts";
import { chromiumMissing, launchChromium, serveFolder } from "../support/chromium.ts";

skipAll(chromiumMissing);

const page = `<!doctype html><meta charset="utf-8"><title>empty</title><script type="module">
import { openFold } from "./dist/index.js";
import { simulatedGpu } from "./dist/simulator.js";
try {
  const gpu = simulatedGpu({ subgroupSize: 8 });
  const fold = await openFold({ adapter: await gpu.requestAdapter() });
  const scan = await fold.scan(Uint32Array.of(3, 1, 7));
  const { device } = fold;
  device.pushErrorScope("validation");
  const buffer = device.createBuffer({ size: 8, usage: 0, mappedAtCreation: true });
  const range = buffer.getMappedRange();
  buffer.unmap();
  const error = await device.popErrorScope();
  const told = new Promise((resolve) => {
    device.onuncapturederror = (event) => {
      event.preventDefault();
      resolve(event.error instanceof GPUValidationError);
    };
  });
  device.createBuffer({ size: 8, usage: 0 });
  document.title = [scan, error instanceof GPUValidationError, range.byteLength, await told, gpu.findings.length].join(" ");
} catch (cause) {
  document.title = cause.name + ": " + cause.message;
}
</script>`;

test("the simulator runs in a browser, and its errors are of the browser's classes", async () => {
  const folder = await mkdtemp(join(tmpdir(), "wavefold-simulator-"));
  await cp("dist", join(folder, "dist"), { recursive: true });
  await writeFile(join(folder, "index.html"), page);
  const [browser, server] = await Promise.all([launchChromium(), serveFolder(folder)]);
  try {
    const tab = await browser.newPage();
    await tab.goto(server.url);
    await tab.waitForFunction("document.title !== 'empty'", undefined, { timeout: 60_000 });
    expect(await tab.title()).toBe("3,4,11 true 0 true 0");
  } finally {
    await browser.close();
    await server.close();
    await rm(folder, { recursive: true });
  }
});
