import { part } from "../../errors.ts";

/** Loads a part when it is first asked for. Later calls need not wait: even for what is there, `import()` takes a while. */
export function once<T>(load: () => Promise<T>): () => T | Promise<T> {
  let loaded: T | undefined;
  return () =>
    loaded ??
    part(load()).then((made) => {
      loaded = made;
      return made;
    });
}
