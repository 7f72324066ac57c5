import { expect, test } from "vitest";
import { serveFolder } from "../support/chromium.ts";
import { denoMissing } from "../support/deno.ts";
import { adapter } from "../support/fold.ts";
import { bundleSuite } from "./bundle.ts";
import { firefoxPath, launchFirefox, problemOfFirefox, problemOfVersion } from "./firefox.ts";
import { shareOf, testHost } from "./report.ts";
import { MAIN, SECOND_TAB, WORKER } from "./suite.ts";

const path = firefoxPath();

test.each([
  ["Mozilla Firefox 140.5.0esr\n", "Firefox is 140, and its WebGPU works from 153 on"],
  ["Mozilla Firefox 153.0esr\n", undefined],
  ["Mozilla Firefox 160.0.1", undefined],
  ["", 'Firefox does not say its version: ""'],
])("%j runs the suite, or the reason is told", (text, problem) => {
  expect(problemOfVersion(text)).toBe(problem);
});

test("a Firefox that is not there, or does not start, is told", () => {
  expect(problemOfFirefox(undefined)).toBe("Firefox is not installed");
  expect(problemOfFirefox("/no/such/firefox")).toMatch(/^Firefox does not start: /);
});

const problem = problemOfFirefox(path);
// Deno has the same compiler of WGSL, naga.
const share = shareOf("second", denoMissing);

testHost("Firefox", problem, [MAIN, WORKER, SECOND_TAB], share, async (collector, ended, pages) => {
  const { folder, remove } = await bundleSuite("web", share);
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
