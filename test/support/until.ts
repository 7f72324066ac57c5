import { setTimeout as sleep } from "node:timers/promises";

/** What takes longer hangs, also on a machine that is busy. */
const LIMIT_SECONDS = 120;

/** Waits until something holds. */
export async function until(holds: () => boolean): Promise<void> {
  for (const end = Date.now() + 1000 * LIMIT_SECONDS; !holds(); await sleep(5)) {
    if (Date.now() > end) {
      throw new Error(`it did not happen in ${LIMIT_SECONDS} s`);
    }
  }
}
