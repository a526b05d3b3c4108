/**
 * Follows vaults in the log: makes the key pair of a vault that was created, and erases the key of one that was
 * revoked.
 *
 * Invariants (besides kit/worker/worker.ts)
 *  - A public key never changes: a worker that handles a commit again finds the existing key, and makes no second one.
 *  - A private key leaves this process only in sealed form (give.ts). No event, answer or log line contains one.
 */
import { randomUUID } from "node:crypto"
import { Cause, Effect, type Scope } from "effect"
import type { Refusal } from "../../../schemas/errors.ts"
import type { Limits } from "../../../schemas/limits.ts"
import { logNow } from "../../../schemas/runtime/log/log.ts"
import type { Asking } from "../../kit/worker/asks.ts"
import { eventsIn, kindOf, type Message, type Source } from "../../kit/worker/message.ts"
import { handleEach } from "../../kit/worker/worker.ts"
import { VAULT_EVENTS, VaultEvent } from "../state.ts"
import { newPair } from "./pairs.ts"
import { type KeeperStore, stored } from "./store.ts"

export interface KeeperParts {
  readonly source: Source
  readonly ask: Asking
  readonly store: Pick<KeeperStore, "eraseKey" | "keep" | "publicKeyOf">
  readonly bounds: Limits["service"]["vault"]
}

const AGAIN_MS = 500
const AGAIN_MAX_MS = 30_000

const callsIn = (message: Message): ReadonlyArray<VaultEvent> | null | undefined => {
  const calls = eventsIn(VAULT_EVENTS, VaultEvent, message)?.filter(
    ({ type }) => type === "vault.created" || type === "vault.revoked"
  )
  return calls?.length === 0 ? null : calls
}

const made = ({ ask, store }: KeeperParts, agent: string, uid: string): Effect.Effect<void, Refusal> =>
  Effect.gen(function* () {
    const public_key = yield* stored(async () => {
      const known = await store.publicKeyOf(uid)
      if (known !== null) return known
      const pair = await newPair()
      try {
        return await store.keep(uid, pair)
      } finally {
        pair.bytes.fill(0)
      }
    })
    yield* Effect.catchIf(
      // The id is new each time, so that the vault judges a repeat by its present state: after a revocation, a commit
      // that comes again makes a new key.
      ask(`key-${uid}-${randomUUID()}`, "vault.publish_key", agent, { uid, public_key }),
      // The vault was revoked meanwhile, so its key is not needed.
      ({ code }) => code === "not_found",
      () => stored(() => store.eraseKey(uid))
    )
  })

const done = (parts: KeeperParts, agent: string, events: ReadonlyArray<VaultEvent>): Effect.Effect<void, Refusal> =>
  Effect.forEach(
    events,
    (event) => {
      if (event.type === "vault.created") return made(parts, agent, event.uid)
      return event.type === "vault.revoked" ? stored(() => parts.store.eraseKey(event.uid)) : Effect.void
    },
    { discard: true }
  )

export const keeperWorker = (parts: KeeperParts): Effect.Effect<void, never, Scope.Scope> =>
  handleEach({
    source: parts.source,
    heldMax: parts.bounds.ack_pending_max,
    ackWaitMs: parts.bounds.ack_wait_ms,
    lingerMs: 0,
    callIn: callsIn,
    handle: ({ delivery }, calls) => done(parts, delivery, calls),
    againMs: ({ delivery, given }, cause) => {
      if (!Cause.hasInterrupts(cause))
        logNow("warn", "keeper", { vault_of: delivery, error: kindOf(Cause.squash(cause)) })
      return Math.min(AGAIN_MS * 2 ** Math.min(given, 20), AGAIN_MAX_MS)
    }
  })
