/** Finds the recipient of an address of incoming mail. */
import { randomUUID } from "node:crypto"
import { Effect } from "effect"
import type { Refusal } from "../../../schemas/errors.ts"
import { domainId } from "../../../schemas/mail-domain/id.ts"
import type { Asking } from "../../kit/worker/asks.ts"
import { addressId } from "../address/id.ts"
import { orNone } from "../or-none.ts"

export type Recipient =
  | { readonly type: "mailbox"; readonly mailbox: number; readonly address: string }
  | { readonly type: "nobody" }
  /** A postmaster of an agent's own domain without a mailbox of that name. */
  | { readonly type: "postmaster" }
  | { readonly type: "full" }
  /** The store has little room left, and the mailbox holds more than its part. */
  | { readonly type: "crowded" }
  /** The domain of the address is not active at present. */
  | { readonly type: "later" }
  | { readonly type: "unknown" }

/** `address`: the address without its tag. */
export type RecipientOf = (address: string, tag: string | null) => Effect.Effect<Recipient>

const NOBODY: Recipient = { type: "nobody" }

/** `gone` if the domain does not belong to the agent any more. Its mailboxes are then about to be closed. */
const domainStands = (
  ask: Asking,
  domain: string,
  agent: string
): Effect.Effect<"active" | "later" | "gone", Refusal> =>
  Effect.map(orNone(ask(randomUUID(), "mail_domain.ready", domainId(domain), null)), (found) =>
    found?.agent !== agent ? "gone" : found.ready ? "active" : "later"
  )

const POSTMASTER = "postmaster@"

const unclaimed = (ask: Asking, address: string): Effect.Effect<Recipient, Refusal> => {
  if (!address.startsWith(POSTMASTER)) return Effect.succeed(NOBODY)
  const ready = orNone(ask(randomUUID(), "mail_domain.ready", domainId(address.slice(POSTMASTER.length)), null))
  return Effect.map(ready, (found) => (found?.ready === true ? { type: "postmaster" } : NOBODY))
}

/** Fails if the actors cannot be asked now. */
const found = (
  ask: Asking,
  boxMax: () => Promise<number>,
  { address, tag }: { readonly address: string; readonly tag: string | null }
): Effect.Effect<Recipient, Refusal> =>
  Effect.gen(function* () {
    const claim = yield* orNone(ask(randomUUID(), "mail_address.look", addressId(address), null))
    if (claim === null || claim.mailbox === null) return yield* unclaimed(ask, address)
    const accepts = ask(randomUUID(), "mailbox.accepts", String(claim.mailbox), tag === null ? null : { tag })
    const box = yield* orNone(accepts)
    if (box === null) return NOBODY
    const domain = address.slice(address.lastIndexOf("@") + 1)
    const stands = claim.custom ? yield* domainStands(ask, domain, claim.agent) : "active"
    if (stands !== "active") return stands === "later" ? { type: "later" } : NOBODY
    if (box.full !== null) return { type: "full" }
    // Nodes of an earlier release do not tell what is stored.
    if ((box.stored ?? 0) > (yield* Effect.promise(boxMax))) return { type: "crowded" }
    return { type: "mailbox", mailbox: claim.mailbox, address: box.address }
  })

/** `boxMax`: the bytes that one mailbox may hold at present. */
export const recipientBy =
  (ask: Asking, boxMax: () => Promise<number>): RecipientOf =>
  (address, tag) =>
    Effect.orElseSucceed(found(ask, boxMax, { address, tag }), (): Recipient => ({ type: "unknown" }))
