import { plainTypes } from "../algebra/plain_types.ts";
import { struct } from "../algebra/struct.ts";
import type { ElementType, ScalarType, Value } from "../algebra/types.ts";
import { requireType } from "../algebra/types.ts";
import { AdapterError, ArgumentError, refuse, shown } from "../errors.ts";
import type { Fold } from "../gpu/fold.ts";
import type { GpuArray } from "../gpu/gpu_arrays/gpu_array.ts";
import type { OpenOptions } from "../gpu/open.ts";
import { openFold } from "../gpu/open.ts";
import type { OptionTable } from "../options.ts";
import { requireOptions } from "../options.ts";
import type { Length } from "../primitives/ranges.ts";

/** What Wavefold uses of three.js's `WebGPURenderer`. */
export interface ThreeRenderer {
  /** The renderer's backend. Wavefold needs the one for WebGPU. */
  readonly backend: object;
  /** Opens the renderer's device, if it is not open. */
  init(): Promise<unknown>;
}

/** What Wavefold uses of three.js's `StorageBufferAttribute`, and of the classes like it. */
export interface ThreeAttribute {
  /** The elements as they are on the CPU. three.js uploads them when it first uses the attribute. */
  readonly array: ArrayBufferView;
  /** The numbers of an element. three.js makes 4 of 3 when it uploads the attribute. */
  readonly itemSize: number;
  /** The number of elements. */
  readonly count: number;
}

/** What Wavefold uses of a storage node, such as `instancedArray` of `three/tsl` makes. */
export interface ThreeStorageNode {
  /** The node's attribute. */
  readonly value: ThreeAttribute;
}

/** A storage attribute of three.js, or a storage node. */
export type ThreeStorage = ThreeAttribute | ThreeStorageNode;

/** Options of {@link openThree}: those of `openFold` that are not about the device. */
export type ThreeOptions = Omit<OpenOptions, "device" | "adapter" | "featureLevel">;

/** What {@link ThreeFold.arrayOf} takes beside the attribute. */
export interface ThreeArrayOptions<Name extends string = string, V extends Value = Value> {
  /**
   * The type of an element, which has as many bytes as one of the attribute's. The default is the type of the attribute's array,
   * or a struct of that type with the fields `x` and `y`, or `x`, `y`, `z` and `w`.
   */
  readonly type?: ElementType<Name, V>;
  /**
   * The number of elements. The default is all of the attribute's. It may also be a storage attribute, or a range of a buffer, that
   * starts with the number, as a u32.
   */
  readonly length?: Length | ThreeStorage;
  /** The most that a length on the GPU may be. The default is the number of the attribute's elements. */
  readonly maxLength?: number;
}

/** The buffer of an attribute, as recorded plans take it. */
export interface ThreeRange {
  /** The buffer that three.js has for the attribute now. It is looked up each time. */
  readonly buffer: GPUBuffer;
  /** The byte where the attribute starts: 0. */
  readonly offset: number;
}

/** What {@link openThree} gives. Its functions need no `this`. */
export interface ThreeFold {
  /** Wavefold on the renderer's device. `fold.destroy()` leaves that device open. */
  readonly fold: Fold;
  /**
   * The elements of a storage attribute, as an array on the GPU. Nothing is copied: calls read and write the buffer that three.js
   * has. If the attribute has none so far, three.js makes it and uploads the attribute.
   *
   * The array has the buffer that the attribute has at the time of the call. Ask for it again after `dispose()` of the attribute.
   *
   * @throws {ArgumentError} if it is no storage attribute, or `type` has another size than its elements.
   */
  arrayOf<Name extends string, V extends Value>(
    attribute: ThreeStorage,
    options: ThreeArrayOptions<Name, V> & {
      /** The type of an element. */
      readonly type: ElementType<Name, V>;
    },
  ): Promise<GpuArray<Name, V>>;
  /** The same with the type of the attribute's own array: TypeScript does not know it. */
  arrayOf(attribute: ThreeStorage, options?: ThreeArrayOptions): Promise<GpuArray>;
  /**
   * The buffer of a storage attribute, as recorded plans take it. If three.js makes a new buffer, the next recording uses that one.
   *
   * @throws {ArgumentError} if it is no storage attribute.
   */
  rangeOf(attribute: ThreeStorage): ThreeRange;
}

