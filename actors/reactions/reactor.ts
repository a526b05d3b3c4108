/**
 * Carries out one set of reactions: reads its part of the log in order from the mark, has what follows from each commit
 * done by the actors it concerns, and moves the mark behind what is done.
 *
 * Invariants
 *  - Nothing is lost: the mark moves behind a commit only when all that follows from it was carried out, refused for good,
 *    or noted as a fault.
 *  - Commits of one actor are followed in the order of the log, one after the other; those of different actors abreast.
 *  - At most `WINDOW` commits lie between the mark that is kept and what was begun. That many come again when a reactor
 *    dies, under the same command ids: fewer than an actor remembers.
 *  - Two reactors at once (a lease that was believed in twice) do nothing twice, for their commands have the same ids;
 *    one of them finds the mark moved, and starts over.
 *  - A refusal is an end: the actor has judged. What may go better later is asked again at ever longer distances
 *    (carrying.ts), and then from the mark on; what fails inside the service is noted after a few tries and passed over,
 *    so that it holds up nothing else.
 *  - An event that this release does not know is not read past: a newer release goes on there.
 */
import type { JsMsg } from "@nats-io/jetstream"
import type { NatsConnection } from "@nats-io/transport-node"
import { Data, Deferred, Effect, FiberSet, Latch, Queue, type Scope, Semaphore } from "effect"
import type { Answer } from "../../schemas/runtime/bus/asker.ts"
import type { Ask } from "../../schemas/bus/frames.ts"
import { streams } from "../../schemas/subjects.ts"
import { followStream } from "../engine/follow.ts"
import { UnknownEvent } from "../engine/fold.ts"
import type { Commit } from "../engine/ports.ts"
import { traceparentOf } from "../engine/trace.ts"
import { type Message, messageOf } from "../projections/projection.ts"
import { carryOut } from "./carrying.ts"
import { keepFault, keepMark, type Mark, readMark } from "./marks.ts"
import { Progress } from "./progress.ts"
import type { Reactions, Told } from "./reaction.ts"

/** Commits from which something follows. Below `command_memory_max`, see above. */
const WINDOW = 100
/** Commands of one commit that are under way together. */
const ABREAST = 16
/** Commits that are read ahead; what does not fit is read again from the mark. */
const READ_AHEAD = 4096
/** The mark is kept no more often than this while something follows, and no less often than that while nothing does. */
const MARK_GAP_MS = 20
const MARK_MAX_MS = 1000

export interface ReactorParts {
  readonly nats: NatsConnection
  readonly ask: (ask: Ask) => Promise<Answer>
  readonly reactions: Reactions
}

/** Since the start. */
export interface ReactorCounts {
  commits: number
  commands: number
  refused: number
  faults: number
}

/** What a run tells of itself. */
export interface Running {
  readonly watermark: () => number
  /** Messages of the log that are not done; `null` where that is not known. Rejects when the bus does not answer. */
  readonly pending: () => Promise<number | null>
}

/** Why a run ends; the next begins at the mark. */
export class ReactorStopped extends Data.TaggedError("ReactorStopped")<{ readonly cause: unknown }> {}

const stopped = (cause: unknown): ReactorStopped => new ReactorStopped({ cause })
const trying = <A>(act: () => Promise<A>): Effect.Effect<A, ReactorStopped> =>
  Effect.tryPromise({ try: act, catch: stopped })

/** A message and what follows from it. */
interface Followed {
  readonly message: Message
  readonly told: ReadonlyArray<Told>
  readonly traceparent: string | undefined
}

const text = new TextDecoder()

/** Throws `UnknownEvent`. */
const followedOf = ({ follows }: Reactions, { subject, seq, data, headers }: JsMsg): Followed => {
  const message = messageOf(subject, seq, data)
  if (data.length === 0) return { message, told: [], traceparent: undefined }
  const commit = JSON.parse(text.decode(data)) as Commit
  const told = follows(message.kind, commit, { id: message.id, seq, at: commit.at })
  return { message, told, traceparent: traceparentOf(headers) }
}

/** Goes on until it fails, or is interrupted. */
export const react = (
  parts: ReactorParts,
  counts: ReactorCounts,
  running: (told: Running) => void
): Effect.Effect<never, ReactorStopped, Scope.Scope> =>
  Effect.gen(function* () {
    const { nats, reactions } = parts
    const from = yield* trying(() => readMark(nats, reactions.name))
    const messages = yield* Queue.dropping<JsMsg>(READ_AHEAD)
    const overflow = yield* Deferred.make<never, ReactorStopped>()
    const receive = (message: JsMsg): void => {
      if (!Queue.offerUnsafe(messages, message))
        Deferred.doneUnsafe(overflow, Effect.fail(stopped("more came than can be read ahead")))
    }
    const following = yield* Effect.acquireRelease(
      trying(() => followStream(nats, streams.events, from.seq + 1, receive, reactions.subjects)),
      (follower) => Effect.sync(() => follower.stop())
    )
    const run = new Run(parts, counts, from.seq)
    running({
      watermark: () => run.progress.mark,
      pending: async () => {
        const ahead = await following.pending()
        return ahead === null ? null : ahead + Queue.sizeUnsafe(messages) + run.progress.underWay
      }
    })
    const fibers = yield* FiberSet.make<void, ReactorStopped>()
    const begin = Effect.flatMap(Queue.take(messages), (message) => run.begin(message, fibers))
    return yield* Effect.raceAllFirst([
      Effect.forever(begin),
      run.keeping(from),
      Effect.andThen(FiberSet.join(fibers), Effect.never),
      Deferred.await(overflow)
    ])
  })

