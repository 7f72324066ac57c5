import type { ScalarArray } from "../algebra/arrays.ts";
import { arrayLike } from "../algebra/arrays.ts";
import { elementTypes } from "../algebra/element_types.ts";
import type { Operator } from "../algebra/monoid.ts";
import { operatorKeyOf } from "../algebra/operators.ts";
import type { ScalarType } from "../algebra/types.ts";
import type { Context } from "../gpu/device/context.ts";
import type { Compilable } from "../gpu/device/device.ts";
import { allocate, contextOf, pipelineOf, validated } from "../gpu/device/device.ts";
import { explain, requireDevice } from "../gpu/device/lost.ts";
import { COPY_DST, COPY_SRC, MAP_READ, STORAGE } from "../gpu/device/usage_flags.ts";
import { workGroupScan } from "../in_kernel/functions.ts";
import { link } from "../in_kernel/link.ts";
import { bindingsIn } from "../kernels/kernel.ts";
import type { Fold } from "../node.ts";
import { generated } from "../text/source.ts";
import type { Check } from "./self_test_checks.ts";
import { builtinsOn, cpu } from "./self_test_checks.ts";
import { operandsOf } from "./self_test_data.ts";

// Each operator on each type. A kernel takes long to compile, so all operators of a type are functions of one kernel.

/** The threads of the work-group, and the operands of each operator. More would take more work-group memory than each device has. */
const THREADS = 64;

/** Scans the operands of each operator. A result has each thread's exclusive prefix. */
export type ScanEach = (
  type: ScalarType,
  ops: readonly Operator[],
  operands: readonly ScalarArray[],
) => Promise<readonly ScalarArray[]>;

/** A check for each operator on each type. Operators come before types, so that the kernels of all types are compiled at once. */
export function operatorChecks(scanEach: ScanEach): readonly Check[] {
  const byType = Object.values<ScalarType>(elementTypes).map((type) => checksOn(type, scanEach));
  const most = Math.max(...byType.map(({ length }) => length));
  return Array.from({ length: most }, (_, at) => byType.flatMap((checks) => checks[at] ?? [])).flat();
}

function checksOn(type: ScalarType, scanEach: ScanEach): readonly Check[] {
  const ops = builtinsOn(type);
  let together: Promise<readonly ScalarArray[]> | undefined;
  return ops.map((op, at): Check => {
    const operands = (one: Operator): ScalarArray => operandsOf(type, one.name, THREADS);
    const alone = async (): Promise<readonly ScalarArray[]> =>
      Array(at).concat(await scanEach(type, [op], [operands(op)]));
    return {
      primitive: "operators",
      type: type.name,
      title: `exclusive scan<${type.name}, ${op.name}> in a work-group`,
      lengths: [THREADS],
      run: async () => {
        together ??= scanEach(type, ops, ops.map(operands));
        // If the kernel of all is refused, each operator shows in a kernel of its own whether it is why.
        const results = await together.catch(alone);
        return [results[at], cpu.scanReference(operands(op), { type, op, exclusive: true })];
      },
    };
  });
}

/** The kernel of some operators: each has a range of the operands, and the same range of the results. */
function kernelOf(type: ScalarType, ops: readonly Operator[]): Compilable {
  const scans = ops.map((op, at) => {
    const place = `${at * THREADS}u + local_index`;
    return `  results[${place}] = work_group_scan_exclusive_${operatorKeyOf(op)}_${type.name}(operands[${place}], local_index);`;
  });
  const kernel = `${type.feature === "shader-f16" ? "enable f16;\n" : ""}
@group(0) @binding(0) var<storage, read> operands: array<${type.value}>;
@group(0) @binding(1) var<storage, read_write> results: array<${type.value}>;

@compute @workgroup_size(${THREADS})
fn main(@builtin(local_invocation_index) local_index: u32) {
${scans.join("\n")}
}
`;
  const functions = ops.map((op) => workGroupScan({ type, op: op as never, workGroupSize: THREADS }));
  const code = link(kernel, functions);
  return {
    label: `operators of ${type.name}`,
    code,
    relink: (change) => change(generated(code)).text,
    entryPoint: "main",
    bindings: bindingsIn(code),
  };
}

/** Scans on a fold's device. */
export function scanEachOn({ device }: Pick<Fold, "device">): ScanEach {
  return async (type, ops, operands) => {
    const context = contextOf(device);
    const kernel = kernelOf(type, ops);
    try {
      requireDevice(context, kernel.label);
      const bytes = await run(context, kernel, bytesOf(operands));
      return operands.map((data, at) => arrayLike(data, bytes, at * data.byteLength, data.length));
    } catch (cause) {
      throw await explain(context, kernel.label, cause);
    }
  };
}

function bytesOf(arrays: readonly ScalarArray[]): Uint8Array<ArrayBuffer> {
  const parts = arrays.map(
    ({ buffer, byteOffset, byteLength }) => new Uint8Array(buffer, byteOffset, byteLength),
  );
  return Uint8Array.from(parts.flatMap((one) => [...one]));
}

/** Runs a kernel on these bytes, and returns as many. */
async function run(
  context: Context,
  kernel: Compilable,
  operands: Uint8Array<ArrayBuffer>,
): Promise<ArrayBuffer> {
  const { device } = context;
  const { label } = kernel;
  const { pipeline, layout } = await pipelineOf(context, kernel);
  const size = operands.byteLength;
  const uses = [STORAGE | COPY_DST, STORAGE | COPY_SRC | COPY_DST, MAP_READ | COPY_DST];
  const buffers: GPUBuffer[] = [];
  try {
    for (const usage of uses) {
      buffers.push(await allocate(context, { label, size, usage }, label));
    }
    const [input, output, staging] = buffers as [GPUBuffer, GPUBuffer, GPUBuffer];
    device.queue.writeBuffer(input, 0, operands);
    // What no thread writes is no result.
    device.queue.writeBuffer(output, 0, new Uint8Array(size).fill(0xa5));
    await validated(context, label, () => {
      const encoder = device.createCommandEncoder({ label });
      const pass = encoder.beginComputePass({ label });
      pass.setPipeline(pipeline);
      const entries = [input, output].map((buffer, binding) => ({ binding, resource: { buffer } }));
      pass.setBindGroup(0, device.createBindGroup({ label, layout, entries }));
      pass.dispatchWorkgroups(1);
      pass.end();
      encoder.copyBufferToBuffer(output, 0, staging, 0, size);
      device.queue.submit([encoder.finish()]);
    });
    await staging.mapAsync(MAP_READ);
    return staging.getMappedRange().slice(0);
  } finally {
    for (const buffer of buffers) {
      buffer.destroy();
    }
  }
}
