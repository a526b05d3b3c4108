/**
 * Where ciphertexts lie: in a stream of their own, each by the sha256 of its bytes, so that none is ever written over by
 * another.
 *
 * Invariants
 *  - One is stored, and on the disk, before the entry is written that names it.
 *  - One that no entry names is read by nobody, and goes with its vault.
 */
import { createHash } from "node:crypto"
import type { JetStreamManager } from "@nats-io/jetstream"
import type { NatsConnection } from "@nats-io/transport-node"
import { Effect } from "effect"
import { type Refusal, unavailable } from "../../schemas/errors.ts"
import { streams, subjects } from "../../schemas/subjects.ts"
import { storeDurably } from "../log/durable.ts"
import { lastMessage } from "../log/last-message.ts"

const TIMEOUT_MS = 3000

export interface Ciphertexts {
  /** Answers the sha256 under which it lies. */
  readonly keep: (agent: string, uid: string, ciphertext: string) => Effect.Effect<string, Refusal>
  readonly read: (agent: string, uid: string, sha256: string) => Effect.Effect<string | null, Refusal>
  /** `sha256`: `null` for all of a vault. */
  readonly erase: (agent: string, uid: string, sha256: string | null) => Effect.Effect<void, Refusal>
}

const AWAY = unavailable("The vault's store does not answer at the moment. It is safe to try again.")
const asked = <A>(request: () => Promise<A>): Effect.Effect<A, Refusal> =>
  Effect.tryPromise({ try: request, catch: () => AWAY })

export const ciphertextsOf = (nats: NatsConnection, manager: JetStreamManager): Ciphertexts => ({
  keep: (agent, uid, ciphertext) =>
    asked(async () => {
      const sha256 = createHash("sha256").update(ciphertext).digest("hex")
      await storeDurably(nats, subjects.vaultBox(agent, uid, sha256), Buffer.from(ciphertext), { timeout: TIMEOUT_MS })
      return sha256
    }),
  read: (agent, uid, sha256) =>
    asked(async () => {
      const found = await lastMessage(nats, streams.vault, subjects.vaultBox(agent, uid, sha256), TIMEOUT_MS)
      return found === null ? null : Buffer.from(found.data).toString("utf8")
    }),
  erase: (agent, uid, sha256) =>
    asked(async () => {
      const filter = sha256 === null ? subjects.vaultOf(agent, uid) : subjects.vaultBox(agent, uid, sha256)
      await manager.streams.purge(streams.vault, { filter })
    })
})
