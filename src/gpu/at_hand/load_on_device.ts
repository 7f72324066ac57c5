import { once } from "../executor/load_later.ts";

/** Loads what opens a device, and runs calls at hand on it. */
export const loadOnDevice = /* @__PURE__ */ once(() => import("./on_device.ts"));
