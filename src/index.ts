export { open } from "./open.ts";
export * from "./public.ts";
