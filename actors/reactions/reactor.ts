/**
 * Carries out one set of reactions. It reads its part of the log in order from the checkpoint, and asks the concerned
 * actors to carry out the commands of each commit. The checkpoint moves past finished commits.
 *
 * Invariants
 *  - Nothing is lost. The mark moves past a commit only when every command that follows from it was carried out,
 *    refused for good, parked (parking.ts), or recorded as a fault (aside.ts).
 *  - Each actor gets its commands in the order of the log, one after the other; different actors in parallel. So an
 *    actor knows from the place of the last command which ones it has had, and a repeated one counts once.
 *  - At most `WINDOW` commits with commands lie between the stored mark and the last commit that was begun. Those come
 *    again when a reactor dies. A command that committed nothing leaves no trace, so it is decided again.
 *  - Two reactors at the same time (two nodes believe in one lease) do nothing twice, because their commands have the
 *    same ids. One of them finds the checkpoint moved, and starts over.
 *  - A refusal is final, because the actor has judged. A failure that may pass is retried with growing pauses
 *    (carrying.ts), and then parked. A failure inside the service is recorded after a few tries and skipped. Until
 *    then, later commands for the same actor wait, and so does the checkpoint.
 *  - The reactor stops before an event that this release does not know. A newer release continues there. Commits that
 *    were received before it are finished, and the checkpoint is stored, before the run ends.
 */
import type { NatsConnection } from "@nats-io/transport-node"
import { Data, Effect, FiberSet, Latch, Queue, type Scope, Semaphore } from "effect"
import type { Answer } from "../../schemas/runtime/bus/asker.ts"
import type { Ask } from "../../schemas/bus/frames.ts"
import { logNow } from "../../schemas/runtime/log/log.ts"
import { UnknownEvent } from "../engine/fold.ts"
import type { Archive } from "../log/archive/archive.ts"
import type { Feed } from "../projections/feed.ts"
import { commitOf, type Message } from "../projections/projection.ts"
import { carryOut, type NotDone, ONCE, PATIENT } from "./carrying.ts"
import { commandsAgain } from "./again.ts"
import { type Aside, putAside } from "./aside.ts"
import { keepMark, type Mark, readMark } from "./marks.ts"
import { actorOf, Parking } from "./parking.ts"
import { Progress } from "./progress.ts"
import { type Command, commandsOf, type Reactions } from "./reaction.ts"
import { Turns } from "./turns.ts"

/** The most unfinished commits with consequences. */
const WINDOW = 1000
/** Commands of one commit that are under way together. */
const ABREAST = 16
/** Commits that are read ahead. Commits beyond that are read again from the mark. */
const READ_AHEAD = 4096
/**
 * After a commit with commands is done, the mark is stored, but at most once in MARK_GAP_MS. Otherwise it is stored
 * within MARK_MAX_MS if it has moved.
 */
const MARK_GAP_MS = 100
const MARK_MAX_MS = 1000
/** The mark follows the reading this often while no commit concerns this set. */
const PASS_MS = 5000
/**
 * The distance from the end of a log that has lost commits, at which a run begins. It is larger than the number of
 * commits that are written until a reactor notices the loss.
 */
const LOST_BACK = 10_000

export interface ReactorParts {
  readonly nats: NatsConnection
  readonly feed: Feed
  /** The archive of the log. A parked command's commit may be there by now. */
  readonly archive: Archive | undefined
  readonly ask: (ask: Ask) => Promise<Answer>
  readonly reactions: Reactions
  /** Called with the position of the set. `changed`: true after a commit with commands. */
  readonly moved: (seq: number, changed: boolean) => void
}

export interface ReactorCounts {
  /** The number of times that the mark was moved. */
  kept: number
  commits: number
  commands: number
  refused: number
  faults: number
}

export interface Running {
  readonly watermark: () => number
  /**
   * The number of messages of the log that are not done; `null` if it is unknown. Rejects if the bus does not answer.
   */
  readonly pending: () => Promise<number | null>
  /** The number of parked commands (parking.ts). */
  readonly parked: () => number
}

/** The reason why a run ends. The next one begins at the mark. */
export class ReactorStopped extends Data.TaggedError("ReactorStopped")<{ readonly cause: unknown }> {}

