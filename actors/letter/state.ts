/**
 * One letter to a person: its state and its events. `null`: it never existed.
 *
 * Invariants
 *  - It is written in the commit that causes it (posting.ts), so that it exists exactly if its cause does.
 *  - Its recipient and content are sealed under the key of the account (actors/kit/account-keys.ts), in the state and
 *    in the log. When the letter has ended, the state does not have them any more. If the account's key is erased, the
 *    letter is dropped.
 *  - An attempt is in the log before a byte is sent. It is made at most once, by the node that has committed it, which
 *    then reports the outcome to this actor.
 *  - It is never sent twice. An attempt with unknown outcome is the last one (`unknown`), unless its node still reports
 *    that the server did not take the letter. Only a letter that is written to a file is written again, under the same
 *    name.
 *  - Until the letter has ended, a timer is set: for the next attempt, or for the time at which an attempt's outcome
 *    should be known.
 */
import { Schema } from "effect"
import { Sealed } from "../../schemas/secret/sealed.ts"
import { event } from "../engine/events.ts"
import type { ActorOf } from "../kit/kind.ts"
import { TransportName } from "../kit/mailing/transport.ts"

export const Letter = Schema.Struct({
  human: Schema.String,
  template: Schema.String,
  /** Empty once the letter has ended, except after a lost attempt, because the letter may then be tried again. */
  sealed: Sealed,
  /** Unix ms. */
  written_at: Schema.Number,
  status: Schema.Literals(["waiting", "sending", "sent", "unknown", "given_up", "dropped"]),
  attempts: Schema.Int,
  /** The transport of the attempt under way. */
  transport: Schema.NullOr(TransportName),
  /**
   * Unix ms of the timer that the letter waits for: for the next attempt, or for the time by which the outcome is
   * known. `null` before the first attempt, which any timer may begin, and after the end.
   */
  due: Schema.NullOr(Schema.Number)
})
export type Letter = typeof Letter.Type

export const LetterState = Schema.NullOr(Letter)
export type LetterState = typeof LetterState.Type

const attempt = Schema.Int
/** The reason in our own words. */
const reason = Schema.String

export const LetterEvent = Schema.Union([
  event("letter.written", 1, { human: Schema.String, template: Schema.String, sealed: Sealed }),
  /** `due`: Unix ms by which the outcome is known. */
  event("letter.attempted", 1, { attempt, transport: TransportName, due: Schema.Number }),
  event("letter.sent", 1, { attempt, message_id: Schema.String }),
  /** `due`: Unix ms of the next attempt; `null` if there is none. */
  event("letter.failed", 1, { attempt, reason, due: Schema.NullOr(Schema.Number) }),
  /** `lost`: nobody has reported the outcome. The node that made the attempt may still do so. */
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
