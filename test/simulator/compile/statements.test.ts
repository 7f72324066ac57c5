import { describe } from "vitest";
import { testWork } from "./work.ts";

describe("names", () => {
  testWork([
    [
      "a const has what stands before it, whatever is declared later",
      "const K = vec2(5u, 7u); { const A = K; let K = t; meet(); return A.y + K; }",
      (t) => 7 + t,
    ],
  ]);
});

describe("conditions", () => {
  testWork([
    ["if", "var x = 1u; if (t > 2u) { meet(); x = 5u; } return x;", (t) => (t > 2 ? 5 : 1)],
    [
      "if and else",
      "var x = 1u; if (t % 2u == 0u) { meet(); x = 5u; } else { x = 7u; meet(); } return x;",
      (t) => (t % 2 === 0 ? 5 : 7),
    ],
    [
      "a chain of ifs",
      `var x = 1u;
       if (t == 0u) { x = 10u; } else if (same(t) == 1u) { x = 11u; meet(); } else if (t == 2u) { x = 12u; } else { meet(); x = 13u; }
       return x;`,
      (t) => 10 + Math.min(t, 3),
    ],
    [
      "an if in an else in an if",
      `if (t < 3u) { if (t == 1u) { meet(); return 1u; } else { if (t == 2u) { return 2u; } } meet(); return 3u; }
       return 4u;`,
      (t) => [3, 1, 2, 4, 4, 4][t] ?? 0,
    ],
    [
      "switch with several selectors, and default in the middle",
      `var x = 0u;
       switch (same(t)) { case 0u, 2u: { x = 20u; } default { x = 30u; meet(); } case 1u, { meet(); x = 40u; } }
       return x;`,
      (t) => [20, 40, 20, 30, 30, 30][t] ?? 0,
    ],
    [
      "default among selectors, and negative selectors",
      `var x = 0u;
       switch (i32(t) - 2) { case -2: { x = 1u; } case -1, default, 3 { meet(); x = 2u; } case 0: { x = 3u; } }
       return x;`,
      (t) => [1, 2, 3, 2, 2, 2][t] ?? 0,
    ],
    [
      "selectors that are constants",
      `const two = 2u;
       switch (t) { case ONE: { return 10u; } case two, ONE + two: { meet(); return 20u; } case u32(2.0) + 2u: { return 40u; } default: {} }
       return 50u;`,
      (t) => [50, 10, 20, 20, 40, 50][t] ?? 0,
      "const ONE = 1;",
    ],
    [
      "break in a switch in a loop leaves the switch",
      `var x = 0u;
       for (var i = 0u; i < 4u; i++) { switch (i) { case 1u: { if (t > 2u) { meet(); break; } x += 10u; } default: { x += 1u; meet(); } } }
       return x;`,
      (t) => (t > 2 ? 3 : 13),
    ],
    [
      "continue in a switch goes on with the loop",
      `var x = 0u;
       for (var i = 0u; i < 4u; i++) { switch (i % 2u) { case 1u: { if (t > 2u) { meet(); continue; } } default: {} } meet(); x += i + 1u; }
       return x;`,
      (t) => (t > 2 ? 4 : 10),
    ],
    [
      "return in a switch",
      "switch (t) { case 3u: { meet(); return 7u; } default: { } } meet(); return 8u;",
      (t) => (t === 3 ? 7 : 8),
    ],
  ]);
});

