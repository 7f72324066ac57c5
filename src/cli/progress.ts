import process from "node:process";
import cliProgress from "cli-progress";
import { onExit } from "signal-exit";

const DELAY_MS = 1000;

/** Stages of work, shown on stderr once they take more than a second in all. */
export interface Progress {
  /** Starts a stage, or does one more step of it: `stage` is what the bar says. */
  step(stage: string): void;
  stop(): void;
}

/** A bar of `total` steps; where stderr is no terminal, nothing. */
export function startProgress(total: number): Progress {
  if (!process.stderr.isTTY) {
    return { step: () => {}, stop: () => {} };
  }
  const bar = new cliProgress.SingleBar(
    { format: "{bar} {value}/{total} {stage}", clearOnComplete: true, hideCursor: true },
    cliProgress.Presets.shades_classic,
  );
  let done = -1;
  let stage = "";
  let shown = false;
  let forget = (): void => {};
  const timer = setTimeout(() => {
    shown = true;
    // The bar hides the cursor: a signal would leave it hidden.
    forget = onExit(() => bar.stop());
    bar.start(total, Math.max(0, done), { stage });
  }, DELAY_MS);
  timer.unref();
  return {
    step(next) {
      done++;
      stage = next;
      if (shown) {
        bar.update(done, { stage });
      }
    },
    stop() {
      clearTimeout(timer);
      if (shown) {
        bar.stop();
        forget();
      }
    },
  };
}
