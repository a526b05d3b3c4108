/** Reads messages and mailboxes of an agent from their actors. */
import { Effect, Schema } from "effect"
import type { Operations } from "../../schemas/bus/operations.ts"
import { notFound } from "../../schemas/errors.ts"
import { type Mailbox, MESSAGE_ID, threadIdOf } from "../../schemas/mail/records.ts"
import { SentContent } from "../../schemas/mail/sent.ts"
import { StoredText, TEXT_PART } from "../../schemas/mail/stored.ts"
import { openBytes } from "../../schemas/secret/bytes.ts"
import { streams, subjects } from "../../schemas/subjects.ts"
import { piecesOf } from "../../schemas/blob/operations.ts"
import type { Call } from "../http/call.ts"
import { type Refused, refuse } from "../http/refused.ts"
import type { EdgeParts } from "../kit/parts.ts"
import { readPart, type StoredMail, unreadable } from "./parts.ts"

const noMessage = refuse(notFound("message"))

const MAILBOXES_ABREAST = 10

type MailLook = Operations["mail.look"]["output"]
export type LookedInbox = Extract<MailLook, { box: "inbox" }> & { readonly number: number; readonly stored: StoredMail }
export type LookedSent = Extract<MailLook, { box: "sent" }> & { readonly number: number }

const decodeText = Schema.decodeUnknownSync(Schema.fromJsonString(StoredText))
const decodeSent = Schema.decodeUnknownSync(Schema.fromJsonString(SentContent))

/** Reads the number from a path: `em_<id>`. */
const numberOf = (text: string): Effect.Effect<number, Refused> => {
  const number = MESSAGE_ID.exec(text)?.[1]
  return number === undefined ? Effect.fail(noMessage) : Effect.succeed(Number(number))
}

export const mailReading = ({ bus, blobs }: Pick<EdgeParts, "bus" | "blobs">) => {
  const mailbox = (call: Call, agent: string, id: number): Effect.Effect<Mailbox, Refused> =>
    bus.read(call, { actor: String(id), op: "mailbox.look", input: { agent } })

  const numbers = (call: Call, agent: string) => bus.read(call, { actor: agent, op: "mailer.mailboxes", input: null })

  /** Leaves out a mailbox that was closed a moment ago. */
  const several = (call: Call, agent: string, ids: ReadonlyArray<number>) => {
    const one = (id: number) =>
      mailbox(call, agent, id).pipe(
        Effect.map((found): ReadonlyArray<Mailbox> => [found]),
        Effect.catchIf(
          ({ refusal }) => refusal.code === "not_found",
          () => Effect.succeed([])
        )
      )
    return Effect.map(Effect.forEach(ids, one, { concurrency: MAILBOXES_ABREAST }), (all) => all.flat())
  }

  return {
    mailbox,
    numbers,
    several,
    boxes: (call: Call, agent: string) => Effect.flatMap(numbers(call, agent), (ids) => several(call, agent, ids)),
    looked: (call: Call, agent: string, text: string): Effect.Effect<LookedInbox | LookedSent, Refused> =>
      Effect.gen(function* () {
        const number = yield* numberOf(text)
        const found = yield* bus.read(call, { actor: String(number), op: "mail.look", input: { agent } })
        if (found.box === "sent") return { ...found, number }
        const { mailbox: of, key, parts } = found
        return { ...found, number, stored: { mailbox: of, mail: number, key, parts } }
      }),
    textOf: (call: Call, { stored }: Pick<LookedInbox, "stored">) =>
      Effect.flatMap(readPart(blobs, call, stored, TEXT_PART), (bytes) =>
        Effect.try({ try: () => decodeText(Buffer.from(bytes).toString("utf8")), catch: () => unreadable })
      ),
    contentOf: (call: Call, { content: { sha256, size }, key }: Pick<LookedSent, "content" | "key">) =>
      Effect.flatMap(
        Effect.mapError(
          blobs.whole(call, streams.blobs, (piece) => subjects.blob(sha256, String(piece)), piecesOf(size)),
          (refused) => (refused.refusal.code === "unavailable" ? unreadable : refused)
        ),
        (sealed) =>
          Effect.try({
            try: () => decodeSent(Buffer.from(openBytes(sealed, key)).toString("utf8")),
            catch: () => unreadable
          })
      ),
    /** The thread of a message; `null` if the read models do not have it. */
    threadOf: (call: Call, agent: string, mail: number): Effect.Effect<string | null, Refused> =>
      Effect.map(bus.query(call, "mail_thread_of", { agent, mail }), ({ thread }) =>
        thread === null ? null : threadIdOf(thread)
      )
  }
}

export type MailReading = ReturnType<typeof mailReading>
