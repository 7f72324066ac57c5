import { once } from "../../errors.ts";

/** Loads the code for data in pieces: streams, and calls on long arrays. */
export const loadStreams = /* @__PURE__ */ once(() => import("../streams/streams.ts"));
