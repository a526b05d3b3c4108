/** What a mailbox's rules keep out (contract 20). */
import fc from "fast-check"
import { expect, test } from "vitest"
import { type Dropped, openDropped, sealDropped } from "../../../actors/mail/keys.ts"
import { type RuleInput, namesSender, ruleAgainst } from "../../../actors/mail/box/rules.ts"
import { Sealer } from "../../../actors/log/seal.ts"
import { type MailRules, NO_RULES, VERDICTS } from "../../../schemas/mail/records.ts"

const GOOD: RuleInput = {
  sender: "bounce@x.example",
  from: "a@x.example",
  isOneSender: true,
  dmarc: "PASS",
  letsIn: true
}

test.each<readonly [Partial<MailRules>, Partial<RuleInput>, string | null]>([
  [{}, {}, null],
  [{ block_senders: ["x.example"] }, {}, "block_senders"],
  [{ block_senders: ["bounce@x.example"] }, { from: "a@y.example" }, "block_senders"],
  [{ block_senders: ["y.example"] }, { from: "a@news.y.example" }, "block_senders"],
  [{ allow_senders: ["x.example"] }, {}, null],
  [{ allow_senders: ["a@x.example"] }, {}, null],
  [{ allow_senders: ["x.example"] }, { from: "a@y.example" }, "allow_senders"],
  [{ allow_senders: ["y.example"] }, { sender: "b@y.example" }, "allow_senders"],
  [{ allow_senders: ["x.example"] }, { from: "" }, "allow_senders"],
  [{ allow_senders: ["x.example"] }, { isOneSender: false }, "allow_senders"],
  [{ block_senders: ["a@x.example"] }, { isOneSender: false }, "block_senders"],
  [{ allow_senders: ["x.example"] }, { from: "", sender: "" }, "allow_senders"],
  [{ allow_senders: ["x.example"], block_senders: ["a@x.example"] }, {}, "block_senders"],
  [{ require_dmarc: true }, {}, null],
  [{ require_dmarc: true }, { dmarc: "NONE" }, "require_dmarc"],
  [{ require_dmarc: true }, { dmarc: "GRAY" }, "require_dmarc"],
  [{ only_codes: true }, { letsIn: false }, "only_codes"],
  [{ only_codes: true }, {}, null]
])("%j, %j: %s", (rules, judged, expected) => {
  expect(ruleAgainst({ ...NO_RULES, ...rules }, { ...GOOD, ...judged })).toBe(expected)
})

const sender = fc.constantFrom("", "a@x.example", "b@news.x.example", "c@y.example")
const listed = fc.array(fc.constantFrom("x.example", "news.x.example", "c@y.example", "z.example"), { maxLength: 3 })
const judgedOf = fc.record({
  sender,
  from: sender,
  isOneSender: fc.boolean(),
  dmarc: fc.constantFrom(...VERDICTS),
  letsIn: fc.boolean()
})
const rulesOf = fc.record({
  block_senders: listed,
  allow_senders: listed,
  require_dmarc: fc.boolean(),
  only_codes: fc.boolean()
})

test("each rule keeps out no less for another, and what is kept breaks none", () => {
  fc.assert(
    fc.property(rulesOf, judgedOf, (rules, judged) => {
      const kept = ruleAgainst(rules, judged)
      const alone = (["block_senders", "allow_senders", "require_dmarc", "only_codes"] as const).filter(
        (name) => ruleAgainst({ ...NO_RULES, [name]: rules[name] }, judged) === name
      )
      expect(kept).toBe(alone[0] ?? null)
      if (kept === null && rules.require_dmarc) expect(judged.dmarc).toBe("PASS")
      if (kept === null && rules.only_codes) expect(judged.letsIn).toBe(true)
      if (kept === null && rules.allow_senders.length > 0)
        expect(judged.isOneSender && namesSender(rules.allow_senders, judged.from)).toBe(true)
    })
  )
})

test("the journal knows the rule again, whatever a sender calls itself, and what was kept without one", () => {
  const sealer = new Sealer(Buffer.alloc(32, 3), "mailbox")
  fc.assert(
    fc.property(fc.string(), (from) => {
      const dropped: Dropped = { from, rule: "only_codes" }
      expect(openDropped(sealer, sealDropped(sealer, dropped))).toEqual(dropped)
    })
  )
  expect(openDropped(sealer, sealer.seal("a@x.example", "dropped"))).toEqual({ from: "a@x.example", rule: null })
})