const stopped = (cause: unknown): ReactorStopped => new ReactorStopped({ cause })
const trying = <A>(act: () => Promise<A>): Effect.Effect<A, ReactorStopped> =>
  Effect.tryPromise({ try: act, catch: stopped })

/** A commit with consequences, or one that cannot be read. Only the parts that are still needed are kept. */
interface Followed extends Pick<Message, "seq" | "kind" | "id"> {
  readonly traceparent: string | undefined
  readonly told: ReadonlyArray<Command> | { readonly unreadable: unknown }
}

const asideAt = ({ seq, kind, id }: Followed, why: unknown, command?: Command): Aside => {
  const error = String(why)
  if (command === undefined) return { seq, kind, id, error }
  const { told, which } = command
  return { seq, kind, id, error, command: { op: told.op, kind: told.kind, actor: told.actor, which } }
}

/**
 * The mark at which a run begins. If the mark is ahead of the log, the run begins some way before the log's end, so
 * that everything that was written since the loss is handled. Repeated commands count once.
 */
const begins = ({ nats, feed, reactions: { name } }: ReactorParts): Effect.Effect<Mark, ReactorStopped> =>
  Effect.gen(function* () {
    const mark = yield* trying(() => readMark(nats, name))
    const end = yield* Effect.mapError(feed.lostAt(mark.seq), stopped)
    if (end === null) return mark
    const error = "the log ends before the mark: it has lost commits"
    logNow("error", "reactor", { reactions: name, seq: mark.seq, log: end, error })
    return { ...mark, seq: Math.max(0, end - LOST_BACK) }
  })

