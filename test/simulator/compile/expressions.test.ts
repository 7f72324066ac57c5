import { describe } from "vitest";
import { bitsOf, testWork } from "./work.ts";

describe("order and effects", () => {
  testWork([
    [
      "operands run from left to right",
      "let x = note(1u) * 0u + note(2u) * (note(3u) - note(4u)); return trace;",
      () => 1234,
    ],
    [
      "arguments run from left to right",
      "let x = three(note(1u), note(t), note(3u)); return trace * 100u + x;",
      (t) => (103 + 10 * t) * 100 + 4 + t,
      "fn three(a: u32, b: u32, c: u32) -> u32 { meet(); return a + b + c; }",
    ],
    [
      "a value before a call is read before it",
      "trace = t; return trace + note(1u) * 100u + trace * 10000u;",
      (t) => t + 100 + (t * 10 + 1) * 10000,
    ],
    [
      "a local value before a call that changes it",
      "var x = t; let y = x + add_ten(&x) * 100u + x; return y;",
      (t) => t + (t + 10) * 100 + t + 10,
      "fn add_ten(p: ptr<function, u32>) -> u32 { meet(); *p += 10u; return *p; }",
    ],
    [
      "arguments before a call are not changed by it",
      "var v = vec2(t, 1u); return pair(v, change(&v), v);",
      (t) => t * 1000 + 700 + 7 * 10 + 1,
      "fn change(p: ptr<function, vec2<u32>>) -> u32 { meet(); (*p).x = 7u; return (*p).x; } fn pair(a: vec2<u32>, b: u32, c: vec2<u32>) -> u32 { meet(); return a.x * 1000u + b * 100u + c.x * 10u + c.y; }",
    ],
    [
      "calls as arguments of the same function",
      "return minus(minus(t + 20u, 3u), minus(note(9u), minus(4u, 2u)));",
      (t) => t + 17 - 7,
      "fn minus(a: u32, b: u32) -> u32 { meet(); let c = a - b; meet(); return c; }",
    ],
    [
      "&& skips its right side",
      "let x = truth(t > 2u) && note(5u) == 5u; return trace * 10u + u32(x);",
      (t) => (t > 2 ? 51 : 0),
    ],
    [
      "|| skips its right side",
      "let x = truth(t > 2u) || note(t) == 1u; return trace * 10u + u32(x);",
      (t) => (t > 2 ? 1 : t * 10 + Number(t === 1)),
    ],
    [
      "&& and || in each other, in a condition",
      "var x = 0u; if ((truth(t > 1u) && note(2u) == 2u) || (t == 0u && (note(3u) == 4u || truth(true)))) { x = 1u; } return trace * 10u + x;",
      (t) => (t > 1 ? 21 : t === 0 ? 31 : 0),
    ],
    [
      "& and | of bools run both sides",
      "let x = ((note(1u) == 2u) & (note(2u) == 2u)) | (note(3u) == 3u); return trace * 10u + u32(x);",
      () => 1231,
    ],
    [
      "select runs all its arguments",
      "let x = select(note(1u), note(2u), note(t) == 1u); return trace * 10u + x;",
      (t) => (120 + t) * 10 + (t === 1 ? 2 : 1),
    ],
    [
      "calls in an index, a member, a constructor",
      "let a = array(note(1u), note(2u)); let x = vec3(note(3u), a[note(1u)], Wrap(note(4u)).x)[note(t % 3u)]; return x * 1000000u + trace;",
      (t) => ([3, 2, 4][t % 3] ?? 0) * 1e6 + 123140 + (t % 3),
      "struct Wrap { x: u32 }",
    ],
    [
      "a call as a condition, a selector, a count of turns",
      "var x = 0u; for (var i = note(0u); i < note(3u); i += note(1u)) { if (note(i) == 1u) { x += 1u; } switch (note(2u)) { case 2u: { x += 10u; } default: {} } } return x;",
      () => 31,
    ],
    [
      "an index before one that changes what it was made of",
      "var i = t % 2u; var a = array(array(1u, 2u, 3u), array(4u, 5u, 6u)); let x = a[i][bump(&i)]; a[i - 1u][bump(&i)] += 10u; return x * 1000u + a[t % 2u][t % 2u + 2u - t % 2u];",
      (t) => (t % 2 === 0 ? 2013 : 6016),
      "fn bump(p: ptr<function, u32>) -> u32 { meet(); *p += 1u; return min(*p, 2u); }",
    ],
    [
      "elements before an index that runs a call are read after it",
      "var a = array(1u, 2u, 3u); return a[poke(&a)];",
      () => 9,
      "fn poke(p: ptr<function, array<u32, 3>>) -> u32 { meet(); (*p)[1] = 9u; return 1u; }",
    ],
  ]);
});

