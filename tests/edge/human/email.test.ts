/** Addresses of people: one spelling each, and none that no letter could go to. */
import fc from "fast-check"
import { expect, test } from "vitest"
import { normalEmail } from "../../../schemas/human/fields.ts"
import { MAIL_ADDRESS } from "../../../schemas/plain-text.ts"

test.each([
  [" Ada@Example.COM ", "ada@example.com"],
  ["ada@bücher.example", "ada@xn--bcher-kva.example"],
  ["ada@example。com", "ada@example.com"],
  ["ada%else.example@example.com", null],
  ["ada`id`@example.com", null],
  // The sign of the unit Kelvin, whose lower case is the letter k.
  ["\u212aada@example.com", null],
  ["ada@exa mple.com", null],
  ["ada@127.1", null],
  ["ada@0x7f.1", null],
  ["ada\r\nBcc: eve@example.com", null],
  ["ada@example.com\n", "ada@example.com"],
  // Browsers' parsers of addresses leave these out without a word.
  ["ada@example.com\0", null],
  ["ada@example.com\u001f", null],
  ["ada@example.com\u007f", null],
  ["ada@\u0000example.com", null],
  ["ada@exam\u200bple.com", null],
  ["ada@exam\u00adple.com", null],
  ["ada@example.com\u2060", null],
  ["ada@exam\u{e0101}ple.com", null],
  // A joiner that this script writes names another domain.
  ["ada@نامه\u200cای.example", "ada@xn--mgba3gch31f060k.example"],
  [`${"a".repeat(65)}@example.com`, null],
  [`a@${"b".repeat(64)}.com`, null],
  [`a@${"bbbb.".repeat(60)}com`, null]
])("%j is %j", (text, normal) => {
  expect(normalEmail(text)).toBe(normal)
})

test("whatever is an address is one that letters go to, and its own spelling", () => {
  const part = fc.string({ unit: "binary-ascii", minLength: 1, maxLength: 12 })
  fc.assert(
    fc.property(part, part, (local, domain) => {
      const normal = normalEmail(`${local}@${domain}.example`)
      if (normal === null) return
      expect(MAIL_ADDRESS.test(normal)).toBe(true)
      expect(normalEmail(normal)).toBe(normal)
    }),
    { numRuns: 5000 }
  )
})
