/** From a message's bytes to a mailbox: what is stored on the way does not stay for nothing. */
import { Effect, Result } from "effect"
import { expect, test } from "vitest"
import { Sealer } from "../../../actors/log/seal.ts"
import { delivered, type DeliveryParts } from "../../../actors/mail/inbound/delivery.ts"
import type { MailKeys } from "../../../actors/mail/keys.ts"
import { unread } from "../../../actors/mail/parse/read.ts"
import { unavailable } from "../../../schemas/errors.ts"
import { NO_RULES } from "../../../schemas/mail/records.ts"

const NOT_STORED = unavailable("not stored")
const NONE = { spf: "NONE", dkim: "NONE", dmarc: "NONE", spam: "NONE", virus: "NONE" } as const

test("of a message that could not be stored whole, nothing is left", async () => {
  const forgotten: Array<unknown> = []
  const ask = () => Effect.succeed({ agent: "a", address: "ada@d.example", rules: NO_RULES, full: null })
  const parts: DeliveryParts = {
    ask: ask as unknown as DeliveryParts["ask"],
    keys: { of: () => Effect.succeed(new Sealer(new Uint8Array(32), "tests")) } as unknown as MailKeys,
    store: {
      keep: () => Promise.reject(new Error("the third piece was not acknowledged")),
      forget: (place) => Promise.resolve(void forgotten.push(place)),
      isFull: () => Promise.resolve(false)
    },
    nextNumber: Effect.succeed(12),
    parse: (raw) => Effect.succeed(unread(raw, { body_max_bytes: 1000 })),
    wordsMax: 10,
    notStored: NOT_STORED
  }
  const to = [{ mailbox: 7, address: "ada@d.example", to: "ada@d.example", tags: [] }]
  const incoming = { raw: Buffer.from("x"), sender: "b@x.example", to }
  const outcome = await Effect.runPromise(
    Effect.result(delivered(parts, incoming, Effect.succeed({ verdicts: NONE, author: null })))
  )
  expect(outcome).toEqual(Result.fail(NOT_STORED))
  expect(forgotten).toEqual([{ mailbox: 7, mail: 12 }])
})
