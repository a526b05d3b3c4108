/** Which domains may be declared (spec 4.9; contract 20). */
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { declarable, ownNames } from "../../edge/mail-domain/names.ts"

const OWN = ownNames(["mail.agents.example", "127.0.0.1:8080", "agents.example:8443", null, "localhost"])

const judged = (text: string): string => {
  const found = declarable(text, OWN)
  if ("domain" in found) return found.domain
  const { code, details } = found.refused
  return details?.["field"] === undefined ? code : `${code} ${details["field"]}`
}

test("the service's own names are those of its hosts that are domains", () => {
  expect(OWN).toEqual(["mail.agents.example", "agents.example"])
})

describe("may be declared", () => {
  test.each([
    ["acme.example", "acme.example"],
    [" ACME.Example. ", "acme.example"],
    ["deep.down.acme.co.uk", "deep.down.acme.co.uk"],
    ["münchen.de", "xn--mnchen-3ya.de"],
    ["ada.github.io", "ada.github.io"],
    ["my-agents.example.org", "my-agents.example.org"],
    ["agents.org", "agents.org"],
    ["custom.test", "custom.test"]
  ])("%s", (text, domain) => expect(judged(text)).toBe(domain))
})

describe("is reserved", () => {
  test.each([
    ["the service's own", "mail.agents.example"],
    ["below it", "x.mail.agents.example"],
    ["its parent", "agents.example"],
    ["below its host", "shop.agents.example"],
    ["an address", "192.0.2.1"],
    ["an address in brackets", "[2001:db8::1]"],
    ["an address without", "2001:db8::1"],
    ["another spelling of an address", "0x7f.1"],
    ["one label", "com"],
    ["a label of this machine", "localhost"],
    ["a public suffix", "co.uk"],
    ["one that a host has", "github.io"],
    ["a local name", "printer.local"],
    ["a local name, deeper", "a.b.home.arpa"],
    ["a digit for a letter", "agent5.example.0nion.onion"],
    ["Cyrillic letters", "аgents.example"],
    ["a missing dot", "mailagents.example"],
    ["a dash for a dot", "mail-agents.example"],
    ["below such", "x.mail-agents.example"],
    ["accents", "ágents.example"],
    ["its name before another", "mail.agents.example.evil.org"],
    ["its host before another", "agents.example.evil.org"],
    ["its name in one label", "mail-agents-example.evil.org"]
  ])("%s: %s", (_why, text) => expect(judged(text)).toBe("email_domain_reserved"))

  test("look-alike letters and digits, whichever", () => {
    const own = ownNames(["mail.million.example"])
    for (const text of ["mi11ion.example", "mlllion.example", "mi1lion.example", "rnillion.example", "milli0n.example"])
      expect([text, declarable(text, own)]).toEqual([
        text,
        { refused: expect.objectContaining({ code: "email_domain_reserved" }) }
      ])
  })
})

describe("is no domain", () => {
  test.each([
    [""],
    ["a b.example"],
    ["-a.example"],
    ["a..example"],
    ["a@b.example"],
    ["https://a.example"],
    ["a_b.example"],
    ["ac\u00adme.example"],
    ["ac\u200bme.example"],
    ["acme.example\0"]
  ])("%j", (text) => expect(judged(text)).toBe("validation_error domain"))
})

test("whatever is said, what may be declared is a name of its own", () => {
  fc.assert(
    fc.property(fc.oneof(fc.domain(), fc.string({ maxLength: 40 }), fc.ipV4(), fc.ipV6()), (text) => {
      const found = declarable(text, OWN)
      if (!("domain" in found)) return
      expect(found.domain).toMatch(/^[a-z0-9-]+(\.[a-z0-9-]+)+$/)
      for (const own of OWN) expect(`.${found.domain}`.endsWith(`.${own}`)).toBe(false)
    })
  )
})
