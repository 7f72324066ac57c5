import { DeviceObject } from "../device/device_object.ts";
import { SimulatedQueue } from "../device/queue.ts";

// What calls of WebGPU take and give.

export type Method = (...args: unknown[]) => unknown;

export const isObject = (value: unknown): value is object => typeof value === "object" && value !== null;

/** Whether it is of the simulator, and has a state that a call may change or that makes a call wrong. */
export const isStateful = (value: unknown): value is DeviceObject =>
  value instanceof DeviceObject && !(value instanceof SimulatedQueue);

/** The methods of an object's classes, by name. Those that every object has, and every EventTarget, are not among them. */
export function methodsOf(object: object): ReadonlyMap<string, Method> {
  const methods = new Map<string, Method>();
  let prototype: unknown = Object.getPrototypeOf(object);
  while (isObject(prototype) && prototype !== Object.prototype && prototype !== EventTarget.prototype) {
    for (const [name, { value }] of Object.entries(Object.getOwnPropertyDescriptors(prototype))) {
      if (typeof value === "function" && name !== "constructor" && !methods.has(name)) {
        methods.set(name, value.bind(object));
      }
    }
    prototype = Object.getPrototypeOf(prototype);
  }
  return methods;
}

/** An object's method of this name, if it has one. */
export function methodOf(object: object, name: string): Method | undefined {
  const method: unknown = Reflect.get(object, name);
  return typeof method === "function" ? method.bind(object) : undefined;
}

const isBytes = (value: object): boolean =>
  ArrayBuffer.isView(value) || Object.prototype.toString.call(value).endsWith("ArrayBuffer]");

const isDictionary = (value: object): boolean =>
  [Object.prototype, null].includes(Object.getPrototypeOf(value));

/** An argument with other objects in place of the simulator's. Bytes stay as they are. */
export function translated(value: unknown, translate: (object: DeviceObject) => unknown): unknown {
  if (value instanceof DeviceObject) {
    return translate(value);
  }
  if (!isObject(value) || isBytes(value)) {
    return value;
  }
  if (Symbol.iterator in value) {
    return Array.from(value as Iterable<unknown>, (part) => translated(part, translate));
  }
  if (isDictionary(value)) {
    return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, translated(part, translate)]));
  }
  // An object of a class may stand for a dictionary. Only what WebGPU reads of it is read.
  return new Proxy({}, { get: (_, key) => translated(Reflect.get(value, key), translate) });
}
