/**
 * Carries out one set of reactions: reads its part of the log in order from the mark, has what follows from each commit
 * done by the actors it concerns, and moves the mark behind what is done.
 *
 * Invariants
 *  - Nothing is lost: the mark moves behind a commit only when all that follows from it was carried out, refused for good,
 *    or noted as a fault.
 *  - Commits of one actor are followed in the order of the log, one after the other; those of different actors abreast.
 *  - At most `WINDOW` commits lie between the mark that is kept and what was begun. That many come again when a reactor
 *    dies, under the same command ids: fewer than an actor remembers, as long as it has not made as many commits for
 *    others meanwhile. What it refused, or what changed nothing, it does not remember, and judges anew: so commands say
 *    how something is now, not by how much it changes.
 *  - Two reactors at once (a lease that was believed in twice) do nothing twice, for their commands have the same ids;
 *    one of them finds the mark moved, and starts over.
 *  - A refusal is an end: the actor has judged. What may go better later is asked again at ever longer distances
 *    (carrying.ts), and then from the mark on; what fails inside the service is noted after a few tries and passed over,
 *    so that it holds up nothing else.
 *  - An event that this release does not know is not read past: a newer release goes on there. What came before it, or
 *    before what could not be read ahead, is done and the mark kept before the run ends.
 */
import type { NatsConnection } from "@nats-io/transport-node"
import { Data, Deferred, Effect, FiberSet, Latch, Queue, type Scope, Semaphore } from "effect"
import type { Answer } from "../../schemas/runtime/bus/asker.ts"
import type { Ask } from "../../schemas/bus/frames.ts"
import { logNow } from "../../schemas/runtime/log/log.ts"
import { UnknownEvent } from "../engine/fold.ts"
import type { Feed } from "../projections/feed.ts"
import { commitOf, type Message } from "../projections/projection.ts"
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
  /** Of the log. */
  readonly feed: Feed
  readonly ask: (ask: Ask) => Promise<Answer>
  readonly reactions: Reactions
}

/** Since the start. */
export interface ReactorCounts {
  /** Times that the mark moved. */
  kept: number
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

/** A commit from which something follows, or that nobody can read: what of it is still needed. */
interface Followed extends Pick<Message, "seq" | "kind" | "id"> {
  readonly traceparent: string | undefined
  readonly told: ReadonlyArray<Told> | { readonly unreadable: unknown }
}

/** Among what follows from one commit: the same as long as that follows, whatever a later release puts beside it. */
const nameOf = (told: ReadonlyArray<Told>, index: number): string => {
  const own = told[index]
  const alike = told
    .slice(0, index)
    .filter(({ op, kind, actor }) => op === own?.op && kind === own.kind && actor === own.actor)
  return `${own?.op ?? ""}-${alike.length}`
}

/** Goes on until it fails, or is interrupted. */
export const react = (
  parts: ReactorParts,
  counts: ReactorCounts,
  running: (told: Running) => void
): Effect.Effect<never, ReactorStopped, Scope.Scope> =>
  Effect.gen(function* () {
    const { nats, feed, reactions } = parts
    const from = yield* trying(() => readMark(nats, reactions.name))
    const run = new Run(parts, counts, from.seq)
    const reading = feed.read(reactions, from.seq + 1, (message) => run.receive(message))
    const following = yield* Effect.mapError(reading, stopped)
    running({
      watermark: () => run.progress.mark,
      pending: async () => {
        const ahead = await following.pending()
        return ahead === null ? null : ahead + run.progress.underWay
      }
    })
    const fibers = yield* FiberSet.make<void, ReactorStopped>()
    return yield* Effect.raceAllFirst([
      Effect.forever(run.next(fibers)),
      run.keeping(from),
      Effect.andThen(FiberSet.join(fibers), Effect.never)
    ])
  })

class Run {
  readonly progress: Progress
  private readonly parts: ReactorParts
  private readonly counts: ReactorCounts
  private readonly followed = Effect.runSync(Queue.dropping<Followed>(READ_AHEAD))
  private readonly window = Semaphore.makeUnsafe(WINDOW)
  private readonly moved = Latch.makeUnsafe(false)
  /** The last commit of each actor that is under way. */
  private readonly last = new Map<string, Deferred.Deferred<void>>()
  /** Why nothing more is received: the run ends when what was is done. */
  private ending: ReactorStopped | null = null

  constructor(parts: ReactorParts, counts: ReactorCounts, from: number) {
    this.parts = parts
    this.counts = counts
    this.progress = new Progress(from)
  }

