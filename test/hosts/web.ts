// The suite's program in browsers and in Deno: the page or main thread, a second tab, and the worker.
import { openFold } from "../../src/index.ts";
import type { Host } from "./case.ts";
import type { Report, Share } from "./suite.ts";
import { MAIN, runSuite, SECOND_ADAPTER, SECOND_TAB, WORKER } from "./suite.ts";

/** The bundler puts it in place of the name: `bundleSuite` has it. */
declare const SHARE: Share;

const host: Host = {
  open: (options) => openFold({ cpu: "never", ...options }),
  requestAdapter: (options) => navigator.gpu.requestAdapter(options),
};

const scope = globalThis as typeof globalThis & {
  readonly name?: string;
  readonly Deno?: { readonly args: readonly string[]; exit(code: number): never };
};

const print = (report: Report | { readonly kind: "done" }): void => console.log(JSON.stringify(report));

/** The quick cases in a dedicated worker, whose reports are printed here. */
function runWorker(): Promise<void> {
  return new Promise((resolve) => {
    const worker = new Worker(new URL(import.meta.url), { type: "module", name: WORKER });
    worker.onmessage = ({ data }: MessageEvent<Report | { readonly kind: "done" }>) => {
      if (data.kind === "done") {
        worker.terminate();
        resolve();
      } else {
        print(data);
      }
    };
    // Cases that it did not report have failed.
    worker.onerror = (event) => {
      console.error(`the worker failed: ${event.message}`);
      resolve();
    };
  });
}

if (scope.name === WORKER) {
  await runSuite(host, WORKER, SHARE, (report) => postMessage(report));
  postMessage({ kind: "done" });
} else if (scope.location?.search === "?second-tab") {
  await runSuite(host, SECOND_TAB, SHARE, print);
  print({ kind: "done" });
} else if (scope.Deno?.args.includes(SECOND_ADAPTER)) {
  await runSuite(host, SECOND_ADAPTER, SHARE, print);
  print({ kind: "done" });
  scope.Deno.exit(0);
} else {
  await runSuite(host, MAIN, SHARE, print);
  await runWorker();
  print({ kind: "done" });
  scope.Deno?.exit(0);
}
