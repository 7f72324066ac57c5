/** What happens at one place in one step: it becomes 0, one value moves there, or two values are added there. */
export interface Move {
  readonly to: number;
  /** The places that the values come from. */
  readonly from: readonly [] | readonly [number] | readonly [earlier: number, later: number];
}

/** One step of a scan. Places that no move names keep their value. */
export interface Step {
  /** How far apart the values are that the step adds; 0 if it adds none. */
  readonly distance: number;
  readonly moves: readonly Move[];
  /** All places after the step. */
  readonly cells: readonly number[];
}

/** The steps of an exclusive scan: each value is added to the one 1, 2, 4 … places before it; then all move on by one place. */
export function exclusiveSteps(elements: readonly number[]): readonly Step[] {
  const steps: Step[] = [];
  let cells = elements;
  const step = (distance: number, moves: readonly Move[]): void => {
    const next = [...cells];
    for (const { to, from } of moves) {
      next[to] = from.reduce<number>((sum, place) => sum + (cells[place] as number), 0);
    }
    cells = next;
    steps.push({ distance, moves, cells });
  };
  for (let distance = 1; distance < elements.length; distance *= 2) {
    step(
      distance,
      Array.from({ length: elements.length - distance }, (_, at) => ({
        to: distance + at,
        from: [at, distance + at] as const,
      })),
    );
  }
  step(
    0,
    elements.map((_, to): Move => ({ to, from: to === 0 ? [] : [to - 1] })),
  );
  return steps;
}
