/**
 * The service itself. Its id is `own`. It signs texts in its own name, and records the owner of this log. The seed
 * stays on the actors' side, and an edge can only ask for signatures over these texts.
 *
 * One key seals the secrets of the log. The first node claims the log for its key. A node with another key does not
 * start, because it could not open these secrets, and would sign with another identity.
 */
import { sign } from "node:crypto"
import { Clock, Effect, Schema } from "effect"
import { invalidField } from "../../schemas/errors.ts"
import { serviceOperations } from "../../schemas/meta/operations.ts"
import { encodeBase64 } from "../../schemas/signing/key.ts"
import { ownDirectoryParameters, ownDirectoryString } from "../../schemas/signing/own-directory.ts"
import { keyPairOfSeed } from "../../schemas/signing/seed.ts"
import { subjects } from "../../schemas/subjects.ts"
import { event, eventsOf } from "../engine/events.ts"
import { read } from "../engine/definition.ts"
import { attempt, awaited } from "../log/attempt.ts"
import type { EventLog } from "../log/commit.ts"
import { type ActorOf, type Fold, kind } from "../kit/kind.ts"
import { ConfigurationFault } from "../../schemas/runtime/configuration-fault.ts"

/** Seconds that a signature over the service's key directory is valid; edges ask for a new one once a minute. */
const DIRECTORY_LIFETIME_SECONDS = 600
const KIND = "service"
export const SERVICE_ID = "own"

export const ServiceState = Schema.NullOr(Schema.Struct({ public_key: Schema.String }))
export type ServiceState = typeof ServiceState.Type

export const ServiceEvent = Schema.Union([event("service.key_claimed", 1, { public_key: Schema.String })])
export type ServiceEvent = typeof ServiceEvent.Type

/** The first key that is claimed stays forever. */
const evolveService = (state: ServiceState, { public_key }: ServiceEvent): ServiceState => state ?? { public_key }

const fold: Fold<ActorOf<ServiceState, ServiceEvent>> = {
  kind: "service",
  state: ServiceState,
  initial: null,
  events: ServiceEvent,
  evolve: evolveService
}

export const serviceKind = kind(fold, serviceOperations, ({ seed, config }) => {
  const pair = keyPairOfSeed(seed)
  const publicKey = encodeBase64(pair.publicKey)
  return {
    operations: {
      "service.sign_directory": read((_state, { authority }, { at }) => {
        if (!config.hosts.includes(authority))
          return { refused: invalidField("authority", "The service has no such host.") }
        const created = Math.floor(at / 1000)
        const directory = { publicKey, authority, created, expires: created + DIRECTORY_LIFETIME_SECONDS }
        const signature = sign(null, Buffer.from(ownDirectoryString(directory)), pair.privateKey).toString("base64")
        return {
          data: { signature_input: `hub=${ownDirectoryParameters(directory)}`, signature: `hub=:${signature}:` }
        }
      })
    }
  }
})

const SUBJECT = subjects.event(KIND, SERVICE_ID)
/** Nodes that start together claim the log together. All except one then read again. */
const TRIES = 5

/** Claims a log for the service's key, or checks the claim, before anything is served. */
export const claimLog = (log: EventLog, seed: Uint8Array): Effect.Effect<void, ConfigurationFault> => {
  const publicKey = encodeBase64(keyPairOfSeed(seed).publicKey)
  const claimed = async (now: number): Promise<string> => {
    for (let attempt = 0; attempt < TRIES; attempt++) {
      const { entries } = await log.read(SUBJECT, 0, 1)
      const [first] = entries.flatMap(({ commit }) => eventsOf(ServiceEvent, commit))
      if (first !== undefined) return first.public_key
      const events = [{ type: "service.key_claimed", v: 1, public_key: publicKey }]
      const commit = { v: 1, id: "claim", op: "service.claim_key", at: now, events } as const
      await log.append([{ subject: SUBJECT, expected: 0, commit }])
    }
    throw new Error("the log could not be claimed")
  }
  return Effect.flatMap(
    Effect.flatMap(Clock.currentTimeMillis, (now) =>
      awaited(
        "the claim of the log",
        attempt(() => claimed(now))
      )
    ),
    (owner) =>
      owner === publicKey
        ? Effect.void
        : Effect.fail(
            new ConfigurationFault({
              message:
                `this log belongs to the service's key ${owner}, ` +
                `and HUB_SERVER_KEY or HUB_SERVER_KEY_FILE gives ${publicKey} (public halves): ` +
                "with another key its secrets cannot be opened"
            })
          )
  )
}
