/** The reactions that a node carries out while it owns their shard. */
import { Effect, FiberHandle, Schedule, type Scope } from "effect"
import type { Announcer } from "../engine/read-models.ts"
import { Bus, Cluster, LogArchive } from "../kit/process.ts"
import type { FeedOf } from "../projections/feed.ts"
import { react, type ReactorCounts, type ReactorStopped, type Running } from "../reactions/reactor.ts"
import { markOf, type Reactions } from "../reactions/reaction.ts"

/** The pause between two runs. It doubles after each run that made no progress. */
const AGAIN_MS = 250
const AGAIN_MAX_MS = 8000
const AGAIN = Schedule.min([Schedule.exponential(AGAIN_MS), Schedule.spaced(AGAIN_MAX_MS)])

export class Reactor {
  readonly name: string
  readonly counts: ReactorCounts = { kept: 0, commits: 0, commands: 0, refused: 0, faults: 0 }
  /** Failed runs since the start. */
  failures = 0
  /** `null` while another node carries them out, or no node can. */
  running: Running | null = null
  /** Starts the reactions, or lets them continue. */
  readonly start: Effect.Effect<void>
  readonly stop: Effect.Effect<void>

  private constructor(name: string, run: (reactor: Reactor) => Effect.Effect<void>, stop: Effect.Effect<void>) {
    this.name = name
    this.start = run(this)
    this.stop = stop
  }

  /** Makes the reactions without starting them. They end with the scope. */
  static make(
    reactions: Reactions,
    feedOf: FeedOf,
    announcer: Announcer
  ): Effect.Effect<Reactor, never, Bus | Cluster | Scope.Scope> {
    return Effect.gen(function* () {
      const nats = yield* Bus
      const { asker } = yield* Cluster
      const archive = (yield* LogArchive)?.archive
      const handle = yield* FiberHandle.make<never, never>()
      const ask = asker.ask.bind(asker)
      const mark = markOf(reactions)
      const moved = (seq: number, changed: boolean): void => {
        if (reactions.awaited) announcer.moved(mark, seq, changed)
      }
      const runs = (reactor: Reactor): Effect.Effect<never> => {
        const feed = feedOf(reactions.stream)
        const run = react({ nats, feed, archive, reactions, ask, moved }, reactor.counts, (running) => {
          reactor.running = running
        })
        const failed = ({ cause }: ReactorStopped) =>
          Effect.suspend(() => {
            reactor.failures++
            return Effect.annotateLogs(Effect.logWarning(cause), { at: "reactor", reactions: reactions.name })
          })
        const ended = Effect.sync(() => {
          reactor.running = null
        })
        const attempt = Effect.suspend(() => {
          const before = reactor.counts.kept
          const tried = Effect.tapError(Effect.ensuring(Effect.scoped(run), ended), failed)
          // A run that made progress resets the pause.
          return Effect.catchIf(
            tried,
            () => reactor.counts.kept > before,
            () => Effect.sleep(AGAIN_MS)
          )
        })
        return Effect.forever(Effect.ignore(Effect.retry(attempt, AGAIN)))
      }
      return new Reactor(
        reactions.name,
        (reactor) => Effect.asVoid(FiberHandle.run(handle, runs(reactor), { onlyIfMissing: true })),
        FiberHandle.clear(handle)
      )
    })
  }
}
