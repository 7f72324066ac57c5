import { chromiumMissing, launchChromium, serveFolder } from "../support/chromium.ts";
import { bundleSuite } from "./bundle.ts";
import { shareOf, testHost } from "./report.ts";
import { MAIN, SECOND_TAB, WORKER } from "./suite.ts";

// Node.js has the same compiler of WGSL, Tint, and is always there.
const share = shareOf("second", undefined);

testHost("Chromium", chromiumMissing, [MAIN, WORKER, SECOND_TAB], share, async (collector, ended, pages) => {
  const { folder, remove } = await bundleSuite("web", share);
  const server = await serveFolder(folder);
  const browser = await launchChromium();
  browser.on("disconnected", () => collector.end("the browser has ended"));
  try {
    const context = await browser.newContext();
    for (const scope of pages) {
      const page = await context.newPage();
      page.on("console", (message) => collector.line(message.text()));
      page.on("pageerror", (cause) => collector.line(String(cause)));
      page.on("crash", () => collector.end("a page crashed"));
      // The second page loads while the first one keeps the cores busy.
      await page.goto(`${server.url}${scope === SECOND_TAB ? "?second-tab" : ""}`, { timeout: 120_000 });
    }
    await ended;
  } finally {
    await browser.close();
    await server.close();
    await remove();
  }
});
