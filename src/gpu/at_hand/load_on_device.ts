import { once } from "../../errors.ts";

/** Loads what opens a device, and runs calls at hand on it. */
export const loadOnDevice = /* @__PURE__ */ once(() => import("./on_device.ts"));