  /** Most commits mean nothing for others: they cost no more than a look. */
  receive(message: Message): void {
    if (this.ending !== null) return
    this.counts.commits++
    const told = this.look(message)
    if (told === null) return
    if (Array.isArray(told) && told.length === 0) return this.progress.pass(message.seq)
    const { seq, kind, id, traced } = message
    if (!Queue.offerUnsafe(this.followed, { seq, kind, id, told, traceparent: traced?.traceparent }))
      return this.stop("more came than can be read ahead")
    this.progress.begin(message.seq)
  }

  /** `null`: it is not to be read past. */
  private look(message: Message): Followed["told"] | null {
    const { seq, kind, id, data } = message
    if (data.length === 0) return []
    try {
      const commit = commitOf(message)
      return this.parts.reactions.follows(kind, commit, { id, seq, at: commit.at })
    } catch (error) {
      if (!(error instanceof UnknownEvent)) return { unreadable: error }
      this.stop(error)
      return null
    }
  }

  private stop(why: unknown): void {
    this.ending = stopped(why)
    this.moved.openUnsafe()
  }

  /** Waits for one, and for room in the window. */
  next(fibers: FiberSet.FiberSet<void, ReactorStopped>): Effect.Effect<void> {
    return Effect.gen({ self: this }, function* () {
      const followed = yield* Queue.take(this.followed)
      yield* this.window.take(1)
      const { kind, id } = followed
      yield* FiberSet.run(fibers, this.inTurn(`${kind} ${id}`, this.carried(followed)))
    })
  }

  /** Behind the commit before it of the same actor; where that was not done, never: the run ends. */
  private inTurn(actor: string, work: Effect.Effect<void, ReactorStopped>): Effect.Effect<void, ReactorStopped> {
    const before = this.last.get(actor)
    const own = Deferred.makeUnsafe<void>()
    this.last.set(actor, own)
    const ended = Effect.suspend(() => {
      if (this.last.get(actor) === own) this.last.delete(actor)
      return Deferred.succeed(own, undefined)
    })
    return Effect.andThen(before === undefined ? work : Effect.andThen(Deferred.await(before), work), ended)
  }

  private carried(followed: Followed): Effect.Effect<void, ReactorStopped> {
    const { told } = followed
    const all =
      "unreadable" in told
        ? this.fault(followed, String(followed.seq), told.unreadable)
        : this.carriedOut(followed, told)
    return Effect.map(all, () => {
      this.progress.done(followed.seq)
      this.moved.openUnsafe()
    })
  }

  private carriedOut(followed: Followed, told: ReadonlyArray<Told>): Effect.Effect<void, ReactorStopped> {
    const { ask, reactions } = this.parts
    const one = (command: Told, index: number) => {
      const commandId = `react-${reactions.name}-${followed.seq}-${nameOf(told, index)}`
      return Effect.matchEffect(carryOut(ask, commandId, command, followed.traceparent), {
        onSuccess: (outcome) =>
          Effect.sync(() => {
            this.counts.commands++
            if (outcome === "refused") this.counts.refused++
          }),
        // The others are carried out all the same.
        onFailure: (notDone) =>
          notDone.code === "internal_error"
            ? this.fault(followed, `${followed.seq}-${index}`, notDone.code, command)
            : Effect.fail(stopped(notDone))
      })
    }
    return Effect.forEach(told, one, { concurrency: ABREAST, discard: true })
  }

  /** Noted for the operator, then passed over. */
  private fault(
    { seq, kind, id }: Followed,
    place: string,
    cause: unknown,
    command?: Told
  ): Effect.Effect<void, ReactorStopped> {
    const { nats, reactions } = this.parts
    const noted = { seq, kind, id, error: String(cause), op: command?.op, actor: command?.actor }
    logNow("error", "reactor", { reactions: reactions.name, ...noted, error: cause })
    this.counts.faults++
    return trying(() => keepFault(nats, reactions.name, place, noted))
  }

  /** Keeps the mark, and then makes room in the window for what lies behind it. Fails at the end of the run. */
  keeping(from: Mark): Effect.Effect<never, ReactorStopped> {
    const { nats, reactions } = this.parts
    return Effect.gen({ self: this }, function* () {
      let kept = from
      for (;;) {
        yield* Effect.raceFirst(this.moved.await, Effect.sleep(MARK_MAX_MS))
        this.moved.closeUnsafe()
        const seq = this.progress.mark
        if (seq === kept.seq) {
          if (this.ending !== null && this.progress.underWay === 0) return yield* Effect.fail(this.ending)
          continue
        }
        const passed = this.progress.takePassed()
        const revision = yield* trying(() => keepMark(nats, reactions.name, { seq, revision: kept.revision }))
        kept = { seq, revision }
        this.counts.kept++
        yield* this.window.release(passed)
        if (this.ending !== null) this.moved.openUnsafe()
        yield* Effect.sleep(MARK_GAP_MS)
      }
    })
  }
}
