/** A length, one less and one more. */
export const around = (length: number): number[] => [length - 1, length, length + 1];

/** Lengths at which a work-group, a tile, and one and two levels of spine begin and end. */
export function edgeLengths(workGroupSize: number, itemsPerThread: number): number[] {
  const tile = workGroupSize * itemsPerThread;
  const lengths = [
    0,
    1,
    ...around(workGroupSize),
    ...around(tile),
    ...around(tile ** 2),
    ...around(tile ** 3),
    tile * 3 + 5,
  ];
  return [...new Set(lengths)].filter((length) => length >= 0).sort((a, b) => a - b);
}
