import { serveFolder } from "../support/chromium.ts";
import { adapter } from "../support/fold.ts";
import { bundleSuite } from "./bundle.ts";
import { firefoxPath, launchFirefox } from "./firefox.ts";
import { testHost } from "./report.ts";
import { MAIN, SECOND_TAB, WORKER } from "./suite.ts";

const path = firefoxPath();
const missing = path === undefined ? "Firefox is not installed" : undefined;

testHost("Firefox", missing, [MAIN, WORKER, SECOND_TAB], async (collector, ended, pages) => {
  const { folder, remove } = await bundleSuite("web");
  const server = await serveFolder(folder);
  const browser = await launchFirefox(path ?? "firefox", adapter);
  browser.on("disconnected", () => collector.end("the browser has ended"));
  try {
    for (const scope of pages) {
      const page = await browser.newPage();
      page.on("console", (message) => collector.line(message.text()));
      page.on("pageerror", (cause) => collector.line(String(cause)));
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
