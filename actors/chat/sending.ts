/**
 * Sends messages to an account's chat. They are sealed in the commit that causes them, and sent as letters are
 * (actors/letter/).
 */
import { Clock, Effect } from "effect"
import type { NatsConnection } from "@nats-io/transport-node"
import { type BlobRef, piecesOf } from "../../schemas/blob/operations.ts"
import { type Refusal, unavailable } from "../../schemas/errors.ts"
import type { LetterOutcome } from "../../schemas/letter/operations.ts"
import { openBytes } from "../../schemas/secret/bytes.ts"
import { streams, subjects } from "../../schemas/subjects.ts"
import type { PrepareContext } from "../engine/definition.ts"
import { lastMessage } from "../log/last-message.ts"
import { Actors, type Asking } from "../engine/services.ts"
import type { LetterContent } from "../kit/letter-content.ts"
import { type Bot, CHAT_GONE, type Picture } from "./bot.ts"
import { chatHasher } from "./hash.ts"
import { contentOf } from "./message.ts"

const PIECE_TIMEOUT_MS = 5000
const UNLINK_WITHIN_MS = 10_000

const notRead = unavailable("The picture cannot be read at the moment.")

const bytesOf = (nats: NatsConnection, { sha256, size }: BlobRef): Effect.Effect<Uint8Array, Refusal> =>
  Effect.tryPromise({
    try: async () => {
      const pieces: Array<Uint8Array> = []
      for (let piece = 0; piece < piecesOf(size); piece++) {
        const found = await lastMessage(nats, streams.blobs, subjects.blob(sha256, String(piece)), PIECE_TIMEOUT_MS)
        if (found === null) throw new Error("A piece of a picture is missing")
        pieces.push(found.data)
      }
      return Buffer.concat(pieces)
    },
    catch: () => notRead
  })

/** The picture; `null` if it is not needed or not available any more. */
const pictureOf = (
  nats: NatsConnection,
  captcha: number,
  human: string,
  context: PrepareContext
): Effect.Effect<Picture | null, Refusal, Actors> =>
  Effect.gen(function* () {
    const actors = yield* Actors
    const shown = yield* actors.ask(context, "captcha.shown", String(captcha), { human })
    if (shown.captcha.state !== "pending" || shown.key === null) return null
    const bytes = openBytes(yield* bytesOf(nats, shown.picture.blob), shown.key)
    return { bytes, type: shown.picture.type }
  }).pipe(
    Effect.catchIf(
      ({ code }) => code === "not_found",
      () => Effect.succeed(null)
    )
  )

export type Sending = Effect.Effect<LetterOutcome, never, Actors>

interface Parts {
  readonly nats: NatsConnection
  readonly seed: Uint8Array
}

/**
 * Removes a chat that the bot may not write to any more from its account. If this fails, the next message to the chat
 * tries it again.
 */
const unlinking = (
  { seed }: Parts,
  human: string,
  to: string,
  asking: Pick<Asking, "commandId">
): Effect.Effect<void, never, Actors> =>
  Effect.gen(function* () {
    const actors = yield* Actors
    const deadline = (yield* Clock.currentTimeMillis) + UNLINK_WITHIN_MS
    const input = { chat: chatHasher(seed)(to) }
    yield* Effect.ignore(actors.ask({ ...asking, deadline }, "human.unlink_chat", human, input))
  })

/**
 * Checks the link again: since the message was written, the person may have unlinked the chat, and somebody else may
 * have linked it.
 */
const isLinked = (
  { seed }: Parts,
  human: string,
  to: string,
  context: PrepareContext
): Effect.Effect<boolean, Refusal, Actors> =>
  Effect.flatMap(Actors, (actors) =>
    actors.ask(context, "human.in_chat", human, { chat: chatHasher(seed)(to) }).pipe(
      Effect.as(true),
      Effect.catchIf(
        ({ code }) => code === "not_found",
        () => Effect.succeed(false)
      )
    )
  )

/** Sends a message; `null` if the chat is not linked any more, or the message's captcha has ended. */
export const chatSending = (
  parts: Parts,
  bot: Bot,
  { human, content: { to, values } }: { readonly human: string; readonly content: LetterContent },
  context: PrepareContext
): Effect.Effect<Sending | null, Refusal, Actors> =>
  Effect.gen(function* () {
    if (!(yield* isLinked(parts, human, to, context))) return null
    const { text, buttons, captcha } = contentOf(values)
    const picture = captcha === null ? null : yield* pictureOf(parts.nats, captcha, human, context)
    if (captcha !== null && picture === null) return null
    return Effect.tap(bot.send({ to, text, buttons, picture }), (outcome) =>
      outcome.type === "final" && outcome.reason === CHAT_GONE ? unlinking(parts, human, to, context) : Effect.void
    )
  })
