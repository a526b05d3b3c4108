/** Reads and opens parts of stored messages for the agent that they belong to (actors/mail/inbound/store.ts). */
import { Effect } from "effect"
import { piecesOf } from "../../schemas/blob/operations.ts"
import { refusal } from "../../schemas/errors.ts"
import type { MailPart } from "../../schemas/mail/operations.ts"
import { openBytes } from "../../schemas/secret/bytes.ts"
import { streams, subjects } from "../../schemas/subjects.ts"
import type { Blobs } from "../bus/blobs.ts"
import type { Call } from "../http/call.ts"
import { type Refused, refuse } from "../http/refused.ts"

export const unreadable = refuse(refusal("email_inbound_unavailable", "The stored message cannot be read."))

export interface StoredMail {
  readonly mailbox: number
  readonly mail: number
  readonly key: string
  readonly parts: ReadonlyArray<MailPart>
}

/** Reads a part completely: an attachment has at most 5 MB. Fails if there is no part with this name. */
export const readPart = (
  blobs: Blobs,
  call: Call,
  { mailbox, mail, key, parts }: StoredMail,
  name: string
): Effect.Effect<Uint8Array, Refused> =>
  Effect.gen(function* () {
    const part = parts.find((one) => one.name === name)
    if (part === undefined) return yield* unreadable
    const subjectOf = (piece: number) => subjects.mailPiece(String(mailbox), String(mail), name, String(piece))
    const read = blobs.whole(call, streams.mail, subjectOf, piecesOf(part.size))
    const sealed = yield* Effect.catchIf(
      read,
      ({ refusal: { code } }) => code === "unavailable",
      () => Effect.fail(unreadable)
    )
    return yield* Effect.try({ try: () => openBytes(sealed, key), catch: () => unreadable })
  })
