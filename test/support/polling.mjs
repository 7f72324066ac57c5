// Tests in software load this into every process of Node.js, first of all: see vitest.config.ts.
//
// While a promise of the package `webgpu` is open, Dawn asks the device about it over and over, each time from a new function
// that it hands to the global `setImmediate`. On a GPU, the waiting process has a core to itself. In software, it takes the core
// that would compile and run the kernel: 11 of the 27 s of CPU of `test/results/select.test.ts`, and as many functions to collect.
// Here Dawn asks once a millisecond.

const { setImmediate } = globalThis;

/** Whether a function is one of a native module. A bound function has a name. */
const isNative = (callback) =>
  callback.name === "" && Function.prototype.toString.call(callback).includes("[native code]");

globalThis.setImmediate = Object.defineProperties(
  (callback, ...rest) =>
    typeof callback === "function" && isNative(callback)
      ? setTimeout(callback, 1)
      : setImmediate(callback, ...rest),
  Object.getOwnPropertyDescriptors(setImmediate),
);
