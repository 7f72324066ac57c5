/** The names that names reach, in the order in which they are met: they themselves, what each refers to, and so on. */
export function reach(
  roots: Iterable<string>,
  referencesOf: (name: string) => Iterable<string>,
): Set<string> {
  const reached = new Set(roots);
  // What is added to a set is gone through, too.
  for (const name of reached) {
    for (const other of referencesOf(name)) {
      reached.add(other);
    }
  }
  return reached;
}
