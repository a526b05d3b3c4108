/** What the most costly values cost that a body of 1.5 MB, or a request's header, can hold. */
import { Schema } from "effect"
import { describe, expect, it } from "vitest"
import { Link, webhookAddressProblem } from "../../schemas/agent/fields.ts"
import { ChooseEvents } from "../../schemas/webhook/api.ts"
import { parseWebAddress } from "../../schemas/web-address.ts"
import { bodyDecoder } from "../../edge/http/json.ts"
import { lengthsOf } from "../../edge/http/lengths.ts"
import { GROWTH_MAX, growthOf } from "../support/cost.ts"
import {
  ADDRESSES,
  decodeRegistration,
  decodeUpdate,
  form,
  judging,
  letters,
  links,
  LONG_HOSTS,
  MANY_LINKS,
  refusalOf
} from "../support/costly/decoding.ts"

describe("a body's links", () => {
  it("to hosts of 2,000 letters cost no more than their length to refuse, however many", async () => {
    const body = form({ links: links(250, (n) => `http://${letters(2_000, n)}`) })
    expect(refusalOf(decodeRegistration, body)).toMatchObject({ code: "validation_error", details: { field: "links" } })
    expect(await growthOf(LONG_HOSTS)).toBeLessThan(GROWTH_MAX)
    const few = form({ links: links(20, (n) => `http://${letters(2_000, n)}`) })
    expect(refusalOf(decodeRegistration, few)).toMatchObject({ details: { field: "links.0.url" } })
  })

  it("are counted before the first is looked at", async () => {
    const body = { links: [{ label: 5 }, ...links(20, () => "http://a")] }
    expect(refusalOf(decodeUpdate, body).message).toBe("links must hold at most 20 links.")
    expect(await growthOf(MANY_LINKS)).toBeLessThan(GROWTH_MAX)
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
  it.each(ADDRESSES)("is judged at the cost of its length, whatever it is: %#", async (address) => {
    expect(await growthOf(judging(address))).toBeLessThan(GROWTH_MAX)
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
