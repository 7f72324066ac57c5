import nodePath from "node:path";
import { expect, test } from "vitest";
import { chromePlaces } from "./chromium.ts";
import { denoBuild } from "./deno.ts";

test("Chrome is looked for where each system has it", () => {
  const windows = { PROGRAMFILES: "C:\\Program Files", LOCALAPPDATA: "C:\\Users\\me\\AppData\\Local" };
  expect(chromePlaces("win32", windows, nodePath.win32)).toEqual([
    "C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe",
    "C:\\Users\\me\\AppData\\Local\\Google\\Chrome\\Application\\chrome.exe",
  ]);
  expect(chromePlaces("darwin", { WAVEFOLD_CHROMIUM: "/my/chrome" })).toEqual([
    "/my/chrome",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
  ]);
  expect(chromePlaces("linux", { PATH: "/usr/bin:/opt" }, nodePath.posix)).toContain("/opt/chromium");
});

test("Deno's build is that of the system", () => {
  expect(denoBuild("win32", "arm64")).toBe("win32-arm64/deno.exe");
  expect(denoBuild("darwin", "x64")).toBe("darwin-x64/deno");
  expect(denoBuild("linux", "arm64")).toBe("linux-arm64-glibc/deno");
});
