// The work-group memory of a kernel, from its text.

/** The bytes of the work-group variables of a kernel, by WebGPU's rule: each is rounded up to 16. */
export function workGroupMemory(code: string): number {
  const constants = new Map(
    [...code.matchAll(/^const (\w+)(?:: u32)? = (.*);$/gm)].map(([, name = "", text = ""]) => [name, text]),
  );
  const aliases = new Map(
    [...code.matchAll(/^alias (\w+) = (.*);$/gm)].map(([, name = "", text = ""]) => [name, text]),
  );
  const structs = new Map(
    [...code.matchAll(/^struct (\w+) \{([^}]*)\}/gm)].map(([, name = "", members = ""]) => [
      name,
      [...members.matchAll(/^\s*\w+: (.*?),?$/gm)].map(([, type = ""]) => type),
    ]),
  );
  const numberOf = (text: string): number =>
    numberOfExpression(text, (name) => numberOf(constants.get(name) ?? ""));
  const layoutOf = (type: string): { readonly bytes: number; readonly align: number } => {
    const plain = type.replace(/^atomic<(.*)>$/, "$1").trim();
    const array = /^array<(.*),([^,]*)>$/.exec(plain);
    if (array !== null) {
      const { bytes, align } = layoutOf(array[1] as string);
      return { bytes: Math.ceil(bytes / align) * align * numberOf(array[2] as string), align };
    }
    const alias = aliases.get(plain);
    if (alias !== undefined) {
      return layoutOf(alias);
    }
    const vector = /^vec([234])(?:<(\w+)>|[uif])$/.exec(plain);
    if (vector !== null) {
      const each = vector[2] === "f16" ? 2 : 4;
      const width = Number(vector[1]);
      return { bytes: width * each, align: (width === 3 ? 4 : width) * each };
    }
    const members = structs.get(plain);
    if (members !== undefined) {
      const laid = members.map(layoutOf);
      const align = Math.max(...laid.map((one) => one.align));
      const end = laid.reduce((at, one) => Math.ceil(at / one.align) * one.align + one.bytes, 0);
      return { bytes: Math.ceil(end / align) * align, align };
    }
    const scalar = { u32: 4, i32: 4, f32: 4, f16: 2 }[plain];
    if (scalar === undefined) {
      throw new Error(`the type ${type} is not known here`);
    }
    return { bytes: scalar, align: scalar };
  };
  return [...code.matchAll(/^var<workgroup> \w+: (.*);$/gm)].reduce(
    (bytes, [, type = ""]) => bytes + Math.ceil(layoutOf(type).bytes / 16) * 16,
    0,
  );
}

/** The value of a constant expression of u32. */
function numberOfExpression(text: string, numberOf: (name: string) => number): number {
  const tokens = text.match(/\d+|\w+|<<|>>|[<>!=]=|[-+*/%(),<>|]/g) ?? [];
  let at = 0;
  const call = (name: string, given: readonly number[]): number => {
    const [a = 0, b = 0, c = 0] = given;
    const calls: Readonly<Record<string, number>> = {
      min: Math.min(a, b),
      max: Math.max(a, b),
      select: c === 0 ? a : b,
      countLeadingZeros: Math.clz32(a),
    };
    const value = calls[name];
    if (value === undefined) {
      throw new Error(`the function ${name} is not known here`);
    }
    return value;
  };
  const atom = (): number => {
    const token = tokens[at++] ?? "";
    if (token === "(") {
      const value = expression(0);
      at++;
      return value;
    }
    if (/^\d/.test(token)) {
      at += tokens[at] === "u" ? 1 : 0;
      return Number.parseInt(token, 10);
    }
    if (tokens[at] === "(") {
      const given: number[] = [];
      do {
        at++;
        given.push(expression(0));
      } while (tokens[at] === ",");
      at++;
      return call(token, given);
    }
    return numberOf(token);
  };
  const levels: readonly Readonly<Record<string, (a: number, b: number) => number>>[] = [
    { "|": (a, b) => a | b },
    { "<": (a, b) => Number(a < b), ">": (a, b) => Number(a > b), "==": (a, b) => Number(a === b) },
    { "<<": (a, b) => a * 2 ** b, ">>": (a, b) => Math.floor(a / 2 ** b) },
    { "+": (a, b) => a + b, "-": (a, b) => a - b },
    { "*": (a, b) => a * b, "/": (a, b) => Math.floor(a / b), "%": (a, b) => a % b },
  ];
  const expression = (level: number): number => {
    const operations = levels[level];
    if (operations === undefined) {
      return atom();
    }
    let value = expression(level + 1);
    for (let found = operations[tokens[at] ?? ""]; found; found = operations[tokens[at] ?? ""]) {
      at++;
      value = found(value, expression(level + 1));
    }
    return value;
  };
  const value = expression(0);
  if (at !== tokens.length || !Number.isInteger(value)) {
    throw new Error(`${text} is no constant expression that is known here`);
  }
  return value;
}
