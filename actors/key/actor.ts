/** The claim on a public key. Its id is the key's hub id form. The first claimant keeps it for good (spec 2.1, 3.2). */
import { Schema } from "effect"
import { keyOperations } from "../../schemas/key/operations.ts"
import { notFound } from "../../schemas/errors.ts"
import { event } from "../engine/events.ts"
import { read } from "../engine/definition.ts"
import { type ActorOf, type Fold, kind } from "../kit/kind.ts"

export const KeyClaim = Schema.Struct({
  agent: Schema.String,
  public_key: Schema.String
})
export type KeyClaim = typeof KeyClaim.Type

export const KeyEvent = Schema.Union([event("key.claimed", 1, { agent: Schema.String, public_key: Schema.String })])
export type KeyEvent = typeof KeyEvent.Type

const evolveKey = (state: KeyClaim | null, event: KeyEvent): KeyClaim | null =>
  state ?? { agent: event.agent, public_key: event.public_key }

export const keyFold: Fold<ActorOf<KeyClaim | null, KeyEvent>> = {
  kind: "key",
  state: Schema.NullOr(KeyClaim),
  initial: null,
  events: KeyEvent,
  evolve: evolveKey
}

export const keyKind = kind(keyFold, keyOperations, () => ({
  operations: {
    "key.resolve": read((state) => (state === null ? { refused: notFound("key") } : { data: state }))
  }
}))
