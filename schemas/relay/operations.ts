/** Kind `human`: notifications to a person about the agents that the person sponsors. */
import { Schema } from "effect"
import { Nothing, op, operationsOf } from "../operation.ts"
import { FiredTimer } from "../timer.ts"
import { SubscribedBrowser } from "../push/operations.ts"
import { Choice, StoredChoice } from "./events.ts"

/** `number` is that of the notification, the message, the captcha, the fill or the sponsorship. `at` is in Unix ms. */
export const Relayed = Schema.Struct({
  agent: Schema.String,
  event: Schema.String,
  number: Schema.Int,
  at: Schema.Number
})
export type Relayed = typeof Relayed.Type

/**
 * `email` is true if letters would reach the person. `chat` is `off` if this deployment has none. `push` has the key
 * for browsers' subscriptions, and the subscribed browsers; `null` if this deployment sends no push messages.
 */
const RelaySettings = Schema.Struct({
  email: Schema.Boolean,
  chat: Schema.Literals(["off", "unlinked", "linked"]),
  push: Schema.NullOr(Schema.Struct({ key: Schema.String, browsers: Schema.Array(SubscribedBrowser) })),
  choices: Schema.Array(Schema.Struct({ event: Schema.String, ...Choice.fields }))
})
export type RelaySettings = typeof RelaySettings.Type

export const relayOperations = operationsOf("human", {
  /** Sent by reactions. An event for which the person has chosen no channel, or that is too old, changes nothing. */
  "human.relay": op({ input: Relayed, output: Nothing, askedBy: [] }),
  /** The summary letter about all waiting events is due. */
  "human.digest": op({ input: FiredTimer, output: Nothing, askedBy: [] }),
  /**
   * Asks if the limits have room to repeat a letter that could not be sent. If not, its event waits for a summary
   * letter. The input is `null` for a letter without agent and event, and from a node of an earlier release.
   */
  "human.relay_again": op({
    input: Schema.NullOr(Schema.Struct({ agent: Schema.String, event: Schema.String })),
    output: Schema.Struct({ room: Schema.Boolean }),
    askedBy: []
  }),
  "human.relay_settings": op({ input: Nothing, output: RelaySettings, askedBy: ["edge"] }),
  /**
   * Replaces all choices: an event that is not named goes back to its default. An older edge does not name push
   * messages, so those choices stay.
   */
  "human.choose_relay": op({
    input: Schema.Struct({ choices: Schema.Array(Schema.Struct({ event: Schema.String, ...StoredChoice.fields })) }),
    output: Nothing,
    askedBy: ["edge"]
  })
})
