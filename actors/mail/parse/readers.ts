/**
 * A fixed number of threads that parse and judge messages. Each computes for one message at a time (thread.ts).
 *
 * Invariants
 *  - A message that needs too much time or memory is kept unparsed, or without a verdict. It is never lost.
 *  - All DNS queries use the `lookup` of the process. Their number and time are limited for each message.
 *  - The queue is limited. A further message is refused for the time being. A message whose client has gone is not
 *    begun.
 */
import { Effect, type Scope } from "effect"
import { type Refusal, unavailable } from "../../../schemas/errors.ts"
import { type Lookup, lookupWithin } from "../dns.ts"
import { type JudgedSender, type Origin, UNJUDGED } from "../inbound/verdicts.ts"
import type { ParsedMail } from "./parsed.ts"
import { unread } from "./read.ts"
import { type Job, Thread, type ThreadBounds } from "./thread.ts"
import type { Result, Work } from "./protocol.ts"

export interface ReaderBounds extends ThreadBounds {
  readonly threads: number
  readonly threads_waiting_max: number
  readonly verdict_ms: number
  readonly verdict_questions_max: number
}

export interface Readers {
  readonly parse: (raw: Buffer) => Effect.Effect<ParsedMail, Refusal>
  readonly judge: (raw: Buffer, origin: Origin) => Effect.Effect<JudgedSender, Refusal>
}

/** The settings for judging, and the DNS lookup. */
export interface Judging {
  readonly mta: string
  readonly lookup: Lookup
}

const tooMuch = unavailable("Too much mail waits to be read.")

const nothingAsked: Lookup = () => Promise.reject(new Error("nothing is asked here"))

export const openReaders = (
  bounds: ReaderBounds,
  judging: Judging | null
): Effect.Effect<Readers, never, Scope.Scope> =>
  Effect.gen(function* () {
    const waiting: Array<Job> = []
    const next = (): void => {
      const free = threads.find(({ isFree }) => isFree)
      const job = free === undefined ? undefined : waiting.shift()
      if (free !== undefined && job !== undefined) free.take(job)
    }
    const again = (job: Job): void => void waiting.unshift(job)
    const mta = judging?.mta ?? null
    const threads = Array.from({ length: bounds.threads }, () => new Thread(bounds, mta, { next, again }))
    yield* Effect.addFinalizer(() => Effect.promise(() => Promise.all(threads.map((thread) => thread.close()))))

    const carriedOut = (work: Work, lookup: () => Lookup): Effect.Effect<Result | null, Refusal> =>
      Effect.suspend(() =>
        waiting.length >= bounds.threads_waiting_max
          ? Effect.fail(tooMuch)
          : Effect.callback<Result | null>((resume) => {
              const job: Job = { work, lookup, tries: 0, done: (result) => resume(Effect.succeed(result)) }
              waiting.push(job)
              next()
              return Effect.sync(() => {
                const at = waiting.indexOf(job)
                if (at >= 0) waiting.splice(at, 1)
              })
            })
      )

    return {
      parse: (raw) =>
        Effect.map(
          carriedOut({ type: "parse", raw }, () => nothingAsked),
          (result) => (result !== null && "parsed" in result ? result : unread(raw, bounds))
        ),
      judge: (raw, { ip, helo, sender }) => {
        const { verdict_ms: ms, verdict_questions_max: questions } = bounds
        const lookup = () => (judging === null ? nothingAsked : lookupWithin(judging.lookup, { ms, questions }))
        return Effect.map(carriedOut({ type: "judge", raw, origin: { ip, helo, sender } }, lookup), (result) =>
          result !== null && "verdicts" in result ? result : UNJUDGED
        )
      }
    }
  })
