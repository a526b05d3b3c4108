/** What a recipient of a message is, asked of those who know. */
import { randomUUID } from "node:crypto"
import { Effect } from "effect"
import type { Refusal } from "../../../schemas/errors.ts"
import type { Asking } from "../../fanout/asks.ts"
import { addressId } from "../address/id.ts"

export type Recipient =
  | { readonly type: "mailbox"; readonly mailbox: number; readonly address: string }
  | { readonly type: "nobody" }
  | { readonly type: "full" }
  | { readonly type: "unknown" }

const NOBODY: Recipient = { type: "nobody" }

/** `not_found` is an answer, every other refusal is none. */
export const orNobody = <A>(asked: Effect.Effect<A, Refusal>): Effect.Effect<A | null, Refusal> =>
  Effect.catch(asked, (refused) => (refused.code === "not_found" ? Effect.succeed(null) : Effect.fail(refused)))

/** `address`: without a tag. */
export const recipientAt = (ask: Asking, address: string): Effect.Effect<Recipient, Refusal> =>
  Effect.gen(function* () {
    const claim = yield* orNobody(ask(randomUUID(), "mail_address.look", addressId(address), null))
    if (claim === null || claim.mailbox === null) return NOBODY
    const box = yield* orNobody(ask(randomUUID(), "mailbox.accepts", String(claim.mailbox), null))
    if (box === null) return NOBODY
    if (box.full !== null) return { type: "full" }
    return { type: "mailbox", mailbox: claim.mailbox, address: box.address }
  })
