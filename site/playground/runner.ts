import type { Outcome } from "./recording.ts";
import type { Setup } from "./setup.ts";

/** How long a kernel may run, in milliseconds. */
const LONGEST = 10_000;

const late: Outcome = {
  kind: "fault",
  fault: {
    message: `The kernel ran for ${LONGEST / 1000} seconds, and was stopped. Is there a loop without an end?`,
    line: 0,
    entryPoints: [],
  },
};

let worker: Worker | undefined;
/** Ends what runs now. */
let cancel: () => void = () => {};

function stop(): void {
  worker?.terminate();
  worker = undefined;
}

/** Runs a kernel beside the page. What ran before ends; its promise gives undefined. */
export function runInWorker(setup: Setup): Promise<Outcome | undefined> {
  cancel();
  return new Promise((resolve) => {
    worker ??= new Worker(new URL("playground_worker.js", import.meta.url), { type: "module" });
    const running = worker;
    const end = (outcome: Outcome | undefined): void => {
      clearTimeout(timer);
      running.onmessage = null;
      running.onerror = null;
      cancel = () => {};
      resolve(outcome);
    };
    const stopWith = (outcome: Outcome | undefined): void => {
      stop();
      end(outcome);
    };
    const timer = setTimeout(() => stopWith(late), LONGEST);
    cancel = () => stopWith(undefined);
    running.onmessage = ({ data }: MessageEvent<Outcome>) => end(data);
    running.onerror = ({ message }) =>
      stopWith({
        kind: "fault",
        fault: { message: message || "the simulator did not load", line: 0, entryPoints: [] },
      });
    running.postMessage(setup);
  });
}
