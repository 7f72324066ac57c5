import type { Fold } from "../src/index.ts";
import { openFold } from "../src/index.ts";
import { byId, messageOf } from "./dom.ts";

/** Opens the browser's GPU; or says in the page's notice why there is none, and what still works. */
export async function openGpu(without: string): Promise<Fold | undefined> {
  const notice = byId("gpu-notice", HTMLElement);
  const say = (title: string, ...lines: readonly string[]): void => {
    notice.replaceChildren(
      Object.assign(document.createElement("strong"), { textContent: title }),
      ...lines.map((line) => Object.assign(document.createElement("p"), { textContent: line })),
    );
    notice.hidden = false;
  };
  const status = byId("gpu-status", HTMLElement);
  try {
    const fold = await openFold();
    status.textContent = `Runs on: ${nameOf(fold)}`;
    void fold.device.lost.then(({ reason, message }) => {
      if (reason !== "destroyed") {
        say("The GPU device was lost.", message, "Reload the page to open a new one.");
      }
    });
    return fold;
  } catch (cause) {
    say("WebGPU does not work here.", messageOf(cause), without);
    status.textContent = "Runs on: the CPU reference alone";
    return undefined;
  }
}

/** What the adapter calls itself. */
export function nameOf(fold: Fold): string {
  const { description, vendor, architecture, device } = fold.adapterInfo;
  const name = description || [vendor, architecture, device].filter(Boolean).join(" ") || "a GPU";
  return fold.software ? `${name} (software: it computes on the CPU)` : name;
}
