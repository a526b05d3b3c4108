/**
 * What becomes of vaults, as the keeper hears it from the log: one that is created gets its key pair, of one that is
 * revoked everything is erased.
 *
 * Invariants
 *  - A commit is acknowledged when it has been done. Whoever takes it up anew finds the key that was made, and makes no
 *    other: a public key that was told never changes.
 *  - A private key leaves this process in no event, no answer and no log line but sealed (give.ts).
 */
import { Cause, Effect, Exit, FiberSet, Schedule, type Scope } from "effect"
import type { Refusal } from "../../../schemas/errors.ts"
import type { Limits } from "../../../schemas/limits.ts"
import { logNow } from "../../../schemas/runtime/log/log.ts"
import { eventsOf } from "../../engine/events.ts"
import { checkEvents, UnknownEvent } from "../../engine/fold.ts"
import type { Asking } from "../../kit/worker/asks.ts"
import { Held } from "../../kit/worker/held.ts"
import type { Message, Source } from "../../kit/worker/message.ts"
import type { Commit } from "../../log/commit.ts"
import { VAULT_EVENTS, VaultEvent } from "../state.ts"
import { newPair } from "./pairs.ts"
import { type KeeperStore, stored } from "./store.ts"

export interface KeeperParts {
  readonly source: Source
  readonly ask: Asking
  readonly store: KeeperStore
  readonly bounds: Limits["service"]["vault"]
}

const AGAIN_MS = 500
const AGAIN_MAX_MS = 30_000
/** What a newer release has written is left to its keeper. */
const STRANGE_MS = 5000
const FETCH_RETRY_MS = 250

const text = new TextDecoder()

/** `undefined`: this release does not know. */
const eventsIn = ({ data }: Message): ReadonlyArray<VaultEvent> | undefined => {
  const commit = JSON.parse(text.decode(data)) as Commit
  try {
    checkEvents({ kind: "vault", events: VAULT_EVENTS }, commit)
  } catch (error) {
    if (error instanceof UnknownEvent) return undefined
    throw error
  }
  return eventsOf(VaultEvent, commit)
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
      ask(`key-${uid}`, "vault.publish_key", agent, { uid, public_key }),
      // Revoked by now: nobody needs its key.
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
  Effect.gen(function* () {
    const { source, bounds } = parts
    const { ack_pending_max, ack_wait_ms } = bounds
    const held = new Held({ held_max: ack_pending_max, fetch_room_min: 1, ack_pending_max })
    yield* Effect.forkScoped(
      Effect.repeat(
        Effect.sync(() => held.sayWorking()),
        Schedule.spaced(Math.ceil(ack_wait_ms / 3))
      )
    )
    const run = yield* FiberSet.makeRuntime<never, void, Refusal>()
    const take = (message: Message): void => {
      const events = message.data.length === 0 ? [] : eventsIn(message)
      if (events === undefined) return message.nak(STRANGE_MS)
      const calls = events.filter(({ type }) => type === "vault.created" || type === "vault.revoked")
      if (calls.length === 0) return message.ack()
      if (held.has(message)) return
      held.hold(message)
      run(done(parts, message.delivery, calls)).addObserver((exit) => {
        if (Exit.isSuccess(exit)) return held.ack(message)
        if (!Exit.hasInterrupts(exit)) logFault(message, Cause.squash(exit.cause))
        held.nak(message, Math.min(AGAIN_MS * 2 ** Math.min(message.given, 20), AGAIN_MAX_MS))
      })
    }
    const some = Effect.suspend(() => source.fetch(held.room, take))
    yield* Effect.forkScoped(
      Effect.orDie(Effect.retry(Effect.forever(Effect.andThen(held.roomy, some)), Schedule.spaced(FETCH_RETRY_MS)))
    )
  })

/** Of an error no more than its kind. */
const logFault = ({ delivery }: Message, error: unknown): void => {
  const { code } = (typeof error === "object" && error !== null ? error : {}) as { readonly code?: unknown }
  const kind = error instanceof Error ? error.constructor.name : typeof code === "string" ? code : "unknown"
  logNow("warn", "keeper", { vault_of: delivery, error: kind })
}