/** What Wavefold uses of three.js's backend for WebGPU. */
interface Backend {
  readonly isWebGPUBackend?: boolean;
  readonly device?: GPUDevice | null;
  get(attribute: object): { readonly buffer?: GPUBuffer };
  createStorageAttribute(attribute: object): void;
  createIndirectStorageAttribute(attribute: object): void;
}

/** A storage attribute, and what three.js tells its classes by. */
interface Storage extends ThreeAttribute {
  readonly isStorageBufferAttribute?: boolean;
  readonly isStorageInstancedBufferAttribute?: boolean;
  readonly isIndirectStorageBufferAttribute?: boolean;
}

const openNames = {
  cpu: true,
  testSinglePass: "boolean",
  tuning: true,
  maxPipelines: true,
  maxKeptBytes: true,
} as const satisfies OptionTable<ThreeOptions>;

const arrayNames = {
  type: true,
  length: true,
  maxLength: true,
} as const satisfies OptionTable<ThreeArrayOptions>;

const STORAGE =
  "a StorageBufferAttribute, a StorageInstancedBufferAttribute, an IndirectStorageBufferAttribute, or a storage node such as instancedArray()";

/**
 * Opens Wavefold on the device of a `WebGPURenderer` of three.js, and opens that device if the renderer has not been used.
 * Wavefold's commands go to the queue that the renderer's commands go to, so each sees what came before it.
 *
 * @throws {ArgumentError} if it is no `WebGPURenderer`. {@link AdapterError} if the renderer draws with WebGL.
 *
 * @example
 * ```ts
 * const { fold, arrayOf } = await openThree(renderer);
 * const counts = new StorageBufferAttribute(Uint32Array.of(3, 1, 7), 1);
 * const sums = await fold.scan(await arrayOf(counts, { type: u32 }));
 * await sums.read(); // 3 4 11
 * ```
 */
export async function openThree(renderer: ThreeRenderer, options: ThreeOptions = {}): Promise<ThreeFold> {
  requireOptions("openThree", options, openNames);
  if (typeof renderer?.init !== "function" || Object(renderer.backend) !== renderer.backend) {
    throw new ArgumentError("openThree: renderer is no WebGPURenderer of three/webgpu", "renderer");
  }
  await renderer.init();
  // Only now: a renderer that found no WebGPU has another backend.
  const backend = renderer.backend as Backend;
  const { device } = backend;
  if (!backend.isWebGPUBackend || !device) {
    throw new AdapterError(
      "openThree: the renderer draws with WebGL, since it found no WebGPU or has the option forceWebGL; Wavefold takes its WebGPU device",
    );
  }
  const fold = await openFold({ ...options, device });
  const rangeOf = (attribute: ThreeStorage): ThreeRange => {
    const storage = requireStorage("rangeOf", "attribute", attribute);
    return {
      get buffer() {
        return bufferOf(backend, storage);
      },
      offset: 0,
    };
  };
  const arrayOf = (attribute: ThreeStorage, given: ThreeArrayOptions = {}): Promise<GpuArray> => {
    // In an async function, so that what is wrong is the promise's error.
    const wrap = async (): Promise<GpuArray> => {
      requireOptions("arrayOf", given, arrayNames);
      const storage = requireStorage("arrayOf", "attribute", attribute);
      const own = given.type === undefined ? undefined : requireType(given.type, "arrayOf");
      // First, since three.js changes the size of elements when it makes the buffer.
      const buffer = bufferOf(backend, storage);
      const type = typeOf(storage, own);
      const { length, maxLength } = given;
      if (isCount(length)) {
        requireWithin("length", length, storage.count);
        return fold.wrap({
          buffer,
          type,
          length: length ?? storage.count,
          ...(maxLength !== undefined && { maxLength }),
        });
      }
      requireWithin("maxLength", maxLength, storage.count);
      const range =
        "mapAsync" in length || "buffer" in length
          ? length
          : { buffer: bufferOf(backend, requireStorage("arrayOf", "length", length)) };
      return fold.wrap({ buffer, type, length: range, maxLength: maxLength ?? storage.count });
    };
    return wrap();
  };
  return { fold, rangeOf, arrayOf: arrayOf as ThreeFold["arrayOf"] };
}

/** Whether the length is a number on the CPU, or left out. Anything but an object is left to `wrap` to refuse. */
const isCount = (length: Length | ThreeStorage | undefined): length is number | undefined =>
  typeof length !== "object" || length === null;