describe("functions", () => {
  testWork([
    [
      "that return vectors",
      "let v = both(t); return v.x * 10u + both(v.y).y;",
      (t) => t * 10 + t + 2,
      "fn both(x: u32) -> vec2<u32> { meet(); return vec2(x, x + 1u); }",
    ],
    [
      "that return structs",
      "let p = made(t); return p.a * 100u + u32(p.b.y) * 10u + u32(made(3u).c[1]);",
      (t) => t * 100 + (t + 1) * 10 + 4,
      "struct P { a: u32, b: vec2<f32>, c: array<i32, 2> } fn made(x: u32) -> P { meet(); return P(x, vec2(0.5, f32(x + 1u)), array(1, i32(x) + 1)); }",
    ],
    [
      "that return arrays, whose elements are chosen",
      "return list(t)[same(t) % 3u] + list(1u)[2];",
      (t) => t + (t % 3) + 3,
      "fn list(x: u32) -> array<u32, 3> { meet(); return array(x, x + 1u, x + 2u); }",
    ],
    [
      "that return matrices",
      "let m = grid(f32(t)); return u32(m[t % 2u][(t + 1u) % 2u]) + u32(grid(10.0)[1].x);",
      (t) => t + ((t % 2) * 2 + ((t + 1) % 2)) + 12,
      "fn grid(x: f32) -> mat2x2<f32> { meet(); return mat2x2(x, x + 1.0, x + 2.0, x + 3.0); }",
    ],
    [
      "that take arrays, structs and matrices",
      "var a = array(t, 2u); return all_of(a, Q(vec3(1u, 2u, 3u), true), mat2x3<f32>(1, 2, 3, 4, 5, 6), t % 2u);",
      (t) => (t % 2 === 0 ? t : 2) + 30 + 100 * (t % 2 === 0 ? 3 : 6),
      "struct Q { v: vec3<u32>, b: bool } fn all_of(a: array<u32, 2>, q: Q, m: mat2x3<f32>, i: u32) -> u32 { meet(); var x = a[i]; if (q.b) { x += q.v.z * 10u; } meet(); return x + u32(m[i].z) * 100u; }",
    ],
    [
      "that return before their end in a loop",
      "return first_above(t) * 10u + first_above(2u);",
      (t) => (t + 1) * 10 + 3,
      "fn first_above(x: u32) -> u32 { for (var i = 0u; i < 10u; i++) { if (i > x) { meet(); return i; } meet(); } return 99u; }",
    ],
    [
      "that call others under conditions",
      "if (t % 2u == 0u) { return outer(t) + outer(t + 1u); } return 5u;",
      (t) => (t % 2 === 0 ? 4 * t + 2 + 2 * (t > 2 ? 100 : 0) + (t === 2 ? 100 : 0) : 5),
      "fn inner(x: u32) -> u32 { meet(); return x * 2u; } fn outer(x: u32) -> u32 { var y = 0u; if (x > 2u) { y = 100u; meet(); } return inner(x) + y; }",
    ],
    [
      "that have no result",
      "fill(t); return trace;",
      (t) => t + 1,
      "fn fill(x: u32) { if (x > 3u) { trace = x + 1u; return; } meet(); trace = x + 1u; }",
    ],
  ]);
});

