import { Schema } from "effect"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { isWeaker, PASSWORD_PARAMETERS, PasswordParameters, PasswordSalt } from "../../../schemas/human/password.ts"

const isParameters = Schema.is(PasswordParameters)
const WITHIN = fc.record({
  algorithm: fc.constant("argon2id" as const),
  memory_kib: fc.integer({ min: 7168, max: 131_072 }),
  passes: fc.integer({ min: 1, max: 4 }),
  parallelism: fc.integer({ min: 1, max: 4 }),
  tag_bytes: fc.integer({ min: 16, max: 64 })
})

describe("the parameters of a hash", () => {
  it("of today are at least what OWASP names, and within our own bounds", () => {
    expect(isParameters(PASSWORD_PARAMETERS)).toBe(true)
    expect(PASSWORD_PARAMETERS.memory_kib).toBeGreaterThanOrEqual(19 * 1024)
    expect(PASSWORD_PARAMETERS.passes).toBeGreaterThanOrEqual(2)
    fc.assert(fc.property(WITHIN, (parameters) => isParameters(parameters)))
  })

  it.each([
    { memory_kib: 4_194_304 },
    { memory_kib: 131_073 },
    { memory_kib: 7167 },
    { memory_kib: 20_000.5 },
    { memory_kib: Number.NaN },
    { passes: 0 },
    { passes: 11 },
    { passes: -1 },
    { memory_kib: 131_072, passes: 5 },
    { parallelism: 0 },
    { parallelism: 5 },
    { tag_bytes: 15 },
    { tag_bytes: 65 },
    { algorithm: "argon2i" }
  ])("are refused with %j", (forged) => {
    expect(isParameters({ ...PASSWORD_PARAMETERS, ...forged })).toBe(false)
  })

  it.each([
    [{ passes: 1 }, true],
    [{ memory_kib: 19_456 }, true],
    // As much work in less memory is cheaper for who has many cores.
    [{ memory_kib: 16_384, passes: 4 }, true],
    [{ tag_bytes: 16 }, true],
    [{}, false],
    [{ parallelism: 4 }, false],
    [{ memory_kib: 65_536 }, false],
    [{ memory_kib: 131_072, passes: 1 }, false]
  ])("%j instead of today's are weaker: %s", (kept, weaker) => {
    expect(isWeaker({ ...PASSWORD_PARAMETERS, ...kept }, PASSWORD_PARAMETERS)).toBe(weaker)
  })

  it("are never weaker both ways: no two edges make a hash anew by turns", () => {
    fc.assert(fc.property(WITHIN, WITHIN, (one, other) => !(isWeaker(one, other) && isWeaker(other, one))))
  })
})

describe("a salt", () => {
  it.each([
    ["AAAAAAAAAAAAAAAAAAAAAA==", true],
    ["AAAAAAAAAAAAAAAAAAAAAB==", false],
    ["AAAAAAAAAAAAAAAAAAAAAA", false],
    ["AAAAAAAAAAAAAAAAAAAAAAA=", false],
    ["", false]
  ])("%j is 16 bytes: %s", (salt, good) => {
    expect(Schema.is(PasswordSalt)(salt)).toBe(good)
  })
})