class Run {
  readonly progress: Progress
  private readonly parts: ReactorParts
  private readonly counts: ReactorCounts
  private readonly window = Semaphore.makeUnsafe(WINDOW)
  private readonly moved = Latch.makeUnsafe(false)
  /** The last commit of each actor that is under way. */
  private readonly last = new Map<string, Deferred.Deferred<void>>()

  constructor(parts: ReactorParts, counts: ReactorCounts, from: number) {
    this.parts = parts
    this.counts = counts
    this.progress = new Progress(from)
  }

  /** Waits for room in the window. */
  begin(raw: JsMsg, fibers: FiberSet.FiberSet<void, ReactorStopped>): Effect.Effect<void, ReactorStopped> {
    return Effect.gen({ self: this }, function* () {
      const followed = yield* this.followed(raw)
      this.counts.commits++
      const { seq } = followed.message
      if (followed.told.length === 0) return this.progress.begin(seq, false)
      yield* this.window.take(1)
      this.progress.begin(seq, true)
      yield* FiberSet.run(fibers, this.inTurn(raw.subject, this.carried(followed)))
    })
  }

  private followed(raw: JsMsg): Effect.Effect<Followed, ReactorStopped> {
    try {
      return Effect.succeed(followedOf(this.parts.reactions, raw))
    } catch (error) {
      if (error instanceof UnknownEvent) return Effect.fail(stopped(error))
      const message = messageOf(raw.subject, raw.seq, raw.data)
      return Effect.as(this.fault(message, error), { message, told: [], traceparent: undefined })
    }
  }

  /** Behind the commit before it of the same actor. */
  private inTurn(subject: string, work: Effect.Effect<void, ReactorStopped>): Effect.Effect<void, ReactorStopped> {
    const before = this.last.get(subject)
    const own = Deferred.makeUnsafe<void>()
    this.last.set(subject, own)
    const ended = Effect.suspend(() => {
      if (this.last.get(subject) === own) this.last.delete(subject)
      return Deferred.succeed(own, undefined)
    })
    return Effect.ensuring(before === undefined ? work : Effect.andThen(Deferred.await(before), work), ended)
  }

  private carried({ message, told, traceparent }: Followed): Effect.Effect<void, ReactorStopped> {
    const { ask, reactions } = this.parts
    const one = (command: Told, index: number) =>
      Effect.map(carryOut(ask, `react-${reactions.name}-${message.seq}-${index}`, command, traceparent), (outcome) => {
        this.counts.commands++
        if (outcome === "refused") this.counts.refused++
      })
    const all = Effect.forEach(told, one, { concurrency: ABREAST, discard: true })
    const noted = Effect.catch(all, (notDone) =>
      notDone.code === "internal_error" ? this.fault(message, notDone.code) : Effect.fail(stopped(notDone))
    )
    return Effect.map(noted, () => {
      this.progress.done(message.seq)
      this.moved.openUnsafe()
    })
  }

  /** Noted for the operator, then passed over. */
  private fault({ seq, kind, id }: Message, error: unknown): Effect.Effect<void, ReactorStopped> {
    const { nats, reactions } = this.parts
    console.error(
      JSON.stringify({ level: "error", at: "reactor", reactions: reactions.name, seq, kind, id, error: String(error) })
    )
    this.counts.faults++
    return trying(() => keepFault(nats, reactions.name, { seq, kind, id, error: String(error) }))
  }

  /** Keeps the mark, and then makes room in the window for what lies behind it. */
  keeping(from: Mark): Effect.Effect<never, ReactorStopped> {
    const { nats, reactions } = this.parts
    return Effect.gen({ self: this }, function* () {
      let kept = from
      for (;;) {
        yield* Effect.raceFirst(this.moved.await, Effect.sleep(MARK_MAX_MS))
        this.moved.closeUnsafe()
        const seq = this.progress.mark
        if (seq === kept.seq) continue
        const passed = this.progress.takePassed()
        const revision = yield* trying(() => keepMark(nats, reactions.name, { seq, revision: kept.revision }))
        kept = { seq, revision }
        yield* this.window.release(passed)
        yield* Effect.sleep(MARK_GAP_MS)
      }
    })
  }
}
