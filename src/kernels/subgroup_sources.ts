import subgroupReduce from "#shaders/work_group/subgroup_reduce.wgsl";
import subgroupReduceByScan from "#shaders/work_group/subgroup_reduce_by_scan.wgsl";
import subgroupScan from "#shaders/work_group/subgroup_scan.wgsl";
import subgroupShuffle from "#shaders/work_group/subgroup_shuffle.wgsl";
import type { Monoid } from "../algebra/monoid.ts";
import { roundingIn } from "../algebra/rounding.ts";
import type { Constants } from "../text/module.ts";
import type { SourceText } from "../text/source.ts";
import { generated } from "../text/source.ts";
import type { Sizes } from "./sizes.ts";

/**
 * How WGSL's subgroup built-in for the operator ends: `Add`, as in `subgroupAdd`. It is undefined if there is none, or if
 * WGSL's own operators do not combine the elements.
 */
const builtinOf = ({ domain, operation }: Monoid): string | undefined =>
  domain.operations ? undefined : operation?.replace(/^./, (letter) => letter.toUpperCase());

/** Whether WGSL has a subgroup reduction by the operator. */
export const hasBuiltin = (monoid: Monoid): boolean => builtinOf(monoid) !== undefined;

/** Whether the operator may have its operands in any order. Nothing is known about a caller's operator, so its order is kept. */
export const takesAnyOrder = ({ operation, type, domain, leading }: Monoid): boolean =>
  leading !== undefined || (operation !== undefined && roundingIn(type, domain) !== "each operation");

/** Whether WGSL has a subgroup scan by the operator. */
export const scansNatively = (monoid: Monoid): boolean => /^(Add|Mul)$/.test(builtinOf(monoid) ?? "");

/**
 * The shuffles, and a subgroup's reduction and scan. An element that WGSL's built-ins do not take is shuffled part by part. If WGSL has
 * built-ins for the operator, the reduction and the scan call them. If `exchanges` is true, lanes reduce by exchanges that are written out.
 */
export function subgroupSources(monoid: Monoid, exchanges = false): readonly SourceText[] {
  const builtin = builtinOf(monoid);
  const { fields, shuffle, element } = monoid.domain;
  // Elements may be integers where values are floats.
  const ofIntegers = builtin !== undefined && /^[iu]32$/.test(element);
  return [
    fields || shuffle ? shuffles(monoid, "element", "Element") : subgroupShuffle,
    exchanges || ofIntegers
      ? subgroupReduce
      : builtin
        ? elementFunction(
            "subgroup_reduce(element: Element, rank: u32, count: u32)",
            `subgroupBroadcastFirst(subgroup${builtin}(element))`,
          )
        : subgroupReduceByScan,
    scansNatively(monoid)
      ? elementFunction(
          "subgroup_scan_inclusive(element: Element, rank: u32)",
          `subgroupInclusive${builtin}(element)`,
        )
      : subgroupScan,
  ];
}

/** Declares a function that returns an element. */
const elementFunction = (head: string, expression: string): SourceText =>
  generated(`fn ${head} -> Element {\n  return ${expression};\n}`);

/** Declares the functions of subgroup_shuffle.wgsl, as `element_shuffle` and so on, for a type that WGSL's built-ins may not take. */
const shuffles = (monoid: Monoid, name: string, wgsl: string): SourceText =>
  generated(
    [
      "enable subgroups;",
      ...[
        ["shuffle", "subgroupShuffle", "rank"] as const,
        ["shuffle_up", "subgroupShuffleUp", "distance"] as const,
        ["shuffle_xor", "subgroupShuffleXor", "mask"] as const,
      ].map(
        ([shuffle, builtin, place]) =>
          `fn ${name}_${shuffle}(${name}: ${wgsl}, ${place}: u32) -> ${wgsl} {\n  return ${moved(monoid, wgsl, name, builtin, place)};\n}`,
      ),
    ].join("\n\n"),
  );

/** Declares `value_shuffle` and so on, which move the value of a segment's element. */
export const valueShuffles = (onValues: Monoid): SourceText => shuffles(onValues, "value", "SegmentValue");

/** The element `of`, moved by a built-in. An element of a segment has a value, which may be a struct. */
function moved(
  { domain: { fields, shuffle, shuffles }, onValues }: Monoid,
  wgsl: string,
  of: string,
  builtin: string,
  place: string,
): string {
  const parts = fields?.map((field) =>
    onValues && field === "value"
      ? moved(onValues, "SegmentValue", `${of}.${field}`, builtin, place)
      : (shuffles?.[field]?.(builtin, `${of}.${field}`, place) ?? `${builtin}(${of}.${field}, ${place})`),
  );
  return parts
    ? `${wgsl}(${parts.join(", ")})`
    : (shuffle?.(builtin, of, place) ?? `${builtin}(${of}, ${place})`);
}

/** How many steps lead from each lane to all others, if each step doubles the distance. */
export const laneStages = ({ maxSubgroupSize }: Pick<Sizes, "maxSubgroupSize">): Constants => ({
  LANE_STAGES: Math.log2(maxSubgroupSize),
});
