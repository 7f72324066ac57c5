import carryInitial from "#shaders/device/io/carry_initial.wgsl";
import carryNone from "#shaders/device/io/carry_none.wgsl";
import carrySpine from "#shaders/device/io/carry_spine.wgsl";
import carrySpineInitial from "#shaders/device/io/carry_spine_initial.wgsl";
import initialBuffer from "#shaders/device/io/initial_buffer.wgsl";
import result from "#shaders/device/io/result.wgsl";
import resultAfterInitial from "#shaders/device/io/result_after_initial.wgsl";
import totalNone from "#shaders/device/io/total_none.wgsl";
import totalStored from "#shaders/device/io/total_stored.wgsl";
import carryAfterInitial from "#shaders/device/look_back/carry_after_initial.wgsl";
import { describe } from "../algebra/check_value.ts";
import { bytesOfInitial } from "../algebra/initial.ts";
import type { Monoid } from "../algebra/monoid.ts";
import type { Domain } from "../algebra/types.ts";
import { refuse } from "../errors.ts";
import type { SourceText } from "../text/source.ts";
import { generated } from "../text/source.ts";
import { conversion } from "./contract.ts";
import type { CarryPlace, Ends } from "./kernel.ts";

/** The files for the carry, without and with an initial value. */
const carryFiles: Readonly<Record<CarryPlace, readonly [readonly SourceText[], SourceText]>> = {
  "one tile": [[carryNone], carryInitial],
  spine: [[carrySpine], carrySpineInitial],
  "look-back": [[], carryAfterInitial],
  result: [[result], resultAfterInitial],
};

/** The options for the ends of a plan, which are not checked yet. */
export interface EndChoices {
  readonly initial?: unknown;
  readonly total?: unknown;
  /** Whether the initial value is the total of elements before, so that results are those of one longer array. */
  readonly continued?: boolean;
  /** Whether the initial value and the total are elements as they are combined. */
  readonly carried?: boolean;
  /** WGSL for whether there is no element at all, if kernels take them in mirrored order. */
  readonly isEmpty?: string | undefined;
}

/**
 * The ends that options ask for; undefined if they ask for none.
 *
 * @throws {ArgumentError} if an option is not true or false.
 */
export function endsOf(
  { initial = false, total = false, continued = false, carried = false, isEmpty }: EndChoices,
  title: string,
  monoid: Monoid,
): Ends | undefined {
  for (const [name, value] of Object.entries({ initial, total })) {
    if (typeof value !== "boolean") {
      refuse(title, name, describe(value), `true or false; each recording gives the ${name}`);
    }
  }
  if (!initial && !total) {
    return undefined;
  }
  const { domain, start, type } = monoid;
  const { element } = domain;
  const {
    stored = element,
    fromStored = "x",
    fromInitial = fromStored,
    toStored = "x",
  } = carried ? ({} as Partial<Domain>) : domain;
  const shown =
    start && (!initial || (isEmpty && continued))
      ? `select(x, ${start.before}, ${isEmpty ?? "data_length() == 0u"})`
      : toStored;
  const storedText = generated(
    [
      `alias Stored = ${stored};`,
      conversion("element_from_stored", "Stored", "Element", fromInitial),
      conversion("stored_from_element", "Element", "Stored", shown),
    ].join("\n"),
  );
  return {
    monoid: initial && !continued ? { ...monoid, start: undefined } : monoid,
    ...(initial === true && { initial: (value: unknown) => bytesOfInitial(value, type, title) }),
    total: total === true,
    needs: [...(initial ? (["initial"] as const) : []), ...(total ? (["total"] as const) : [])],
    sources(place) {
      const [without, withInitial] = carryFiles[place];
      return [
        storedText,
        ...(initial ? [initialBuffer, withInitial] : without),
        ...(place === "result" ? [] : [total ? totalStored : totalNone]),
      ];
    },
  };
}
