/**
 * A device-wide kernel's text with the subgroup that starts as the k-th taken for the one that starts as number `places[k]`.
 * The same text, where it does not count subgroups as they start.
 */
export function inOrder(code: string, threads: number, lanes: number, places: readonly number[]): string {
  const count = places.length;
  const lanesOf = (start: number): number => Math.min(lanes, threads - start * lanes);
  // Where a kernel counts threads as their subgroups start: those of the subgroups that start earlier.
  const earlier = places.map((place) =>
    places.reduce((sum, other, start) => (other < place ? sum + lanesOf(start) : sum), 0),
  );
  const at = (values: readonly number[], index: string): string =>
    `array<u32, ${count}>(${values.map((value) => `${value}u`).join(", ")})[${index}]`;
  const changes: readonly (readonly [string, string])[] = [
    ["started = atomicAdd(&subgroups_started, 1u);", `started = ${at(places, "started")};`],
    [
      "counted = subgroupBroadcastFirst(counted);",
      `counted = (${at(places, "counted >> 16u")} << 16u) + ${at(earlier, "counted >> 16u")};`,
    ],
  ];
  return changes.reduce((text, [line, added]) => text.replace(line, `${line} ${added}`), code);
}
