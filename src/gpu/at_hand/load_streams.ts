import { once } from "../executor/load_later.ts";

/** Loads the code for data in pieces: streams, and calls on long arrays. */
export const loadStreams = /* @__PURE__ */ once(() => import("../streams/streams.ts"));