describe("parts of values", () => {
  testWork([
    [
      "swizzles of values and variables",
      "var v = vec4(t, 1u, 2u, 3u); let w = v.wzyx.rgb; return w.x * 1000u + w.y * 100u + v.bgra.zw.x * 10u + vec2(t, 7u).yx.x;",
      (t) => 3000 + 200 + t * 10 + 7,
    ],
    [
      "an index into a vector, a value and a constant",
      "var v = vec3(t, 5u, 6u); v[(t + 1u) % 3u] = 9u; let w = v * 2u; return w[t % 3u] * 1000u + v[same(t) % 3u] * 10u + K[t % 2u];",
      (t) => {
        const v = [t, 5, 6];
        v[(t + 1) % 3] = 9;
        const x = v[t % 3] ?? 0;
        return x * 2000 + x * 10 + (t % 2) + 3;
      },
      "const K = vec2(3u, 4u);",
    ],
    [
      "indices into arrays in arrays",
      "var a: array<array<u32, 3>, 2>; a[t % 2u][t % 3u] = 5u; a[1] = array(a[1][0], 7u, a[1][2]); meet(); let b = a; return b[t % 2u][t % 3u] * 10u + a[1][1];",
      (t) => {
        const isReplaced = t % 2 === 1 && t % 3 === 1;
        return (isReplaced ? 7 : 5) * 10 + 7;
      },
    ],
    [
      "arrays of structs, and structs of arrays of vectors",
      "var a: array<Item, 3>; a[t % 3u].v[1].y = t; a[same(t) % 3u].n += 4u; let c = a[t % 3u]; meet(); var d = a; d[0] = c; return d[0].v[1].y * 10u + d[0].n;",
      (t) => t * 10 + 4,
      "struct Item { n: u32, v: array<vec2<u32>, 2> }",
    ],
    [
      "columns and elements of matrices",
      "var m = mat3x2<f32>(); m[t % 3u] = vec2(f32(t), 2.0); m[2].y = 7.0; m[same(t) % 2u][(t + 1u) % 2u] += 1.0; meet(); let n = m; let c = n[t % 3u]; return u32(c.x * 100.0 + c.y * 10.0 + n[2][1]);",
      (t) => {
        const m = [
          [0, 0],
          [0, 0],
          [0, 0],
        ];
        m[t % 3] = [t, 2];
        m[2] = [m[2]?.[0] ?? 0, 7];
        const column = m[t % 2] ?? [];
        column[(t + 1) % 2] = (column[(t + 1) % 2] ?? 0) + 1;
        const [x = 0, y = 0] = m[t % 3] ?? [];
        return x * 100 + y * 10 + (m[2]?.[1] ?? 0);
      },
    ],
    [
      "a struct in registers: members that are vectors",
      "var s = R(1u, vec2(t, 3u), 4u); s.v[t % 2u] = 8u; s.v.x += 1u; meet(); let r = s; return r.a * 1000u + r.v[0] * 100u + r.v[same(t + 1u) % 2u] * 10u + r.b;",
      (t) => {
        const v = [t, 3];
        v[t % 2] = 8;
        v[0] = (v[0] ?? 0) + 1;
        return 1000 + (v[0] ?? 0) * 100 + (v[(t + 1) % 2] ?? 0) * 10 + 4;
      },
      "struct R { a: u32, v: vec2<u32>, b: u32 }",
    ],
    [
      "conversions of vectors",
      "let v = vec3<f32>(vec3(t, 2u, 3u)) + 0.5; let i = vec3<i32>(-v); let b = vec3<bool>(i + 3); return u32(i.x + 10) * 1000u + u32(b.z) * 100u + u32(any(!b)) * 10u + u32(v.y);",
      (t) => (10 - t) * 1000 + 12,
    ],
    [
      "constructors of several parts",
      "let v = vec4(vec2(t, 1u), vec2(2u, 3u)); let w = vec4<u32>(v.x, v.yz, 9u); let z = vec3<u32>(5u); return w.x * 1000u + w.y * 100u + w.z * 10u + w.w + z.z * 10000u;",
      (t) => 50000 + t * 1000 + 129,
    ],
    [
      "zero values",
      "let v = vec3<i32>(); let a = array<u32, 2>(); let s = Z(); let m = mat2x2<f32>(); return t + u32(v.x) + a[1] + s.v.y + u32(m[1].x) + u32(bool()) + u32();",
      (t) => t,
      "struct Z { b: bool, v: vec2<u32> }",
    ],
  ]);
});

