/**
 * All names that the roots reach, in the order in which they are met: the roots, the names that these refer to, and so on.
 */
export function reach(
  roots: Iterable<string>,
  referencesOf: (name: string) => Iterable<string>,
): Set<string> {
  const reached = new Set(roots);
  // The loop also goes through the names that are added to the set meanwhile.
  for (const name of reached) {
    for (const other of referencesOf(name)) {
      reached.add(other);
    }
  }
  return reached;
}