describe("loops", () => {
  testWork([
    [
      "for",
      "var x = 0u; for (var i = 0u; i < t; i++) { meet(); x += i; } return x;",
      (t) => (t * (t - 1)) / 2,
    ],
    [
      "for without its parts",
      "var x = 0u; for (;;) { x += 2u; if (x > t) { break; } meet(); } return x;",
      (t) => t + 2 - (t % 2),
    ],
    [
      "for with threads that meet in its parts",
      "var x = 0u; for (var i = same(1u); same(i) <= t; i = same(i) + 2u) { x += i; } return x;",
      (t) => [0, 1, 1, 4, 4, 9][t] ?? 0,
    ],
    [
      "while",
      "var x = 100u; while (x > 90u + t) { meet(); x -= 3u; } return x;",
      (t) => {
        let x = 100;
        while (x > 90 + t) {
          x -= 3;
        }
        return x;
      },
    ],
    [
      "loop with continuing",
      "var x = 0u; var i = 0u; loop { if (i >= t) { break; } meet(); x += i; continuing { i += 2u; meet(); } } return x;",
      (t) => [0, 0, 0, 2, 2, 6][t] ?? 0,
    ],
    [
      "break if",
      "var x = 0u; loop { meet(); x += 3u; continuing { x += 1u; break if same(x) > t * 3u; } } return x;",
      (t) => [4, 4, 8, 12, 16, 16][t] ?? 0,
    ],
    [
      "what a loop's body declares is visible in its continuing",
      `var sum = 0u; var i = 0u;
       loop { let twice = 2u * i; if (twice % 4u == t % 2u * 2u) { meet(); continue; } sum += 100u; continuing { sum += twice; i++; meet(); break if twice > 6u; } }
       return sum;`,
      (t) => {
        let sum = 0;
        for (let i = 0; ; i++) {
          sum += (2 * i) % 4 === (t % 2) * 2 ? 2 * i : 100 + 2 * i;
          if (2 * i > 6) {
            return sum;
          }
        }
      },
    ],
    [
      "variables of a loop's body start anew each turn",
      "var x = 0u; for (var i = 0u; i < 3u; i++) { var a: u32; var b: array<u32, 2>; a += i; b[1] += i + t; meet(); x += a + b[1]; } return x;",
      (t) => 6 + 3 * t,
    ],
    [
      "break and continue in loops in loops",
      `var x = 0u;
       for (var i = 0u; i < 5u; i++) {
         if (i == t) { meet(); continue; }
         for (var j = 0u; j < 5u; j++) { if (j == 2u) { continue; } if (j > i) { meet(); break; } meet(); x += 10u * i + j; }
         if (i == 3u && t > 1u) { break; }
       }
       return x;`,
      (t) => {
        let x = 0;
        for (let i = 0; i < 5; i++) {
          if (i === t) {
            continue;
          }
          for (let j = 0; j <= Math.min(i, 4); j++) {
            x += j === 2 ? 0 : 10 * i + j;
          }
          if (i === 3 && t > 1) {
            break;
          }
        }
        return x;
      },
    ],
    [
      "return in loops in loops",
      "for (var i = 0u; ; i++) { var j = 0u; loop { if (i * j == t) { meet(); return 10u * i + j; } meet(); j++; if (j > 3u) { break; } } }",
      (t) => [0, 11, 12, 13, 22, 51][t] ?? 0,
    ],
    [
      "a loop that some threads never enter",
      "var x = 9u; if (t > 2u) { for (var i = 0u; i < t - 2u; i++) { meet(); x += same(i); } } return x;",
      (t) => 9 + Math.max(0, ((t - 2) * (t - 3)) / 2) * Number(t > 2),
    ],
  ]);
});

