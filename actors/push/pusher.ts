/**
 * Sends a message to a browser through the push service that the browser named (RFC 8030). It is encrypted for that
 * browser (RFC 8291), and signed by this service's key (RFC 8292).
 *
 * Invariants
 *  - The URL is a stranger's input, so it is requested like a webhook (actors/kit/post.ts), within the same limits.
 *  - A push service learns the time and the urgency of a message, but not its content.
 *  - An attempt that is interrupted closes its connection.
 *  - Neither address nor text ever reach a log or an error.
 */
import { Effect, Schema } from "effect"
import webpush from "web-push"
import type { LetterOutcome } from "../../schemas/letter/operations.ts"
import type { PushSubscription } from "../../schemas/push/operations.ts"
import type { PushSettings } from "../../schemas/push/settings.ts"
import type { Poster, PostOutcome } from "../kit/post.ts"

/** `tag`: a message replaces one with the same tag. */
export const PushMessage = Schema.Struct({
  title: Schema.String,
  body: Schema.String,
  url: Schema.String,
  tag: Schema.String,
  urgency: Schema.Literals(["normal", "high"])
})
export type PushMessage = typeof PushMessage.Type

/** The browser has ended its subscription (RFC 8030 7.3). */
export const PUSH_GONE = "the browser is subscribed no more"

const GONE: ReadonlySet<number> = new Set([404, 410])
const TOO_MANY = 429

const outcomeOf = ({ response_code, error, retry_after_seconds }: PostOutcome): LetterOutcome => {
  if (error === null) return { type: "sent", message_id: "" }
  if (response_code === null) {
    if (error === "timeout") return { type: "unknown", reason: "the push service did not answer" }
    if (error === "blocked_address") return { type: "final", reason: "the push service has no public address" }
    return { type: "passing", reason: "the push service is not reached" }
  }
  if (GONE.has(response_code)) return { type: "final", reason: PUSH_GONE }
  const reason = `the push service says ${response_code}`
  if (response_code !== TOO_MANY && response_code < 500) return { type: "final", reason }
  return { type: "passing", reason, ...(retry_after_seconds === null ? {} : { retry_after: retry_after_seconds }) }
}

interface Options {
  readonly settings: PushSettings
  readonly poster: Poster
  /** The contact for push services: an https URL, or a mailto URL. */
  readonly subject: string
  /** Seconds that a push service keeps a message for an absent browser. */
  readonly keptSeconds: number
}

export class Pusher {
  readonly publicKey: string
  readonly #options: Options

  constructor(options: Options) {
    this.#options = options
    this.publicKey = options.settings.publicKey
  }

  send(to: PushSubscription, { urgency, ...shown }: PushMessage): Effect.Effect<LetterOutcome> {
    const { settings, poster, subject, keptSeconds } = this.#options
    const sent = Effect.tryPromise(async (interrupted) => {
      const { publicKey, privateKey } = settings
      const vapidDetails = { subject, publicKey, privateKey }
      const options = { vapidDetails, TTL: keptSeconds, urgency, contentEncoding: "aes128gcm" } as const
      const { headers, body, endpoint } = webpush.generateRequestDetails(to, JSON.stringify(shown), options)
      const named = headers as Record<string, string>
      return outcomeOf(await poster.post(endpoint, named, body ?? Buffer.alloc(0), interrupted))
    })
    return Effect.orElseSucceed(sent, () => ({ type: "final", reason: "the message cannot be made" }) as const)
  }
}