describe("operators", () => {
  testWork([
    [
      "of u32 wrap around",
      "let x = t - 1u; return (x * 3u) + (x >> 4u) + (x / 7u) % 5u - u32(x > 5u);",
      (t) => {
        const x = (t - 1) >>> 0;
        return (Math.imul(x, 3) + (x >>> 4) + (Math.floor(x / 7) % 5) - Number(x > 5)) | 0;
      },
    ],
    [
      "of i32",
      "let x = i32(t) - 3; return bitcast<u32>(x / 2 * 1000 + x % 2 * 100 + (x >> 1u) * 10 + select(0, 1, x < 0) + (-x << 2u) * 10000);",
      (t) => {
        const x = t - 3;
        return Math.trunc(x / 2) * 1000 + (x % 2) * 100 + (x >> 1) * 10 + Number(x < 0) + -x * 40000;
      },
    ],
    [
      "on vectors and numbers",
      "let v = vec3(t, 2u, 3u); let w = (v + 1u) * (10u - v); let b = v == vec3(2u); return w.x * 10000u + w.y * 100u + w.z + select(0u, 1000000u, any(b)) + u32(all(v < w)) * 2000000u;",
      (t) => (t + 1) * (10 - t) * 10000 + 24 * 100 + 28 + 1e6 + 2e6 * Number(t < (t + 1) * (10 - t)),
    ],
    [
      "on matrices",
      "let m = mat2x2<f32>(1.0, 2.0, 3.0, f32(t)); let v = m * vec2(1.0, 2.0); let w = vec2(1.0, 2.0) * m; let n = m * m + m * 2.0 - m; return u32(v.x * 1000.0 + v.y * 100.0 + w.x * 10.0 + w.y) + u32(n[1].x) * 100000u;",
      (t) => 7000 + (2 + 2 * t) * 100 + 50 + 3 + 2 * t + (3 + 3 * t + 3) * 100000,
    ],
    [
      "compound, on vectors and matrices",
      "var v = vec2(f32(t), 3.0); v *= 2.0; v += vec2(1.0); v *= mat2x2<f32>(0.0, 1.0, 1.0, 0.0); var m = mat2x2<f32>(1.0, 0.0, 0.0, 1.0); m *= 3.0; meet(); m += m; m[0] -= v; return u32(v.x * 1000.0 + v.y * 10.0 + m[1].y + 100.0 * (m[0].x + 1.0));",
      (t) => 7000 + (2 * t + 1) * 10 + 6,
    ],
    [
      "- ! ~ again and again",
      "let x = i32(t); let b = !!(t > 2u); return u32(- -x) + u32(!b) * 10u + (~~t) * 100u + u32(-(-(x)));",
      (t) => 2 * t + (t > 2 ? 0 : 10) + t * 100,
    ],
    [
      "of f32: bits of results",
      "let x = f32(t) / 3.0; return bitcast<u32>(x) ^ bitcast<u32>(-x) ^ bitcast<u32>(x * x);",
      (t) => {
        const x = Math.fround(t / 3);
        return bitsOf(x) ^ bitsOf(-x) ^ bitsOf(Math.fround(x * x));
      },
    ],
    [
      "f16",
      "let x = f16(t) + 0.5h; let v = vec2<f16>(x, 2) * x; return u32(v.x * 4h) * 100u + u32(f32(v.y));",
      (t) => (2 * t + 1) ** 2 * 100 + (2 * t + 1),
    ],
  ]);
});

describe("bits and conversions", () => {
  testWork([
    [
      "bitcasts",
      "let v = bitcast<vec2<f16>>(0x3c004000u + t * 0u); let w = bitcast<vec2<u32>>(vec4<f16>(v, v)); return u32(v.x) * 10u + u32(v.y) + u32(w.x == w.y) * 100u + bitcast<u32>(bitcast<i32>(bitcast<f32>(t))) * 1000u;",
      (t) => 121 + t * 1000,
    ],
    [
      "of floats to integers",
      "let f = f32(t) * 1000000000.0 - 2000000000.5; return u32(f) ^ bitcast<u32>(i32(f));",
      (t) => {
        const f = Math.fround(Math.fround(t * 1e9) - Math.fround(2000000000.5));
        return (
          Math.trunc(Math.min(Math.max(f, 0), 4294967040)) ^
          Math.trunc(Math.min(Math.max(f, -2147483648), 2147483520))
        );
      },
    ],
    [
      "of bools",
      "let b = bool(t % 2u); return u32(b) + u32(i32(b)) * 10u + u32(f32(b)) * 100u + u32(bool(f32(t) - 1.0)) * 1000u;",
      (t) => (t % 2) * 111 + Number(t !== 1) * 1000,
    ],
    [
      "frexp, modf, and their members",
      "let f = frexp(f32(t) + 8.0); let m = modf(f32(t) + 0.25); return u32(f.exp) * 10000u + u32(f.fract * 1600.0) + u32(m.whole) * 100000u + u32(m.fract * 4.0) * 1000000u;",
      (t) => 40000 + (t + 8) * 100 + t * 100000 + 1000000,
    ],
  ]);
});

