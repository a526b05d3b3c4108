/** From a message's bytes to a mailbox: what is stored on the way does not stay for nothing. */
import fc from "fast-check"
import { Deferred, Effect, Fiber, Result } from "effect"
import { afterEach, beforeEach, expect, it, test } from "vitest"
import { asking } from "../../../actors/kit/worker/asks.ts"
import { Sealer } from "../../../actors/log/seal.ts"
import { delivered, type DeliveryParts } from "../../../actors/mail/inbound/delivery.ts"
import { unconfirmedMails } from "../../../actors/mail/inbound/doubts.ts"
import type { MailKeys } from "../../../actors/mail/keys.ts"
import { readMail, unread } from "../../../actors/mail/parse/read.ts"
import { unavailable } from "../../../schemas/errors.ts"
import { type MailRules, NO_RULES } from "../../../schemas/mail/records.ts"
import { LIMITS } from "../../../schemas/limits.ts"
import type { InboundSender } from "../../../schemas/mail/operations.ts"
import { answer, refusing } from "../../fanout/played.ts"
import { waitFor } from "../../harness/index.ts"
import { openScope } from "../../support/scope.ts"
import { machineClock } from "../../../schemas/runtime/clock.ts"

const SEALER = new Sealer(new Uint8Array(32), "tests")
const NOT_STORED = unavailable("not stored")
const NONE = { spf: "NONE", dkim: "NONE", dmarc: "NONE", spam: "NONE", virus: "NONE" } as const
const PLACE = { mailbox: 7, mail: 12 }
const ACCEPTS = { agent: "a", address: "ada@d.example", rules: NO_RULES, full: null }

type Kept = ReturnType<DeliveryParts["store"]["keep"]>
type Said = ReturnType<typeof answer>

/** `keep` stores, `receive` is what the mailbox says. */
const delivering = (
  keep: () => Kept,
  receive: (input: unknown) => Said | Promise<Said>,
  raw: Buffer = Buffer.from("x")
) => {
  const forgotten: Array<unknown> = []
  const doubted: Array<unknown> = []
  const parts: DeliveryParts = {
    ask: asking(machineClock, async ({ op, input }) => (op === "mailbox.receive" ? receive(input) : answer(ACCEPTS))),
    keys: { of: () => Effect.succeed(SEALER) } as unknown as MailKeys,
    store: {
      keep,
      forget: (place) => Promise.resolve(void forgotten.push(place)),
      boxMax: () => Promise.resolve(Infinity)
    },
    doubt: (place) => void doubted.push(place),
    nextNumber: Effect.succeed(PLACE.mail),
    parse: (raw) => Effect.succeed(unread(raw, { body_max_bytes: 1000 })),
    scan: () => Effect.succeed({ spam: "NONE", virus: "NONE" }),
    wordsMax: 10,
    notStored: NOT_STORED
  }
  const to = [{ mailbox: PLACE.mailbox, address: "ada@d.example", to: "ada@d.example", tags: [] }]
  const incoming = { raw, sender: "b@x.example", to }
  return { forgotten, doubted, delivery: delivered(parts, incoming, Effect.succeed({ verdicts: NONE, author: null })) }
}

const stored = () => Promise.resolve([{ name: "text", size: 1 }])

test("a message counts with its size, or with what is stored of it if that is more", async () => {
  const size = fc.integer({ min: 1, max: 1_000_000 })
  const sizes = fc.array(size, { minLength: 1, maxLength: 11 })
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 100_000 }), sizes, async (rawBytes, all) => {
      const kept = all.map((bytes, n) => ({ name: `a${n}`, size: bytes }))
      const counted: Array<number> = []
      const receive = (input: unknown) => {
        counted.push((input as { readonly bytes: number }).bytes)
        return answer({ mail: PLACE.mail })
      }
      await Effect.runPromise(delivering(() => Promise.resolve(kept), receive, Buffer.alloc(rawBytes, "x")).delivery)
      const whole = all.reduce((sum, bytes) => sum + bytes, 0)
      expect(counted[0]).toBeGreaterThanOrEqual(Math.max(rawBytes, whole))
    }),
    { numRuns: 100 }
  )
})

test("of a message that could not be stored whole, nothing is left", async () => {
  const { forgotten, doubted, delivery } = delivering(
    () => Promise.reject(new Error("the third piece was not acknowledged")),
    () => answer({ mail: PLACE.mail })
  )
  expect(await Effect.runPromise(Effect.result(delivery))).toEqual(Result.fail(NOT_STORED))
  expect(forgotten).toEqual([PLACE])
  // That piece may come yet.
  expect(doubted).toEqual([PLACE])
})

it.each<readonly [string, () => Said, "kept" | "forgotten" | "doubted"]>([
  ["received", () => answer({ mail: PLACE.mail }), "kept"],
  ["received before", () => answer({ mail: 3 }), "forgotten"],
  ["refused by a mailbox that is closed", () => refusing("not_found"), "forgotten"],
  ["refused by a mailbox that is full", () => refusing("rate_limited"), "forgotten"],
  ["refused by who has no room, or is too busy", () => refusing("overloaded"), "doubted"],
  ["not answered", () => refusing("unavailable"), "doubted"],
  ["the end of who was asked", () => refusing("internal_error"), "doubted"]
])("of one that is %s the parts are as they must be", async (_what, said, fate) => {
  const { forgotten, doubted, delivery } = delivering(stored, said)
  await Effect.runPromise(Effect.result(delivery))
  expect(forgotten).toEqual(fate === "forgotten" ? [PLACE] : [])
  expect(doubted).toEqual(fate === "doubted" ? [PLACE] : [])
})