describe("assignments", () => {
  testWork([
    [
      "all compound operators",
      `var x = 100u + t; x += 7u; x *= 3u; meet(); x -= 4u; x /= 2u; x %= 97u; x &= 62u; x |= 1u; x ^= 5u; meet(); x <<= 3u; x >>= 1u; return x;`,
      (t) => ((((((((Math.floor(((107 + t) * 3 - 4) / 2) % 97) & 62) | 1) ^ 5) << 3) >>> 1) >>> 0) | 0) >>> 0,
    ],
    [
      "++ and --",
      "var x = t; x++; meet(); x++; var y = -3i; y--; y--; y++; meet(); return x + u32(-y);",
      (t) => t + 6,
    ],
    [
      "the left side of a compound assignment is read before the right one runs",
      "trace = 5u; trace += note(t) * 100u; return trace;",
      (t) => 5 + t * 100,
    ],
    [
      "the index on the left runs before the right side",
      "var a: array<u32, 4>; a[note(1u)] = note(2u); a[note(3u)] += note(4u); return trace * 100u + a[1] * 10u + a[3];",
      () => 123424,
    ],
    [
      "the index on the left is kept while the right side changes it",
      "var i = t % 3u; var a = array(1u, 2u, 3u); let p = &i; a[i] = bump(p); a[i % 3u] *= bump(p); return a[0] * 100u + a[1] * 10u + a[2];",
      (t) => {
        const a = [1, 2, 3];
        let i = t % 3;
        a[i] = ++i;
        const at = i % 3;
        a[at] = (a[at] ?? 0) * ++i;
        return (a[0] ?? 0) * 100 + (a[1] ?? 0) * 10 + (a[2] ?? 0);
      },
      "fn bump(p: ptr<function, u32>) -> u32 { meet(); *p += 1u; return *p; }",
    ],
    [
      "a component of a vector is chosen before the right side",
      "var v = vec3(1u, 2u, 3u); var i = t % 3u; v[i] = note(7u); v[same(i)] += note(t); return v.x * 10000u + v.y * 100u + v.z;",
      (t) => [1, 2, 3].reduce((sum, x, at) => sum * 100 + (at === t % 3 ? 7 + t : x), 0),
    ],
    ["a phony assignment runs its value", "_ = note(3u) + note(4u); _ = t; return trace;", () => 34],
    [
      "a call whose result nothing takes",
      "drop(t); drop(2u); return trace;",
      (t) => t * 10 + 2,
      "fn drop(x: u32) { _ = note(x); }",
    ],
    [
      "swapped components",
      "var v = vec3(t, 2u, 3u); v = v.zxy; meet(); v = vec3(v.y, v.x, v.z); return v.x * 100u + v.y * 10u + v.z;",
      (t) => t * 100 + 32,
    ],
    [
      "swapped members and elements",
      `var s = Two(array(t, 2u), vec2(3u, 4u)); meet(); s = Two(array(s.v.y, s.a[0]), s.v.yx); var b = s.a; meet(); b = array(b[1], b[0]);
       return s.a[0] * 10000u + s.a[1] * 1000u + s.v.x * 100u + b[0] * 10u + b[1];`,
      (t) => 40000 + t * 1000 + 400 + t * 10 + 4,
      "struct Two { a: array<u32, 2>, v: vec2<u32> }",
    ],
  ]);
});

describe("names", () => {
  testWork([
    [
      "a name hides an outer one in its block alone",
      "let x = t; var y = 0u; { let x = x + 10u; meet(); { var x = x * 2u; x += 1u; y += x; meet(); } y += x; } return y * 100u + x;",
      (t) => (2 * (t + 10) + 1 + t + 10) * 100 + t,
    ],
    [
      "a local name hides a variable and a constant of the module",
      "let hidden = 5u; { let K = hidden + 1u; meet(); hidden_twice(); return K * 100u + trace; }",
      () => 607,
      "const K = 1u; var<private> hidden: u32 = 7u; fn hidden_twice() { trace = hidden; meet(); }",
    ],
    [
      "a for loop's variable hides one around it, and its body may hide that",
      "var i = 50u; var x = 0u; for (var i = 0u; i < 3u; i++) { let k = i; let i = t; x += i + k; meet(); } return x + i;",
      (t) => 53 + 3 * t,
    ],
    [
      "constants of the module and of the function",
      "const a = B * 2; const v = vec2(a, 1); let f: f32 = a; meet(); return u32(f) + u32(v.x) * 100u + u32(LIST[t % 3u]) * 1000u;",
      (t) => 14 + 1400 + (4 + (t % 3)) * 1000,
      "const B = C + 4; const C = 3; const LIST = array(4, 5, 6);",
    ],
    [
      "an early return",
      "if (t == 1u) { return 5u; } meet(); if (t == 2u) { { meet(); return 6u; } } return 7u;",
      (t) => (t === 1 ? 5 : t === 2 ? 6 : 7),
    ],
    [
      "an empty function and an empty statement",
      "nothing_at_all(); ; {} meet(); return t;",
      (t) => t,
      "fn nothing_at_all() {}",
    ],
    [
      "a private variable keeps its value between calls, and starts with that of its declaration",
      "count(); count(); meet(); return start.y * 100u + runs;",
      () => 902,
      "var<private> runs: u32; var<private> start = vec2<u32>(1, THREE * 3); const THREE = 3; fn count() { runs++; meet(); }",
    ],
  ]);
});