describe("abstract numbers", () => {
  testWork([
    [
      "take the type of what stands beside them",
      "let f = 2 * f32(t) + 1; let u = 7 - t; let v = vec2(1, 2) * f32(t); let i = -1 + i32(t); return u32(f) * 1000u + u * 100u + u32(v.y) * 10u + u32(i + 2);",
      (t) => (2 * t + 1) * 1000 + (7 - t) * 100 + 2 * t * 10 + t + 1,
    ],
    [
      "take the type of a declaration, an argument, a result, a member, an element",
      "let f: f32 = 3; var v: vec3<f32> = vec3(1, 2, 3); let a: array<f32, 2> = array(1, 2); let s = M(5, vec2(6, 7)); meet(); v = vec3(4, 5, 6); return u32(f + v.x + a[1] + s.a + s.v.y + half(9) + array<f32, 2>(1, 2.5)[0]) + t;",
      (t) => 26 + t,
      "struct M { a: f32, v: vec2<f32> } fn half(x: f32) -> f32 { meet(); if (x > 8) { return 4; } return x / 2; }",
    ],
    [
      "that nothing gives a type are i32 or f32",
      "var i = 3; var f = 1.5; let v = vec2(1, 2.5); i = -i; f *= 2; return u32(i + 10) + u32(f) + u32(v.y * 2) + t;",
      (t) => 7 + 3 + 5 + t,
    ],
    [
      "in built-in functions",
      "return u32(max(3, f32(t)) + min(2.5, 1) * 10 + clamp(f32(t), 1, 2) * 100) + u32(select(1, 2, t > 2u)) * 1000u + u32(sqrt(16)) * 10000u + u32(length(vec2(3, 4))) * 100000u + u32(dot(vec2(1, 2), vec2(3, 4))) * 1000000u;",
      (t) =>
        Math.max(3, t) +
        10 +
        Math.min(2, Math.max(1, t)) * 100 +
        (t > 2 ? 2000 : 1000) +
        40000 +
        500000 +
        11000000,
    ],
    [
      "in parts of constants",
      "let a: f32 = V.y; let b: f32 = K[1]; let c: f32 = N[0].y + vec2(1, 7).y; let m = mat2x2(1, 2, 3, 4); let d = m[1]; let e: vec2<f32> = V.yx * 0.5; return u32(a + b * 10 + c * 100 + d.x * 10000 + e.x * 100000) + t;",
      (t) => 2 + 40 + 1300 + 30000 + 100000 + t,
      "const V = vec2(1, 2); const K = array(3, 4); const N = array(vec2(5, 6));",
    ],
    [
      "before a call at which threads meet",
      "let v = vec2(1, 2) * f32(same(t)); let w = vec2(1, 3) + vec2(f32(same(2u)), 4); return u32(v.y * 100 + w.x * 10 + w.y);",
      (t) => 200 * t + 30 + 7,
    ],
    [
      "in constants",
      "const a = 1 + 2 * 3.5; const b: u32 = 10 / 4 * 2; const c = 7 % 4 + (1 << 4); let x: f32 = c; return u32(a * 10) + b * 100u + u32(c) * 1000u + u32(x) * 100000u + t;",
      (t) => 80 + 400 + 19000 + 1900000 + t,
    ],
    [
      "as counts, and as indices",
      "var a: array<u32, 2 * N>; a[N] = 5u; a[-1 + 2] = 6u; meet(); return a[3] * 10u + a[1] + t;",
      (t) => 56 + t,
      "const N = 3;",
    ],
    [
      "in shifts",
      "let x = t << 2; let y = (1u << t) + (256u >> 4); var z = 1u; z <<= 3; return x * 10000u + y * 10u + z;",
      (t) => 4 * t * 10000 + (2 ** t + 16) * 10 + 8,
    ],
  ]);
});
