import type { Algorithm } from "../../src/codegen/algorithms.ts";
import { workGroupReduce, workGroupScan } from "../../src/codegen/functions.ts";
import type { Kernel } from "../../src/codegen/kernels.ts";
import { elementTypes } from "../../src/element_types.ts";
import type { Operator } from "../../src/operators.ts";
import { monoid, operators } from "../../src/operators.ts";
import { planCompact } from "../../src/primitives/compact.ts";
import { planReduce } from "../../src/primitives/reduce.ts";
import { planScan } from "../../src/primitives/scan.ts";
import type { DeviceFacts, Limits } from "../../src/primitives/tuning.ts";
import type { ScalarType, TypeName } from "../../src/types.ts";
import { untyped } from "./fold.ts";

/** WebGPU's default limits. */
export const defaultLimits: Limits = {
  maxComputeInvocationsPerWorkgroup: 256,
  maxComputeWorkgroupSizeX: 256,
  maxComputeWorkgroupStorageSize: 16384,
  maxComputeWorkgroupsPerDimension: 65535,
  maxStorageBufferBindingSize: 2 ** 27,
  maxBufferSize: 2 ** 28,
  minStorageBufferOffsetAlignment: 256,
};

/** A device that is only thought of. */
export const factsWith = (changes: Partial<DeviceFacts> = {}, limits: Partial<Limits> = {}): DeviceFacts => ({
  limits: { ...defaultLimits, ...limits },
  features: new Set(["subgroups", "shader-f16"]),
  subgroupMinSize: 4,
  subgroupMaxSize: 128,
  software: false,
  ...changes,
});

export interface Shape {
  readonly workGroupSize: number;
  readonly itemsPerThread: number;
}

export interface TitledKernel {
  readonly title: string;
  readonly code: string;
  /** Nothing for in-kernel functions. */
  readonly kernel?: Kernel;
}

const bigLimits = {
  maxComputeInvocationsPerWorkgroup: 1024,
  maxComputeWorkgroupSizeX: 1024,
  maxComputeWorkgroupStorageSize: 32768,
};

const predicates = {
  u32: "x % 2u == 1u && i != 3u",
  i32: "x < 0",
  f32: "x > 0.5f",
  f16: "x > 0.5h",
  u64: "less_u64(vec2(5u, 1u), x) && i != 3u",
  i64: "less_i64(x, vec2(0u))",
  f64: "less_f64(f64_from_i32(-1), x)",
} as const satisfies Record<TypeName, string>;

/** The operators that a type takes. */
export const operatorsOf = (type: ScalarType): Operator[] =>
  Object.values<Operator>(operators).filter((op) => {
    try {
      monoid(op, type, "test");
      return true;
    } catch {
      return false;
    }
  });

export const allTypes: readonly ScalarType[] = Object.values(elementTypes);

/** Every kernel that the library makes for a type, an algorithm and a shape, each text once. */
export function kernelsOf(type: ScalarType, algorithm: Algorithm, shape: Shape): TitledKernel[] {
  const facts = factsWith({}, bigLimits);
  const tile = shape.workGroupSize * shape.itemsPerThread;
  // Three levels of spine, as far as a binding goes.
  const maxLength = Math.min(
    tile ** 3 + 1,
    facts.limits.maxStorageBufferBindingSize / Math.max(4, type.bytes),
  );
  const base = { ...shape, algorithm, maxLength, type };
  const result = new Map<string, TitledKernel>();
  const where = `${algorithm} ${shape.workGroupSize} × ${shape.itemsPerThread}`;
  const take = (kernels: readonly Kernel[]): void => {
    for (const kernel of kernels) {
      result.set(kernel.code, { title: `${kernel.label} ${where}`, code: kernel.code, kernel });
    }
  };
  for (const op of operatorsOf(type).map(untyped)) {
    take(planScan({ ...base, op }, facts).kernels);
    take(planScan({ ...base, op, exclusive: true }, facts).kernels);
    take(planReduce({ ...base, op }, facts).kernels);
    const options = { type, op, workGroupSize: shape.workGroupSize, algorithm };
    for (const functions of [workGroupScan(options), workGroupReduce(options)]) {
      result.set(functions.code, { title: `${functions.names[0]} ${where}`, code: functions.code });
    }
  }
  for (const indices of [false, true]) {
    take(planCompact({ ...base, indices, where: predicates[type.name] }, facts).kernels);
    take(planCompact({ ...base, indices, flags: true }, facts).kernels);
  }
  return [...result.values()];
}
