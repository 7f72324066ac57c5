// What people write who know another language better than WGSL.

const habits: readonly (readonly [seen: RegExp, cure: string])[] = [
  [/[=!]==/, "WGSL compares by == and !="],
  [/=>/, "a text has no parameters before it: it is the expression alone"],
  [/\b(?:and|or|not)\b/, "WGSL writes && for and, || for or, ! for not"],
  [/\?/, "WGSL has select(otherwise, then, condition)"],
  [/\*\*/, "WGSL has no **: a square is x * x"],
  [/\b(?:Math|np)\s*\./, "WGSL's functions have no prefix, as in abs(x)"],
  [/\bisNaN\b/, "WGSL has no isNaN; a NaN of f32 has (bitcast<u32>(x) & 0x7fffffffu) > 0x7f800000u"],
  [/>>>/, "WGSL has no >>>: >> of a u32 shifts zeros in"],
  [/\b(?:Infinity|NaN)\b/, "WGSL has no Infinity and no NaN; the largest f32 is 3.4028234e38"],
];

/** What a compiler says of a name that nobody has declared: the reader of texts, Dawn, naga, Safari. */
const undeclared = /not declared|unresolved|no definition in scope|unknown identifier|unidentified/i;

/** What to do about such a name: a text of an operator sees no params. */
const ownValues = (seesParams: boolean): string =>
  seesParams
    ? "give your own values as params, or write them into the text"
    : "write your own values into the text, or make them fields of the elements";

/** Types that a param may need to have, if it is an f32 and does not fit: a compiler's message names both. */
const OTHER_TYPE = /\b(?:u64|i64|u32|i32|f16|f64)\b/;

/** What to do about params of f32 that a line uses where it takes another type: their numbers have no type beside them. */
function typedParam(problem: string, code: string, floatParams: readonly string[]): string | undefined {
  const used = floatParams.filter((name) => new RegExp(`(?<![\\w.])${name}(?!\\w)`).test(code));
  const [met] = OTHER_TYPE.exec(problem) ?? [];
  if (used.length !== 1 || met === undefined || !/\bf32\b/.test(problem)) {
    return undefined;
  }
  const type = /<<|>>/.test(problem) ? "u32" : met;
  const [name] = used;
  return `${name} is an f32; as ${type}, a call takes ${name}: [${type}, ${/^[ui]64$/.test(type) ? "5n" : 5}], and a plan ${name}: ${type}`;
}

/**
 * What a compiler says of a line of a caller's that it refuses, and what WGSL has for what the line holds. `floatParams` are the params of f32
 * that the line's text sees.
 */
export function withCure(
  problem: string,
  line: string,
  seesParams = true,
  floatParams: readonly string[] = [],
): string {
  const code = line.replace(/\/\/.*|\/\*.*?\*\//g, "");
  const cure =
    habits.find(([seen]) => seen.test(code))?.[1] ??
    (undeclared.test(problem) ? ownValues(seesParams) : undefined);
  if (cure !== undefined) {
    return `${problem}; ${cure}`;
  }
  const typed = typedParam(problem, code, floatParams);
  return typed === undefined ? problem : `${problem.replace(/; (?:compare|convert) .*/, "")}; ${typed}`;
}