it.each(["stored", "received"])("of one that is interrupted as it is %s nobody knows", async (when) => {
  const begun = Deferred.makeUnsafe<void>()
  const never = <A>() => {
    Deferred.doneUnsafe(begun, Effect.void)
    return new Promise<A>(() => undefined)
  }
  const { forgotten, doubted, delivery } = delivering(
    () => (when === "stored" ? never() : stored()),
    () => never()
  )
  const fiber = Effect.runFork(delivery)
  await Effect.runPromise(Deferred.await(begun))
  await Effect.runPromise(Fiber.interrupt(fiber))
  expect([forgotten, doubted]).toEqual([[], [PLACE]])
})

/** `sender` of the envelope, and header fields: what the mailbox is asked. */
const asked = async (from: string, header: ReadonlyArray<string>, rules: Partial<MailRules>) => {
  const said: Array<{ op: string; input: unknown }> = []
  const verdicts = { ...NONE }
  const parts: DeliveryParts = {
    ask: asking(machineClock, async ({ op, input }) => {
      said.push({ op, input })
      return answer(op === "mailbox.accepts" ? { ...ACCEPTS, rules: { ...NO_RULES, ...rules } } : { mail: PLACE.mail })
    }),
    keys: { of: () => Effect.succeed(SEALER), service: SEALER } as unknown as MailKeys,
    store: { keep: stored, forget: () => Promise.resolve(), boxMax: () => Promise.resolve(Infinity) },
    doubt: () => undefined,
    nextNumber: Effect.succeed(PLACE.mail),
    parse: (raw) => Effect.promise(() => readMail(raw, { ...LIMITS.limits.email, ...LIMITS.service.mail })),
    scan: () => Effect.succeed({ spam: "NONE", virus: "NONE" }),
    wordsMax: 10,
    notStored: NOT_STORED
  }
  const to = [{ mailbox: PLACE.mailbox, address: "ada@d.example", to: "ada@d.example", tags: [] }]
  const raw = Buffer.from([...header, "Subject: s", "", "x", ""].join("\r\n"))
  await Effect.runPromise(delivered(parts, { raw, sender: from, to }, Effect.succeed({ verdicts, author: null })))
  const { op, input } = said.at(-1) ?? {}
  return { op, sender: (input as { readonly sender?: InboundSender }).sender }
}

const NO_SENDER = ["To: ada@d.example", "From:", "From: Good Bank", "From: undisclosed:;", "From: a@\uff47ood.example"]

it.each(NO_SENDER)("%s: whoever the envelope names, the mailbox allows nobody", async (field) => {
  expect(await asked("x@good.example", [field], { allow_senders: ["good.example"] })).toMatchObject({
    op: "mailbox.drop"
  })
})

it.each(NO_SENDER)("%s takes no domain's share, and one share with all that name nobody", async (field) => {
  const nobody = (await asked("", ["To: ada@d.example"], {})).sender
  const { sender } = await asked("x@good.example", [field], {})
  expect(sender).toEqual({ domain: nobody?.domain, allowed: false, proven: [] })
  const plain = await asked("x@evil.example", ["From: a@good.example"], { allow_senders: ["good.example"] })
  expect(plain.sender).toMatchObject({ allowed: true })
  expect(plain.sender?.domain).not.toBe(nobody?.domain)
})

test("names below a domain take its share; domains below a public suffix have one each", async () => {
  const shareOf = async (domain: string) => (await asked("", [`From: a@${domain}`], {})).sender?.domain
  const [one, below, deep, other] = await Promise.all(
    ["one.co.uk", "x.one.co.uk", "y.x.one.co.uk", "two.co.uk"].map(shareOf)
  )
  expect([below, deep]).toEqual([one, one])
  expect(other).not.toBe(one)
})

let scope = openScope()
beforeEach(() => void (scope = openScope()))
afterEach(() => scope.close())

const doubting = async (isThere: (mail: string) => Said, more: { readonly doubts_max?: number } = {}) => {
  const asked: Array<string> = []
  const forgotten: Array<number> = []
  const ask = asking(machineClock, ({ actor }) => {
    asked.push(actor)
    return Promise.resolve(isThere(actor))
  })
  const store = { forget: ({ mail }: { readonly mail: number }) => Promise.resolve(void forgotten.push(mail)) }
  const bounds = { doubt_ms: 5, doubts_max: 10, doubt_looks_max: 3, ...more }
  return { asked, forgotten, doubt: await scope.make(unconfirmedMails({ ask, store, bounds })) }
}

test("what was not received is taken away once that is certain; what was, never", async () => {
  const { asked, forgotten, doubt } = await doubting((mail) => answer(mail === "1"))
  for (const mail of [1, 2]) doubt({ mailbox: 7, mail })
  await waitFor(async () => asked.length === 2 && forgotten.length === 1)
  expect(forgotten).toEqual([2])
})

test("who cannot be asked is asked again, so many times; then the parts stay for their time", async () => {
  let turns = 0
  const { asked, forgotten, doubt } = await doubting((mail) =>
    mail === "1" && ++turns > 2 ? answer(false) : refusing("unavailable")
  )
  doubt({ mailbox: 7, mail: 1 })
  await waitFor(async () => forgotten.length === 1)
  doubt({ mailbox: 7, mail: 2 })
  await waitFor(async () => asked.filter((mail) => mail === "2").length === 3)
  expect(forgotten).toEqual([1])
})

test("no more wait than the bound, and those that are over make room", async () => {
  const { asked, forgotten, doubt } = await doubting(() => answer(false), { doubts_max: 1 })
  for (const mail of [1, 2]) doubt({ mailbox: 7, mail })
  await waitFor(async () => {
    if (forgotten.length === 1) doubt({ mailbox: 7, mail: 3 })
    return forgotten.includes(3)
  })
  expect(asked).not.toContain("2")
})
