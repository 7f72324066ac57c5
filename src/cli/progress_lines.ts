import process from "node:process";
import type { Progress } from "./progress.ts";
import { countSteps, startProgress } from "./progress.ts";

/** How often a line says how far the work is, where there is no terminal. */
const LINE_MS = 5000;

const note = (command: string, text: string): void => {
  process.stderr.write(`${command}: ${text}\n`);
};

/** Says on stderr what is done before the checks: in a bar on a terminal, in a line elsewhere. Returns what takes the bar away. */
export function startOpening(command: string, stage: string): () => void {
  if (!process.stderr.isTTY) {
    note(command, stage);
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

/** The progress of a command, and where there is no terminal, lines of its own. */
export interface ProgressWithNotes extends Progress {
  note(text: string): void;
}

/** The progress of a command on stderr: a bar on a terminal; elsewhere, a line every few seconds. `what` are the steps. */
export function startSteps(command: string, total: number, what: string): ProgressWithNotes {
  if (process.stderr.isTTY) {
    return { ...startProgress(total), note: () => {} };
  }
  note(command, `running ${total} ${what}`);
  const steps = countSteps();
  steps.between("starting");
  const timer = setInterval(
    () => note(command, `${steps.done} of ${total} ${what}, now ${steps.stage}`),
    LINE_MS,
  );
  timer.unref();
  return {
    step: steps.step,
    between: steps.between,
    note: (text) => note(command, text),
    hide: () => {},
    stop: () => clearInterval(timer),
  };
}
