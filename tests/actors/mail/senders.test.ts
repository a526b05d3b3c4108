/** Who sends, and who may be sent to (contract 20). */
import { expect, test } from "vitest"
import { addressee } from "../../../schemas/mail/addresses.ts"
import {
  receivedAddress,
  isSenderRule,
  matchesSender,
  recipientAddress,
  senderAddress
} from "../../../schemas/mail/senders.ts"

test("rules name an address, or a domain with all below it", () => {
  expect(isSenderRule("not a sender")).toBe(false)
  expect(["a@x.example", "x.example", "bücher.example"].every(isSenderRule)).toBe(true)
  expect(matchesSender("x.example", "a@x.example")).toBe(true)
  expect(matchesSender("x.example", "a@news.x.example")).toBe(true)
  expect(matchesSender("x.example", "a@notx.example")).toBe(false)
  expect(matchesSender("A@X.Example", "a@x.example")).toBe(true)
  expect(matchesSender("a@x.example", "b@x.example")).toBe(false)
  expect(senderAddress("a b@x.example")).toBeNull()
  // Who sends in the name of many has long addresses: longer than one that may be written to.
  const long = `bounces+${"x".repeat(90)}@news.x.example`
  expect(senderAddress(long)).toBeNull()
  expect(matchesSender("x.example", receivedAddress(long) ?? "")).toBe(true)
  expect(receivedAddress(`${"x".repeat(257)}@x.example`)).toBeNull()
})

test("mail goes to addresses that somebody may have, each in one form", () => {
  const undeliverable = ["a@b@x.example", ".a@x.example", "a..b@x.example", "a.@x.example", "@x.example"]
  const invisible = [
    "a\u200bb",
    "\u200ba",
    "a\u2060",
    "a\ufeffb",
    "a\u00adb",
    "a\u202eb",
    "a\u3164b",
    "a\ufe0f",
    "a\ue000"
  ]
  for (const address of [...undeliverable, ...invisible.map((local) => `${local}@x.example`)])
    expect([address, recipientAddress(address)]).toEqual([address, null])
  for (const address of ["a.b+c@x.example", "o'neil@x.example", "用户@x.example", "a_b-c=d@x.example"])
    expect(recipientAddress(address)).toBe(address)
  const [composed, decomposed] = ["Zo\u00eb@x.example", "Zoe\u0308@x.example"]
  expect(recipientAddress(decomposed)).toBe("zo\u00eb@x.example")
  expect(recipientAddress(composed)).toBe(recipientAddress(decomposed))
  expect(matchesSender(composed, receivedAddress(decomposed) ?? "")).toBe(true)
  // Whoever has such an address may write all the same, and be blocked.
  expect(matchesSender("a..b@x.example", receivedAddress("a..b@x.example") ?? "")).toBe(true)
})

test.each(["a@b.example\0", "a@b.exam\u200bple", "a@b.exam\u00adple", "a@b.example\u2060", "A <a@b.exam\u00adple>"])(
  "a recipient with characters that an A-label drops is none: %j",
  (text) => {
    expect(addressee(text)).toBeNull()
  }
)
