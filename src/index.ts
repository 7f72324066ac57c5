/**
 * Scan, reduce and compact in the browser: at hand, from typed array to typed array, and device-wide,
 * recorded into an encoder of your own.
 *
 * @module wavefold
 */
export { open } from "./open.ts";
export * from "./public.ts";
