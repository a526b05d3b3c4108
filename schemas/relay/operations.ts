/** Kind `human`: what reaches a person of what happens to the agents that he carries. */
import { Schema } from "effect"
import { Nothing, op, operationsOf } from "../operation.ts"
import { FiredTimer } from "../timer.ts"
import { SubscribedBrowser } from "../push/operations.ts"
import { Choice, StoredChoice } from "./events.ts"

/** `number`: of the notification, the message, the captcha, the fill or the sponsorship. `at`: unix ms. */
export const Relayed = Schema.Struct({
  agent: Schema.String,
  event: Schema.String,
  number: Schema.Int,
  at: Schema.Number
})
export type Relayed = typeof Relayed.Type

/**
 * `email`: whether letters would reach the person. `chat`: `off` where this deployment has none. `push`: the key that
 * browsers subscribe to, and those that have; `null` if this deployment sends no push messages.
 */
const RelaySettings = Schema.Struct({
  email: Schema.Boolean,
  chat: Schema.Literals(["off", "unlinked", "linked"]),
  push: Schema.NullOr(Schema.Struct({ key: Schema.String, browsers: Schema.Array(SubscribedBrowser) })),
  choices: Schema.Array(Schema.Struct({ event: Schema.String, ...Choice.fields }))
})
export type RelaySettings = typeof RelaySettings.Type

export const relayOperations = operationsOf("human", {
  /** Sent by reactions. An event without a chosen way, or one that is too old, changes nothing. */
  "human.relay": op({ input: Relayed, output: Nothing, askedBy: [] }),
  /** The summary letter of all held events is due. */
  "human.digest": op({ input: FiredTimer, output: Nothing, askedBy: [] }),
  /**
   * A letter that could not be sent is tried again: this asks whether there is room for it. If there is none, it is
   * held. `null` for a letter that does not say what it is about, and for a node of an earlier release.
   */
  "human.relay_again": op({
    input: Schema.NullOr(Schema.Struct({ agent: Schema.String, event: Schema.String })),
    output: Schema.Struct({ room: Schema.Boolean }),
    askedBy: []
  }),
  "human.relay_settings": op({ input: Nothing, output: RelaySettings, askedBy: ["edge"] }),
  /**
   * All choices: an event that is not named is not sent in any way. An older edge does not name push messages, and they
   * stay as they are.
   */
  "human.choose_relay": op({
    input: Schema.Struct({ choices: Schema.Array(Schema.Struct({ event: Schema.String, ...StoredChoice.fields })) }),
    output: Nothing,
    askedBy: ["edge"]
  })
})
