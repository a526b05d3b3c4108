/** What strangers may write into signature headers: what it means, and that it costs no more than its length. */
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { covers, readSignatures, signatureAgentsOf, signatureBase } from "../../edge/identity/http-signature.ts"
import { webBotAuthClaim } from "../../edge/identity/web-bot-auth.ts"
import { GROWTH_MAX, growthOf } from "../support/cost.ts"
import { coveredOf, FIELDS, lineOf } from "../support/costly/signatures.ts"

/** Tells how often a field was looked up. */
class CountingMap extends Map<string, string> {
  looks = 0

  override get(name: string): string | undefined {
    this.looks++
    return super.get(name)
  }
}

describe("a covered field", () => {
  it.each([
    ["a", "a"],
    [" a \t", "a"],
    ["a  b", "a  b"],
    ["a\r\n b", "a b"],
    ["a \t\r\n \t b", "a b"],
    ["a\n\tb\n c", "a b c"],
    ["", ""]
  ])("%j is %j", (value, expected) => {
    expect(lineOf(value)).toBe(`"x": ${expected}`)
  })

  it.each(["a\nb", 'a\n"@authority": b', "a\rb", "a\r\n\r\nb"])(
    "%j would begin a line of its own and is none",
    (value) => {
      expect(lineOf(value)).toBeNull()
    }
  )

  it("is unfolded as RFC 9421 has it", () => {
    const parts = fc.array(fc.constantFrom("a", "b", " ", "\t", "\r\n ", "\n\t", "\n "), { maxLength: 12 })
    fc.assert(
      fc.property(parts, (given) => {
        const value = given.join("")
        expect(lineOf(value)).toBe(
          `"x": ${value
            .trim()
            .replace(/[ \t]*\r?\n[ \t]+/g, " ")
            .replaceAll(/ ?\n\s*/g, " ")
            .trim()}`
        )
      })
    )
  })

  it("costs no more than its length, whatever it holds", async () => {
    for (const field of FIELDS) expect(await growthOf(field), field.name).toBeLessThan(GROWTH_MAX)
  })

  it("is looked up and read once, however many components name it", () => {
    const fields = new CountingMap([["x", Array.from({ length: 40 }, (_, n) => `k${n}=${n}`).join(", ")]])
    const components = Array.from({ length: 31 }, (_, n) => `"x";key="k${n}"`).join(" ")
    expect(signatureBase(coveredOf(`(${components} "x")`), { fields })).toContain('"x";key="k30": 30\n')
    expect(fields.looks).toBe(2)
  })

  it.each(["0", "1", "?0", '"true"', "true"])("with req=%s is none: it is a flag", (req) => {
    const covered = coveredOf(`("x";req=${req})`)
    const message = { fields: new Map([["x", "1"]]), request: { fields: new Map([["x", "2"]]) } }
    expect(signatureBase(covered, message)).toBeNull()
    const input = { label: "s", covered, signature: "" }
    expect([covers(input, "x"), covers(input, "x", true)]).toEqual([false, false])
  })

  it("with req is the request's", () => {
    const message = { fields: new Map([["x", "1"]]), request: { fields: new Map([["x", "2"]]) } }
    expect(signatureBase(coveredOf('("x" "x";req)'), message)).toMatch(/^"x": 1\n"x";req: 2\n/)
  })
})

describe("Signature-Agent", () => {
  it("is read for each label, or once for all in the older form", () => {
    expect(signatureAgentsOf('a="https://x.example", b="https://y.example"')("b")).toEqual({
      address: "https://y.example",
      key: "b"
    })
    expect(signatureAgentsOf('a="https://x.example"')("b")).toBeNull()
    expect(signatureAgentsOf('"https://x.example"')("b")).toEqual({ address: "https://x.example", key: null })
    expect(signatureAgentsOf("nonsense =")("b")).toBeNull()
  })

  it("is looked at for four signatures at most", () => {
    const own = { baseUrl: "https://hub.example", hosts: ["hub.example"] }
    const reading = (before: number) => {
      const labels = [...Array.from({ length: before }, (_, n) => `d${n}`), "mine"]
      const values = new Map([
        [
          "signature-input",
          labels
            .map((label) => `${label}=("@authority" "signature-agent";key="${label}");tag="web-bot-auth"`)
            .join(", ")
        ],
        ["signature", labels.map((label) => `${label}=:AAAA:`).join(", ")],
        ["signature-agent", 'mine="https://hub.example/api/v1/id/HX-000001/http-message-signatures-directory"']
      ])
      return webBotAuthClaim({ method: "GET", host: "shop.example", path: "/", headers: {} }, values, own)?.kind
    }
    expect([reading(0), reading(3), reading(4), reading(40)]).toEqual(["claim", "claim", "verdict", "verdict"])
  })
})

describe("signature headers", () => {
  it("that are too long or no dictionaries are not read", () => {
    expect(readSignatures(`a=("${"x".repeat(5000)}")`, "a=:AAAA:")).toBeNull()
    expect(readSignatures("(", "a=:AAAA:")).toBeNull()
  })
})
