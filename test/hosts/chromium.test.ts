import { chromiumMissing, launchChromium, serveFolder } from "../support/chromium.ts";
import { bundleSuite } from "./bundle.ts";
import { testHost } from "./report.ts";
import { MAIN, SECOND_TAB, WORKER } from "./suite.ts";

testHost("Chromium", chromiumMissing, [MAIN, WORKER, SECOND_TAB], async (collector, ended, pages) => {
  const { folder, remove } = await bundleSuite("web");
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