/** Carries reactions out until it fails or is interrupted. */
export const react = (
  parts: ReactorParts,
  counts: ReactorCounts,
  running: (told: Running) => void
): Effect.Effect<never, ReactorStopped, Scope.Scope> =>
  Effect.gen(function* () {
    const { feed, reactions } = parts
    const from = yield* begins(parts)
    const run = new Run(parts, counts, from.seq)
    yield* Effect.mapError(run.parking.load, stopped)
    const reading = feed.read(reactions, from.seq + 1, (message) => run.receive(message))
    const following = yield* Effect.mapError(reading, stopped)
    const passing = Effect.sync(() => run.pass(following.at()))
    running({
      watermark: () => run.progress.mark,
      pending: async () => {
        const ahead = await following.pending()
        return ahead === null ? null : ahead + run.progress.underWay
      },
      parked: () => run.parking.count
    })
    const fibers = yield* FiberSet.make<void, ReactorStopped>()
    return yield* Effect.raceAllFirst([
      Effect.forever(run.next(fibers)),
      run.keeping(from),
      Effect.forever(Effect.andThen(Effect.sleep(PASS_MS), passing)),
      Effect.mapError(
        run.parking.again((aside) => run.again(aside)),
        stopped
      ),
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
  private readonly turns = new Turns()
  /**
   * Actors whose last command failed. Their next command gets only one try, so that many of them do not delay the
   * checkpoint.
   */
  private readonly failing = new Set<string>()
  readonly parking: Parking
  /** The reason why no more messages are received. The run ends when the received ones are done. */
  private ending: ReactorStopped | null = null

  constructor(parts: ReactorParts, counts: ReactorCounts, from: number) {
    this.parts = parts
    this.counts = counts
    this.progress = new Progress(from)
    this.parking = new Parking({ nats: parts.nats, name: parts.reactions.name })
  }

  /** Queues the commit if it has consequences. Most have none, and cost no more than a check. */
  receive(message: Message): void {
    if (this.ending !== null) return
    this.counts.commits++
    const told = this.look(message)
    if (told === null) return
    if (Array.isArray(told) && told.length === 0) {
      this.progress.pass(message.seq)
      return this.parts.moved(this.progress.mark, false)
    }
    const { seq, kind, id, traced } = message
    if (!Queue.offerUnsafe(this.followed, { seq, kind, id, told, traceparent: traced?.traceparent }))
      return this.stop("more came than can be read ahead")
    this.progress.begin(message.seq)
  }

  /** The log has no more messages for this set up to this sequence. */
  pass(seq: number): void {
    if (this.ending === null) this.progress.pass(seq)
  }

  /** `null` if the reactor must stop before this message. */
  private look(message: Message): Followed["told"] | null {
    const { seq, kind, id, data } = message
    if (data.length === 0) return []
    try {
      const { reactions } = this.parts
      const commit = commitOf(message)
      return commandsOf(reactions.name, seq, reactions.follows(kind, commit, { id, seq, at: commit.at }))
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

  next(fibers: FiberSet.FiberSet<void, ReactorStopped>): Effect.Effect<void> {
    return Effect.gen({ self: this }, function* () {
      const followed = yield* Queue.take(this.followed)
      yield* this.window.take(1)
      yield* FiberSet.run(fibers, this.carried(followed))
    })
  }

  private carried(followed: Followed): Effect.Effect<void, ReactorStopped> {
    const { told } = followed
    const all =
      "unreadable" in told
        ? this.fault(asideAt(followed, told.unreadable), told.unreadable)
        : Effect.forEach(
            // These commands enter the queue before any command of the next commit.
            told.map((command) => this.turns.inTurn(actorOf(command.told), this.carriedOut(followed, command))),
            (one) => one,
            { concurrency: ABREAST, discard: true }
          )
    return Effect.map(all, () => {
      this.progress.done(followed.seq)
      this.moved.openUnsafe()
      this.parts.moved(this.progress.mark, true)
    })
  }

  /** Carries out one command of a commit. The other commands are carried out even if this one fails. */
  private carriedOut(followed: Followed, command: Command): Effect.Effect<void, ReactorStopped> {
    return Effect.suspend(() => {
      const actor = actorOf(command.told)
      if (this.parking.has(actor)) return this.park(followed, command, "behind another that is parked")
      const tries = this.failing.has(actor) ? ONCE : PATIENT
      return Effect.matchEffect(carryOut(this.parts.ask, command, followed.traceparent, tries), {
        onSuccess: (outcome) =>
          Effect.sync(() => {
            this.failing.delete(actor)
            this.count(outcome)
          }),
        onFailure: ({ code }) => {
          if (code !== "internal_error") return this.park(followed, command, code)
          this.failing.add(actor)
          return this.fault(asideAt(followed, code, command), code)
        }
      })
    })
  }

  private count(outcome: "done" | "refused"): void {
    this.counts.commands++
    if (outcome === "refused") this.counts.refused++
  }

  private park(followed: Followed, command: Command, why: string): Effect.Effect<void, ReactorStopped> {
    const aside = asideAt(followed, why, command)
    logNow("warn", "reactor", { reactions: this.parts.reactions.name, parked: command.told.actor, ...aside })
    return Effect.mapError(this.parking.park(aside), stopped)
  }

  again(aside: Aside): Effect.Effect<boolean, ReactorStopped> {
    const { nats, archive, ask, reactions } = this.parts
    return Effect.gen({ self: this }, function* () {
      const [command] = yield* trying(() => commandsAgain(nats, reactions, aside, archive))
      if (command === undefined) return true
      const failed = ({ code }: NotDone) =>
        code === "internal_error" ? Effect.as(this.fault({ ...aside, error: code }, code), true) : Effect.succeed(false)
      const carried = Effect.map(carryOut(ask, command, undefined, ONCE), (outcome) => {
        this.count(outcome)
        return true
      })
      return yield* Effect.catch(carried, failed)
    }).pipe(
      // A command that can no longer be derived from the log is a fault, as it would be in its turn. Any other obstacle
      // may pass, such as a newer release's event or a log that does not answer.
      Effect.catch(({ cause }) =>
        cause instanceof TypeError || cause instanceof SyntaxError
          ? Effect.as(this.fault({ ...aside, error: String(cause) }, cause), true)
          : Effect.succeed(false)
      )
    )
  }

  /** Records the fault for the operator, then skips the command. */
  private fault(aside: Aside, cause: unknown): Effect.Effect<void, ReactorStopped> {
    const { nats, reactions } = this.parts
    logNow("error", "reactor", { reactions: reactions.name, ...aside, error: cause })
    this.counts.faults++
    return trying(() => putAside(nats, reactions.name, "fault", aside))
  }

  /** Stores the mark, and then makes room in the window for the next commits. Fails when the run ends. */
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
