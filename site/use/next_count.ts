/** How many splats there are, and whether more were tried and were too many. */
export interface Count {
  readonly count: number;
  readonly isSettled: boolean;
}

/** Frames a second: with more than the first there is time for more splats, and with fewer than the second there are too many. */
const [EASY, HARD] = [48, 24] as const;

/** How many splats the frames that were counted leave time for: more until some are too many, and fewer as often as there are too many. */
export function nextCount(
  { count, isSettled }: Count,
  rate: number,
  { least, most }: { readonly least: number; readonly most: number },
): Count {
  if (rate < HARD) {
    const fewer = Math.round(count * Math.max(0.25, rate / (1.5 * HARD)));
    return { count: Math.max(least, fewer), isSettled: true };
  }
  return { count: rate > EASY && !isSettled ? Math.min(most, 2 * count) : count, isSettled };
}
