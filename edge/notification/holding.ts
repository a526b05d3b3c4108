/**
 * Holds requests until there is a result for them, or their time is over.
 *
 * Invariants
 *  - Each search for a result is an ordinary query; waiting only decides when it is made. A request is woken when its
 *    agent gets a notification (watch.ts).
 *  - The request's own deadline (request_deadline_ms) applies to each query on its behalf. After `waitMs`, the request
 *    still waits for its last query and for the check of the right to read.
 *  - If the first query fails, the failure is the answer. Later failures of a held request are ignored, unless there is
 *    no time for another query.
 *  - A result after a wait is given only to a caller who may still read it.
 */
import { Effect, Result } from "effect"
import { unavailable } from "../../schemas/errors.ts"
import type { Limits } from "../../schemas/limits.ts"
import type { Bus } from "../bus/bus.ts"
import type { Call } from "../http/call.ts"
import { type Refused, refuse } from "../http/refused.ts"
import { rightOf } from "./right.ts"
import { Seats } from "./seats.ts"
import { Waking } from "./waking.ts"
import type { Watch } from "./watch.ts"
import { wallMs, monotonicMs } from "../../schemas/runtime/clock.ts"

/** After a reported change of the account: the number of queries to its actor, and the pause between two. */
const CHANGED_LOOKS = 6
const CHANGED_LOOK_MS = 100
/** The number of queries for an event that was reported but is not visible yet. */
const LOOKS_AGAIN = 10
const LOOK_AGAIN_MS = 150

export interface Holding<A> {
  /** The agent's hub id. */
  readonly agent: string
  readonly waitMs: number
  readonly look: Effect.Effect<A, Refused>
  /** True if the result is worth an answer. */
  readonly isThere: (found: A) => boolean
  /** The newest notification that the agent knows. Earlier ones do not wake the request. */
  readonly since?: number
}

/** `waited` is true if the request was held before it was answered. */
export interface Waited<A> {
  readonly found: A
  readonly waited: boolean
}

type HeldResult<A> = Result.Result<A, Refused>

export class Holder {
  private readonly bus: Bus
  private readonly watch: Watch
  private readonly deadlineMs: number
  private readonly seats: Seats<Waking>
  private closing = false

  constructor(bus: Bus, watch: Watch, limits: Limits, seats: { readonly max: number; readonly perAgentMax: number }) {
    this.bus = bus
    this.watch = watch
    this.deadlineMs = limits.service.request_deadline_ms
    this.seats = new Seats(seats.max, seats.perAgentMax)
  }

  get held(): number {
    return this.seats.taking
  }

  /** True if another request of the agent may wait here. Otherwise the request is answered at once. */
  hasRoom(agent: string): boolean {
    return !this.closing && !this.seats.full && this.seats.oldest(agent) === null
  }

  hold<A>(call: Call, holding: Holding<A>): Effect.Effect<Waited<A>, Refused> {
    const { agent, waitMs } = holding
    if (waitMs <= 0 || !this.hasRoom(agent))
      return Effect.map(this.looked(call, holding), (found) => ({ found, waited: false }))
    return Effect.acquireUseRelease(
      Effect.sync(() => this.sit(call, agent)),
      (waking) => this.wait(call, holding, waking, monotonicMs(call.clock) + waitMs),
      (waking) => Effect.sync(() => this.leave(agent, waking))
    )
  }

  /** Answers waiting requests with the data that exist. */
  close(): void {
    this.closing = true
    for (const waking of this.seats.all()) waking.end()
  }

  private sit(call: Call, agent: string): Waking {
    const waking = new Waking(call.clock)
    this.seats.take(agent, waking)
    this.watch.join(agent, waking)
    return waking
  }

  private leave(agent: string, waking: Waking): void {
    waking.end()
    this.watch.leave(agent, waking)
    this.seats.leave(agent, waking)
  }

  private looked<A>(call: Call, { look }: Holding<A>): Effect.Effect<A, Refused> {
    return Effect.suspend(() => {
      call.deadline = wallMs(call.clock) + this.deadlineMs
      return look
    })
  }

  private wait<A>(call: Call, holding: Holding<A>, waking: Waking, until: number): Effect.Effect<Waited<A>, Refused> {
    const { isThere, since = 0 } = holding
    const left = (): number => Math.max(0, until - monotonicMs(call.clock))
    return Effect.gen({ self: this }, function* () {
      const first = yield* this.looked(call, holding)
      if (isThere(first)) return { found: first, waited: false }
      let found: HeldResult<A> = Result.succeed(first)
      let seen = since
      /** Further checks without a wake-up, because an event may be in one read model and not yet in another. */
      let looks = 0
      while (!waking.over && monotonicMs(call.clock) < until) {
        yield* Effect.promise(() =>
          waking.wait(
            looks > 0 ? Math.min(LOOK_AGAIN_MS, left()) : left(),
            () => waking.newest > seen || waking.accountChanged
          )
        )
        if (waking.accountChanged) break
        looks = waking.newest > seen ? LOOKS_AGAIN : Math.max(0, looks - 1)
        seen = Math.max(seen, waking.newest)
        found = yield* Effect.result(this.looked(call, holding))
        if (Result.isSuccess(found) && isThere(found.success)) break
        // The reported events could not be read. The next query tries again.
        if (Result.isFailure(found)) waking.newest = seen = since
      }
      return { found: yield* this.allowed(call, found, waking.accountChanged ? CHANGED_LOOKS : 1), waited: true }
    })
  }

  /**
   * Checks the right to read. `looks` is the number of tries: a change of the account may be reported before its actor
   * has it.
   */
  private allowed<A>(call: Call, found: HeldResult<A>, looks: number): Effect.Effect<A, Refused> {
    return Effect.flatMap(
      Effect.promise(() => rightOf(this.bus, call, this.deadlineMs)),
      (right): Effect.Effect<A, Refused> => {
        if (right === "good" && looks > 1)
          return Effect.andThen(Effect.sleep(CHANGED_LOOK_MS), this.allowed(call, found, looks - 1))
        if (right === "good")
          return Result.isSuccess(found) ? Effect.succeed(found.success) : Effect.fail(found.failure)
        return Effect.fail(
          refuse(
            right === "unknown"
              ? unavailable("The agent's home did not answer. It is safe to try again.")
              : right.refused
          )
        )
      }
    )
  }
}
