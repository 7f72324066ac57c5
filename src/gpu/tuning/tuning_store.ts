import { createStore, get, set } from "idb-keyval";

/** Where tunings are kept from one program to the next. */
export interface TuningStore {
  /** What was kept under a key; undefined if there is nothing, or it cannot be read. */
  get(key: string): Promise<unknown>;
  /** Keeps a value under a key. It does nothing where nothing can be kept. */
  set(key: string, value: object): Promise<void>;
}

/** Opens a store. */
export type OpenStore = () => Promise<TuningStore>;

/** Keeps tunings in the browser's IndexedDB, in the database "wavefold", for pages of the same origin. */
export function browserStore(): TuningStore {
  // Private windows and sandboxed frames may have none.
  const open = () => createStore("wavefold", "tunings");
  return {
    get: async (key) => {
      try {
        return await get<unknown>(key, open());
      } catch {
        return undefined;
      }
    },
    set: async (key, value) => {
      try {
        await set(key, value, open());
      } catch {}
    },
  };
}
