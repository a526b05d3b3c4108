import fc from "fast-check"
import { HOTP, Secret } from "otpauth"
import { describe, expect, it } from "vitest"
import { newTotpSecret, totpUri, verifyTotp } from "../../../actors/human/totp.ts"

/** Of RFC 6238, appendix B: the secret `12345678901234567890`, and the last six of eight digits. */
const RFC_SECRET = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"
const RFC_CODES = [
  [59, "287082"],
  [1_111_111_109, "081804"],
  [1_111_111_111, "050471"],
  [1_234_567_890, "005924"],
  [2_000_000_000, "279037"],
  [20_000_000_000, "353130"]
] as const

const STEP_MS = 30_000
const AT = 1_234_567_890_000
const STEP = Math.floor(AT / STEP_MS)
const codeOf = (step: number, secret = RFC_SECRET): string =>
  HOTP.generate({ secret: Secret.fromBase32(secret), counter: step })

describe("a code", () => {
  it.each(RFC_CODES)("at %d is that of RFC 6238", (seconds, code) => {
    expect(verifyTotp(RFC_SECRET, code, seconds * 1000, null)).toBe(Math.floor(seconds / 30))
  })

  it("is good for one step before and after its own, and tells which it was", () => {
    const found = [-2, -1, 0, 1, 2].map((offset) => verifyTotp(RFC_SECRET, codeOf(STEP + offset), AT, null))
    expect(found).toEqual([null, STEP - 1, STEP, STEP + 1, null])
  })

  it("is good to the last millisecond of its window", () => {
    const [first, last] = [(STEP - 1) * STEP_MS, (STEP + 2) * STEP_MS - 1]
    expect([first - 1, first, last, last + 1].map((at) => verifyTotp(RFC_SECRET, codeOf(STEP), at, null))).toEqual([
      null,
      STEP,
      STEP,
      null
    ])
  })

  it("is good once, and no earlier one after it", () => {
    for (const used of [STEP - 1, STEP, STEP + 1]) {
      const found = [-1, 0, 1].map((offset) => verifyTotp(RFC_SECRET, codeOf(STEP + offset), AT, used))
      expect(found).toEqual([STEP - 1, STEP, STEP + 1].map((step) => (step > used ? step : null)))
    }
  })

  it("that two steps of one window share is good once all the same", () => {
    // Steps of this secret that have the same code by chance.
    const [early, late] = [153_567, 153_569]
    expect([codeOf(early), codeOf(late)]).toEqual(["468457", "468457"])
    const at = (early + 1) * STEP_MS
    expect(verifyTotp(RFC_SECRET, "468457", at, null)).toBe(late)
    expect(verifyTotp(RFC_SECRET, "468457", at, late)).toBeNull()
    expect(verifyTotp(RFC_SECRET, "468457", at, early)).toBe(late)
  })

  it("may have spaces in it, and nothing else", () => {
    expect(verifyTotp(RFC_SECRET, " 005 924 ", AT, null)).toBe(STEP)
    for (const typed of [
      "",
      "5924",
      "00592",
      "0059244",
      "005-924",
      "x05924",
      "٠٠٥٩٢٤",
      `005924${" ".repeat(100)}`,
      "-05924"
    ])
      expect(verifyTotp(RFC_SECRET, typed, AT, null), typed).toBeNull()
  })

  it("of the first half minute there was is good as well", () => {
    expect(verifyTotp(RFC_SECRET, codeOf(0), 0, null)).toBe(0)
    expect(verifyTotp(RFC_SECRET, codeOf(0), 0, 0)).toBeNull()
  })

  it("of another secret is not good", () => {
    expect(verifyTotp(newTotpSecret(), "005924", AT, null)).not.toBe(STEP)
  })

  it("is never good twice, whatever is typed when", () => {
    const tries = fc.array(fc.record({ ahead: fc.nat(90_000), offset: fc.integer({ min: -2, max: 2 }) }), {
      maxLength: 30
    })
    fc.assert(
      fc.property(tries, (all) => {
        let at = AT
        let last: number | null = null
        const used: Array<number> = []
        for (const { ahead, offset } of all) {
          at += ahead
          const step = verifyTotp(RFC_SECRET, codeOf(Math.floor(at / STEP_MS) + offset), at, last)
          if (step === null) continue
          used.push(step)
          last = step
        }
        expect(used).toEqual([...new Set(used)].toSorted((a, b) => a - b))
      })
    )
  })
})

describe("a secret", () => {
  it("has 160 bits in base32, and is another each time", () => {
    const secrets = Array.from({ length: 100 }, newTotpSecret)
    for (const secret of secrets) expect(secret).toMatch(/^[A-Z2-7]{32}$/)
    expect(new Set(secrets).size).toBe(100)
  })

  it("goes to the app in an address with issuer and account", () => {
    const uri = new URL(totpUri(RFC_SECRET, { issuer: "The Hub: one", address: "ada+x@example.com" }))
    expect([uri.protocol, uri.host]).toEqual(["otpauth:", "totp"])
    expect(decodeURIComponent(uri.pathname)).toBe("/The Hub  one:ada+x@example.com")
    expect(Object.fromEntries(uri.searchParams)).toEqual({
      issuer: "The Hub  one",
      secret: RFC_SECRET,
      algorithm: "SHA1",
      digits: "6",
      period: "30"
    })
  })
})
