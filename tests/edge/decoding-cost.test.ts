/** What the most costly values cost that a body of 1.5 MB, or a request's header, can hold. */
import { Effect, Schema } from "effect"
import { describe, expect, it } from "vitest"
import { Link, webhookAddressProblem } from "../../schemas/agent/fields.ts"
import { UpdateMe } from "../../schemas/agent/api.ts"
import { Register } from "../../schemas/registration/api.ts"
import { ChooseEvents } from "../../schemas/webhook/api.ts"
import { parseWebAddress } from "../../schemas/web-address.ts"
import type { Call } from "../../edge/http/call.ts"
import { bodyDecoder } from "../../edge/http/json.ts"
import { lengthsOf } from "../../edge/http/lengths.ts"
import { webAddress } from "../../edge/html/web-address.ts"
import { hostLine } from "../../edge/identity/reading.ts"

const CJK_BEGIN = 0x4e00
/** The edge's one thread may be held up by this at most (contract 21). */
const STALL_MAX_MS = 50

const letters = (count: number, seed = 0): string =>
  String.fromCodePoint(...Array.from({ length: count }, (_, n) => CJK_BEGIN + ((n * 7_919 + seed) % 20_000)))

const cpuMs = (run: () => void): number => {
  const began = process.cpuUsage()
  run()
  const { user, system } = process.cpuUsage(began)
  return (user + system) / 1000
}

/** Of several, since other work on the machine makes any of them dearer, and none cheaper. */
const least = (run: () => void): number => Math.min(...Array.from({ length: 12 }, () => cpuMs(run)))

const refusalOf = (decode: ReturnType<typeof bodyDecoder>, body: object) =>
  Effect.runSync(Effect.flip(decode({} as Call, Buffer.from(JSON.stringify(body))))).refusal

const links = (count: number, url: (n: number) => string) =>
  Array.from({ length: count }, (_, n) => ({ label: "a", url: url(n) }))

const form = (more: object) => ({ challenge_id: "0".repeat(32), handle: "abc", name: "x", answers: {}, ...more })

describe("a body's links", () => {
  const decode = bodyDecoder(Register)

  it("to hosts of 2,000 letters cost little to refuse, however many", () => {
    const body = form({ links: links(250, (n) => `http://${letters(2_000, n)}`) })
    expect(refusalOf(decode, body)).toMatchObject({ code: "validation_error", details: { field: "links" } })
    expect(least(() => refusalOf(decode, body))).toBeLessThan(STALL_MAX_MS)
    const few = form({ links: links(20, (n) => `http://${letters(2_000, n)}`) })
    expect(refusalOf(decode, few)).toMatchObject({ details: { field: "links.0.url" } })
  })

  it("are counted before the first is looked at", () => {
    const body = { links: [{ label: 5 }, ...links(20, () => "http://a")] }
    expect(refusalOf(bodyDecoder(UpdateMe), body).message).toBe("links must hold at most 20 links.")
    const many = { links: links(6_600, () => `http://a/${"b".repeat(180)}`) }
    expect(least(() => refusalOf(bodyDecoder(UpdateMe), many))).toBeLessThan(STALL_MAX_MS)
  })
})

it("arrays in unions are counted too", () => {
  const body = { events: Array.from({ length: 5_000 }, () => 1) }
  expect(refusalOf(bodyDecoder(ChooseEvents), body).message).toContain("must be at most")
})

it("an array without a bound is a fault of its schema", () => {
  expect(() => lengthsOf(Schema.Struct({ ids: Schema.Array(Schema.Int) }))).toThrow("needs a bound")
  expect(() => lengthsOf(Schema.Struct({ links: Schema.NullOr(Schema.Array(Link)) }))).toThrow("needs a bound")
})

describe("an address", () => {
  const labels = [letters(63), letters(63, 5), letters(63, 9), letters(50, 3)].join(".")
  const COSTLY = [
    `http://${letters(2_000)}`,
    `http://${labels}/`,
    `http://${`${"\ufdfa".repeat(63)}.`.repeat(3)}`,
    `http://${"e\u0301\u0323".repeat(680)}`,
    `http://a/${"é".repeat(2_030)}`,
    `http://${letters(2_000).replaceAll(/.{50}/g, "$&。")}`,
    `http://${encodeURIComponent(letters(220))}`,
    `http://${"@".repeat(2_000)}`
  ]

  it.each(COSTLY)("is judged in less than a millisecond, whatever it is: %#", (address) => {
    const ROUNDS = 20
    const all = () => {
      for (let round = 0; round < ROUNDS; round++) {
        parseWebAddress(address)
        webAddress(address)
        webhookAddressProblem(address, false)
        hostLine(address.slice("http://".length))
      }
    }
    expect(least(all) / ROUNDS).toBeLessThan(1)
  })

  it.each([
    "http://a",
    "HTTPS://A.example:8443/x?y#z",
    "http://[::1]:90/",
    `https://${"a".repeat(63)}.example/`,
    "https://bücher.example/",
    "https://例え。テスト/",
    "https://user:word@a.example/",
    `https://a.example/${"x".repeat(2_000)}`
  ])("that one could be at is taken: %s", (address) => {
    expect(parseWebAddress(address)?.href).toBe(new URL(address).href)
  })

  it.each([
    "ftp://a",
    "//a",
    "http://",
    "http://a\tb/",
    "http://a/\u0001",
    "http://a/\u0085",
    "\nhttp://a/",
    `http://${"a".repeat(64)}.example/`,
    `http://${"a.".repeat(128)}example/`,
    `http://a。${"b".repeat(64)}/`,
    `http:\\\\${"a".repeat(64)}\\`,
    `http:////${"a".repeat(64)}/`
  ])("that nothing is at, or that does not read as it is, is refused: %j", (address) => {
    expect(parseWebAddress(address)).toBeNull()
    expect(webhookAddressProblem(address, false)).not.toBeNull()
  })
})
