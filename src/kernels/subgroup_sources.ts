import subgroupContract from "#shaders/work_group/subgroup_contract.wgsl";
import subgroupReduce from "#shaders/work_group/subgroup_reduce.wgsl";
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
 * The shuffles, and a subgroup's scan and reduction. An element that WGSL's built-ins do not take is shuffled part by part. If WGSL has built-ins for the
 * operator, the scan and the reduction call them. These functions replace those of
 * shaders/work_group/subgroup_contract.wgsl if they differ.
 */
export function subgroupSources(monoid: Monoid): readonly SourceText[] {
  const builtin = builtinOf(monoid);
  const { fields, shuffle: own } = monoid.domain;
  const shuffle = (name: string, wgsl: string, place: string): Bodies =>
    (fields || own) && {
      [name]: [`element: Element, ${place}: u32`, moved(monoid, "Element", "element", wgsl, place)],
    };
  // Elements may be integers where values are floats.
  const ofIntegers = builtin !== undefined && /^[iu]32$/.test(monoid.domain.element);
  const bodies: Bodies = {
    ...shuffle("element_shuffle", "subgroupShuffle", "rank"),
    ...shuffle("element_shuffle_up", "subgroupShuffleUp", "distance"),
    ...shuffle("element_shuffle_xor", "subgroupShuffleXor", "mask"),
    ...(builtin !== undefined &&
      !ofIntegers && {
        subgroup_reduce: [
          "element: Element, rank: u32, count: u32",
          `subgroupBroadcastFirst(subgroup${builtin}(element))`,
        ],
      }),
    ...(scansNatively(monoid) && {
      subgroup_scan_inclusive: ["element: Element, rank: u32", `subgroupInclusive${builtin}(element)`],
    }),
  };
  const replaced = Object.entries(bodies ?? {});
  const known = ofIntegers ? [subgroupContract, subgroupReduce] : [subgroupContract];
  return replaced.length === 0
    ? known
    : [
        ...known,
        generated(
          [
            `// replaces: ${replaced.map(([name]) => name).join(", ")}`,
            ...replaced.map(
              ([name, [parameters, expression]]) =>
                `fn ${name}(${parameters}) -> Element {\n  return ${expression};\n}`,
            ),
          ].join("\n\n"),
        ),
      ];
}

/** Declares `value_shuffle` and `value_shuffle_up`, which move the value of a segment's element. */
export const valueShuffles = (onValues: Monoid): SourceText =>
  generated(
    [
      ["value_shuffle", "subgroupShuffle", "rank"] as const,
      ["value_shuffle_up", "subgroupShuffleUp", "distance"] as const,
    ]
      .map(([name, wgsl, place]) =>
        [
          `fn ${name}(value: SegmentValue, ${place}: u32) -> SegmentValue {`,
          `  return ${moved(onValues, "SegmentValue", "value", wgsl, place)};`,
          "}",
        ].join("\n"),
      )
      .join("\n\n"),
  );

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

/** Functions that return an element, by their names: their parameters, and an expression. */
type Bodies = Readonly<Record<string, readonly [parameters: string, expression: string]>> | undefined;

/** How many steps lead from each lane to all others, if each step doubles the distance. */
export const laneStages = ({ maxSubgroupSize }: Pick<Sizes, "maxSubgroupSize">): Constants => ({
  LANE_STAGES: Math.log2(maxSubgroupSize),
});
