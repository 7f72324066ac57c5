// All functions on words. Generated texts call them by these names.
export * from "./conversions.ts";
export * from "./f16.ts";
export * from "./f16_functions.ts";
export * from "./f32.ts";
export * from "./f32_functions.ts";
export * from "./integers.ts";
export * from "./packing.ts";
