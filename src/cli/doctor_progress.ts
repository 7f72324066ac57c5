import process from "node:process";
import type { Progress } from "./progress.ts";
import { startProgress } from "./progress.ts";

/** How often a line says how far the checks are, where there is no terminal. */
const LINE_MS = 5000;

const note = (text: string): void => {
  process.stderr.write(`doctor: ${text}\n`);
};

/** Says on stderr what is done before the checks: in a bar on a terminal, in a line elsewhere. Returns what takes the bar away. */
export function startOpening(stage: string): () => void {
  if (!process.stderr.isTTY) {
    note(stage);
    return () => {};
  }
  const progress = startProgress(1);
  progress.step(stage);
  let isOver = false;
  return () => {
    if (!isOver) {
      progress.stop();
    }
    isOver = true;
  };
}

/** The progress of checks on stderr: a bar on a terminal; elsewhere, a line every few seconds. */
export function startChecks(total: number): Progress {
  if (process.stderr.isTTY) {
    return startProgress(total);
  }
  note(`running ${total} checks`);
  let started = 0;
  let stage = "";
  const timer = setInterval(
    () => note(`${Math.max(started - 1, 0)} of ${total} checks, now ${stage}`),
    LINE_MS,
  );
  timer.unref();
  return {
    step(next) {
      started++;
      stage = next;
    },
    stop: () => clearInterval(timer),
  };
}
