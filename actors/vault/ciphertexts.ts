/**
 * Stores ciphertexts in a separate stream, each under the sha256 of its bytes.
 *
 * Invariants
 *  - A ciphertext is on the disk before the entry that names it is written.
 *  - A ciphertext is stored once, because the server would not overwrite the bytes of a copy that is replaced.
 *  - An erased ciphertext is in no file of the server when the erasure is answered (actors/log/erase.ts).
 *  - Nobody reads a ciphertext that no entry names, and it is erased with its vault.
 */
import { createHash } from "node:crypto"
import type { NatsConnection } from "@nats-io/transport-node"
import { Effect } from "effect"
import { type Refusal, unavailable } from "../../schemas/errors.ts"
import { streams, subjects } from "../../schemas/subjects.ts"
import { storeDurably } from "../log/durable.ts"
import { eraseAll } from "../log/erase.ts"
import { lastMessage } from "../log/last-message.ts"

const TIMEOUT_MS = 3000

export interface Ciphertexts {
  readonly keep: (agent: string, uid: string, ciphertext: string) => Effect.Effect<string, Refusal>
  readonly read: (agent: string, uid: string, sha256: string) => Effect.Effect<string | null, Refusal>
  /** `sha256`: `null` erases all ciphertexts of a vault. */
  readonly erase: (agent: string, uid: string, sha256: string | null) => Effect.Effect<void, Refusal>
}

const AWAY = unavailable("The vault's store does not answer at the moment. It is safe to try again.")
const asked = <A>(request: () => Promise<A>): Effect.Effect<A, Refusal> =>
  Effect.tryPromise({ try: request, catch: () => AWAY })

export const ciphertextsOf = (nats: NatsConnection): Ciphertexts => ({
  keep: (agent, uid, ciphertext) =>
    asked(async () => {
      const sha256 = createHash("sha256").update(ciphertext).digest("hex")
      const subject = subjects.vaultBox(agent, uid, sha256)
      const options = { timeout: TIMEOUT_MS, once: true }
      const isNew = await storeDurably(nats, subject, Buffer.from(ciphertext), options)
      // Another write of the same bytes may have been under way, and may have failed.
      if (!isNew && (await lastMessage(nats, streams.vault, subject, TIMEOUT_MS)) === null)
        throw new Error("A ciphertext was not kept")
      return sha256
    }),
  read: (agent, uid, sha256) =>
    asked(async () => {
      const found = await lastMessage(nats, streams.vault, subjects.vaultBox(agent, uid, sha256), TIMEOUT_MS)
      return found === null ? null : Buffer.from(found.data).toString("utf8")
    }),
  erase: (agent, uid, sha256) =>
    asked(async () => {
      const pattern = sha256 === null ? subjects.vaultOf(agent, uid) : subjects.vaultBox(agent, uid, sha256)
      await eraseAll(nats, streams.vault, pattern, TIMEOUT_MS)
    })
})
