/**
 * The storage buffers of three.js's `WebGPURenderer`, as arrays on the GPU and as ranges for recorded plans.
 *
 * @module wavefold/three
 */
export type {
  ThreeArrayOptions,
  ThreeAttribute,
  ThreeFold,
  ThreeOptions,
  ThreeRange,
  ThreeRenderer,
  ThreeStorage,
  ThreeStorageNode,
} from "./open.ts";
export { openThree } from "./open.ts";
