import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { newRecoveryCodes, recoveryHash } from "../../../actors/human/recovery-codes.ts"

const ACCOUNT = "hum_aaaaaaaaaaaaaaaa"

describe("recovery codes", () => {
  const { codes, hashes } = newRecoveryCodes(ACCOUNT)

  it("are ten, in two groups of five that cannot be misread", () => {
    expect([codes.length, hashes.length, new Set(codes).size, new Set(hashes).size]).toEqual([10, 10, 10, 10])
    for (const code of codes) expect(code).toMatch(/^[0-9A-HJKMNP-TV-Z]{5}-[0-9A-HJKMNP-TV-Z]{5}$/)
    for (const hash of hashes) expect(hash).toMatch(/^[0-9a-f]{64}$/)
  })

  it("use every character, about as often as the others", () => {
    const all = Array.from({ length: 400 }, () => newRecoveryCodes(ACCOUNT).codes.join("").replaceAll("-", "")).join("")
    const counts = Map.groupBy(all, (char) => char)
    expect(counts.size).toBe(32)
    // 1250 of each are expected, with a deviation of 35.
    for (const [char, found] of counts) expect(Math.abs(found.length - 1250), char).toBeLessThan(300)
  })

  it("are known by their hashes, each by its own", () => {
    expect(codes.map((code) => recoveryHash(ACCOUNT, code, hashes))).toEqual(hashes)
  })

  it("are good once: without its hash a code is nothing", () => {
    let kept = hashes
    for (const code of codes) {
      const used = recoveryHash(ACCOUNT, code, kept)
      expect(used).not.toBeNull()
      kept = kept.filter((hash) => hash !== used)
      expect(recoveryHash(ACCOUNT, code, kept)).toBeNull()
    }
    expect(kept).toEqual([])
  })

  it("are those of one account", () => {
    for (const code of codes) expect(recoveryHash("hum_bbbbbbbbbbbbbbbb", code, hashes)).toBeNull()
  })

  it("are known however they are typed", () => {
    const typing = fc.record({
      which: fc.nat(9),
      lower: fc.infiniteStream(fc.boolean()),
      between: fc.infiniteStream(fc.constantFrom("", "", "", " ", "-", "–", "\u00a0")),
      zero: fc.constantFrom("0", "O", "o"),
      one: fc.constantFrom("1", "I", "i", "L", "l")
    })
    fc.assert(
      fc.property(typing, ({ which, lower, between, zero, one }) => {
        const typed = [...(codes[which] ?? "").replaceAll("0", zero).replaceAll("1", one)]
          .map((char) => (lower.next().value === true ? char.toLowerCase() : char) + between.next().value)
          .join("")
        expect(recoveryHash(ACCOUNT, typed, hashes)).toBe(hashes[which])
      })
    )
  })

  it("are nothing else", () => {
    const first = codes[0] ?? ""
    for (const typed of [
      "",
      "-",
      first.slice(1),
      `${first}0`,
      `${first}${" ".repeat(100)}`,
      first.replace("-", "_"),
      "U".repeat(10)
    ])
      expect(recoveryHash(ACCOUNT, typed, hashes), typed).toBeNull()
    fc.assert(fc.property(fc.string({ unit: "binary" }), (typed) => recoveryHash(ACCOUNT, typed, hashes) === null))
  })

  it("stand hashes that are none", () => {
    expect(recoveryHash(ACCOUNT, codes[0] ?? "", ["", "x", "é".repeat(64)])).toBeNull()
  })
})
