import type { Fold } from "../src/index.ts";
import { openFold } from "../src/index.ts";
import { byId, html, messageOf } from "./dom.ts";

/** Why a browser gives no GPU, and what a person can do about it. */
async function reasonsFor(cause: unknown): Promise<readonly string[]> {
  if (!isSecureContext) {
    return [
      "This page came over an insecure connection, and browsers allow WebGPU on secure pages only.",
      "Open the page with https:// in its address. If you serve it yourself, open it from localhost.",
    ];
  }
  if (navigator.gpu === undefined) {
    return [
      "This browser has no WebGPU, or it is switched off.",
      "Chrome and Edge have WebGPU from version 113 on, and on Android from 121. Safari has it from version 26 on, on Macs, iPhones and iPads. Firefox has it from version 141 on Windows, and from 145 on Macs with Apple silicon.",
    ];
  }
  if ((await navigator.gpu.requestAdapter()) === null) {
    return [
      "This browser has WebGPU, but it found no GPU that it may use.",
      "See whether hardware acceleration is switched on in the browser’s settings. In Chrome and Edge, chrome://gpu says why a GPU is blocked; in Firefox, about:support does. On Linux, Chrome may need the flag “Unsafe WebGPU Support” of chrome://flags.",
    ];
  }
  return [messageOf(cause)];
}

/** Opens the browser's GPU; or says in the page's notice why there is none, and what still works. */
export async function openGpu(without: string): Promise<Fold | undefined> {
  const notice = byId("gpu-notice", HTMLElement);
  const say = (title: string, ...lines: readonly string[]): void => {
    notice.replaceChildren(html("strong", {}, title), ...lines.map((line) => html("p", {}, line)));
    notice.hidden = false;
  };
  const status = byId("gpu-status", HTMLElement);
  try {
    const fold = await openFold({ cpu: "never" });
    status.textContent = `Runs on: ${nameOf(fold)}`;
    void fold.device.lost.then(({ reason, message }) => {
      if (reason !== "destroyed") {
        say("The GPU device was lost.", message, "Reload the page to open a new one.");
      }
    });
    return fold;
  } catch (cause) {
    say("WebGPU does not work here.", ...(await reasonsFor(cause)), without);
    status.textContent = "There is no GPU to run on";
    return undefined;
  }
}

/** What the adapter calls itself. */
export function nameOf(fold: Fold): string {
  const { description, vendor, architecture, device } = fold.adapterInfo;
  const name = description || [vendor, architecture, device].filter(Boolean).join(" ") || "a GPU";
  return fold.software ? `${name} (software: it computes on the CPU)` : name;
}
