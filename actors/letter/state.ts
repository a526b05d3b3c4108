/**
 * One letter to a person: its state and its events. `null`: never written.
 *
 * Invariants
 *  - It is written in the commit that it follows from (posting.ts), so that it is there exactly if its cause is.
 *  - Its recipient and content are sealed under the key of the account (actors/kit/account-keys.ts), here as in the
 *    log; once nothing more is to be sent, they are no longer here. With the account's key erased it is dropped.
 *  - An attempt is in the log before a byte of it is on the wire, and is made at most once, by the node that has
 *    committed it. Its outcome is reported to this actor, on whichever node it lives by then.
 *  - It is never sent twice. An attempt of unknown outcome at the mail server is the last (`unknown`), unless its maker
 *    still reports that the server did not take the letter. A letter that is a file is written again, under the same
 *    name.
 *  - Until it has ended a timer is set: for the next attempt, or for the moment at which an attempt's outcome should be
 *    known.
 */
import { Schema } from "effect"
import { Sealed } from "../../schemas/secret/sealed.ts"
import { event } from "../engine/events.ts"
import type { ActorOf } from "../kit/kind.ts"
import { TransportName } from "../kit/mailing/transport.ts"

export const Letter = Schema.Struct({
  human: Schema.String,
  template: Schema.String,
  /** Empty once the letter has ended. After a lost attempt it is kept, because the letter may be tried again. */
  sealed: Sealed,
  /** Unix ms. */
  written_at: Schema.Number,
  status: Schema.Literals(["waiting", "sending", "sent", "unknown", "given_up", "dropped"]),
  /** Begun so far. */
  attempts: Schema.Int,
  /** The transport of the attempt under way. */
  transport: Schema.NullOr(TransportName),
  /**
   * Unix ms of the awaited timer: of the next attempt, or of the time by which this one's outcome is known. `null` for
   * the first attempt, which any timer may begin, and once it has ended.
   */
  due: Schema.NullOr(Schema.Number)
})
export type Letter = typeof Letter.Type

export const LetterState = Schema.NullOr(Letter)
export type LetterState = typeof LetterState.Type

const attempt = Schema.Int
/** Words of ours. */
const reason = Schema.String

export const LetterEvent = Schema.Union([
  event("letter.written", 1, { human: Schema.String, template: Schema.String, sealed: Sealed }),
  /** `due`: Unix ms by which its outcome is known. */
  event("letter.attempted", 1, { attempt, transport: TransportName, due: Schema.Number }),
  event("letter.sent", 1, { attempt, message_id: Schema.String }),
  /** `due`: Unix ms of the next attempt; `null` if there is none. */
  event("letter.failed", 1, { attempt, reason, due: Schema.NullOr(Schema.Number) }),
  /** `lost`: nothing has reported the outcome. The node that made the attempt still may. */
  event("letter.unknown", 1, { attempt, reason, lost: Schema.optionalKey(Schema.Literal(true)) }),
  event("letter.given_up", 1, { reason }),
  event("letter.dropped", 1, { reason })
])
export type LetterEvent = typeof LetterEvent.Type

export type LetterActor = ActorOf<LetterState, LetterEvent>

const ENDED = { sealed: "", due: null, transport: null } as const

export const evolveLetter = (state: LetterState, event: LetterEvent, { at }: { readonly at: number }): LetterState => {
  if (event.type === "letter.written") {
    const { human, template, sealed } = event
    return { human, template, sealed, written_at: at, status: "waiting", attempts: 0, transport: null, due: null }
  }
  if (state === null) return null
  switch (event.type) {
    case "letter.attempted": {
      const { transport, due } = event
      return { ...state, status: "sending", attempts: event.attempt, transport, due }
    }
    case "letter.sent":
      return { ...state, ...ENDED, status: "sent" }
    case "letter.failed":
      return { ...state, status: "waiting", transport: null, due: event.due }
    case "letter.unknown":
      return event.lost === true
        ? { ...state, status: "unknown", due: null, transport: null }
        : { ...state, ...ENDED, status: "unknown" }
    case "letter.given_up":
      return { ...state, ...ENDED, status: "given_up" }
    case "letter.dropped":
      return { ...state, ...ENDED, status: "dropped" }
  }
}
