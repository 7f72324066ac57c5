// The suite's program in Node.js: the main thread and a worker.
import process from "node:process";
import { fileURLToPath } from "node:url";
import { isMainThread, parentPort, SHARE_ENV, Worker } from "node:worker_threads";
import { create } from "webgpu";
import {
  hasSwiftShader,
  softwareFolder,
  withSoftwareDriver,
} from "../../src/gpu/adapters/software_adapter.ts";
import { openFold } from "../../src/node.ts";
import type { Host } from "./case.ts";
import type { Report, Share } from "./suite.ts";
import { MAIN, runSuite, WORKER } from "./suite.ts";

/** Held until the end: devices hang or crash when what they came from is collected. */
const instances: GPU[] = [];

// As test/support/adapter.ts says, which is not bundled for hosts.
const kind =
  process.env.WAVEFOLD_TEST_ADAPTER === "gpu" || process.platform === "darwin" ? "gpu" : "software";

/** The bundler puts it in place of the name: `bundleSuite` has it. */
declare const SHARE: Share;

const host: Host = {
  open: (options) => openFold({ adapter: kind, ...options }),
  async requestAdapter(options) {
    const request = (): Promise<GPUAdapter | null> => {
      const gpu = create([]) as GPU;
      instances.push(gpu);
      return gpu.requestAdapter(kind === "gpu" ? options : { ...options, forceFallbackAdapter: true });
    };
    return kind === "gpu" || !hasSwiftShader()
      ? request()
      : withSoftwareDriver(await softwareFolder(), request);
  },
};

const print = (report: Report | { readonly kind: "done" }): void => console.log(JSON.stringify(report));

/** The quick cases in a worker thread, whose reports are printed here. */
function runWorker(): Promise<void> {
  return new Promise((resolve) => {
    // A copy of the environment would keep the names of drivers from the Vulkan loader.
    const worker = new Worker(fileURLToPath(import.meta.url), { env: SHARE_ENV });
    worker.on("message", (report: Report) => print(report));
    // Cases that it did not report have failed.
    worker.on("error", (cause) => console.error(`the worker failed: ${cause.message}`));
    worker.on("exit", () => resolve());
  });
}

if (isMainThread) {
  await runSuite(host, MAIN, SHARE, print);
  await runWorker();
  print({ kind: "done" });
} else {
  await runSuite(host, WORKER, SHARE, (report) => parentPort?.postMessage(report));
}
instances.length = 0;
process.exit(0);
