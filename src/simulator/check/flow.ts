import type { Statement } from "../../text/syntax.ts";

// Where statements lead: https://www.w3.org/TR/WGSL/#behaviors

/** Whether the end of statements is never reached. */
export function endsInReturn(statements: readonly Statement[]): boolean {
  return statements.some((one) => {
    switch (one.kind) {
      case "return":
        return true;
      case "block":
        return endsInReturn(one.statements);
      case "if":
        return (
          endsInReturn(one.then.statements) && one.otherwise !== undefined && endsInReturn([one.otherwise])
        );
      case "switch":
        return one.cases.every(({ body }) => endsInReturn(body.statements) && !breaks(body.statements));
      case "loop":
      case "while":
      case "for":
        return (
          (one.kind === "loop" || (one.kind === "for" && one.condition === undefined)) &&
          !breaks(one.body.statements)
        );
      default:
        return false;
    }
  });
}

/** Whether statements have a `break` that leaves what they are the body of. */
function breaks(statements: readonly Statement[]): boolean {
  return statements.some((one) => {
    switch (one.kind) {
      case "break":
      case "break if":
        return true;
      case "block":
        return breaks(one.statements);
      case "continuing":
        return breaks(one.body.statements);
      case "if":
        return breaks(one.then.statements) || (one.otherwise !== undefined && breaks([one.otherwise]));
      default:
        return false;
    }
  });
}