/** @throws {ArgumentError} for more elements than the attribute has: three.js pads buffers, and padding is none. */
function requireWithin(option: string, given: number | undefined, count: number): void {
  if (typeof given === "number" && given > count) {
    throw new ArgumentError(
      `arrayOf: ${option} is ${given}, and the attribute has ${count} elements`,
      option,
    );
  }
}

/** The attribute itself, of a node as well. @throws {ArgumentError} for anything that has no storage buffer. */
function requireStorage(caller: string, option: string, given: ThreeStorage): Storage {
  const { isStorageBufferNode, value } = Object(given) as { isStorageBufferNode?: boolean; value?: unknown };
  const storage = Object(isStorageBufferNode ? value : given) as Storage;
  if (!storage.isStorageBufferAttribute && !storage.isStorageInstancedBufferAttribute) {
    refuse(caller, option, nameOf(given), STORAGE);
  }
  return storage;
}

/** What something is, for a message. */
const nameOf = (given: unknown): string =>
  Object(given) === given ? `of the class ${(given as object).constructor?.name ?? "Object"}` : shown(given);

/** The buffer that three.js has for an attribute now. If it has none, it makes one, as it does when it first uses the attribute. */
function bufferOf(backend: Backend, storage: Storage): GPUBuffer {
  if (backend.get(storage).buffer === undefined) {
    if (storage.isIndirectStorageBufferAttribute) {
      backend.createIndirectStorageAttribute(storage);
    } else {
      backend.createStorageAttribute(storage);
    }
  }
  const { buffer } = backend.get(storage);
  if (buffer === undefined) {
    throw new ArgumentError("three.js made no buffer for the attribute", "attribute");
  }
  return buffer;
}

const scalarTypes: ReadonlyMap<string, ScalarType> = new Map<string, ScalarType>([
  ["Float32Array", plainTypes.f32],
  ["Float16Array", plainTypes.f16],
  ["Uint32Array", plainTypes.u32],
  ["Int32Array", plainTypes.i32],
]);

const FIELDS = ["x", "y", "z", "w"] as const;

/** The structs that were made so far, by their names. */
const vectors = new Map<string, ElementType>();

/** The struct of an attribute's elements, which have several numbers. */
function vectorOf(scalar: ScalarType, itemSize: number): ElementType {
  const name = `Vec${itemSize}${scalar.name.toUpperCase()}`;
  const type =
    vectors.get(name) ??
    struct({ name, fields: Object.fromEntries(FIELDS.slice(0, itemSize).map((field) => [field, scalar])) });
  vectors.set(name, type);
  return type;
}

/** The type of an attribute's elements: the given one, if it fits. */
function typeOf(storage: Storage, own: ElementType | undefined): ElementType {
  const { itemSize } = storage;
  const array = storage.array as ArrayBufferView & { readonly BYTES_PER_ELEMENT: number };
  const arrayName = array.constructor.name;
  const scalar = scalarTypes.get(arrayName);
  const what = `the attribute has itemSize ${itemSize} and a ${arrayName}`;
  if (scalar === undefined) {
    throw new ArgumentError(
      `arrayOf: ${what}; Wavefold takes a Float32Array, Uint32Array, Int32Array or Float16Array`,
      "attribute",
    );
  }
  const isVector = itemSize === 2 || itemSize === 4;
  if (own === undefined) {
    if (itemSize === 1) {
      return scalar;
    }
    if (isVector && scalar !== plainTypes.f16) {
      return vectorOf(scalar, itemSize);
    }
  }
  const bytes = itemSize * array.BYTES_PER_ELEMENT;
  if (
    own !== undefined &&
    own.bytes === bytes &&
    (itemSize > 1 || own.name === scalar.name || "fields" in own)
  ) {
    return own;
  }
  const wanted =
    itemSize === 1
      ? scalar.name
      : `a type of ${bytes} bytes, such as struct({ name: "Item", fields: { … } })${isVector ? `, or none for ${FIELDS.slice(0, itemSize).join(", ")}` : ""}`;
  const given = own === undefined ? "type is left out" : `type is ${own.name}, of ${own.bytes} bytes`;
  throw new ArgumentError(`arrayOf: ${given}, and ${what}; that takes ${wanted}`, "type");
}
