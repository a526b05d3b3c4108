/**
 * `GET /me/notifications?wait_seconds=`: an empty list is held back until it is none, or the time is over.
 *
 * Invariants
 *  - It is answered from the read models like any list; waiting only decides when.
 *  - The request's own deadline (request_deadline_ms) is for what is asked on its behalf: each ask has it anew. The
 *    whole is bounded by `wait_seconds` and one such deadline.
 *  - Nobody waits longer for a side that does not answer: the first read that fails is the answer. Once it is held, a
 *    failure is not, unless it is the last there is time for.
 *  - What came while it was held is given only to who may still read it.
 */
import { Effect, Result } from "effect"
import type { Bus } from "../bus/bus.ts"
import { listed, type Listed } from "../bus/lists.ts"
import type { Call } from "../http/call.ts"
import { type Refused, refuse } from "../http/refused.ts"
import type { Queries } from "../../schemas/bus/operations.ts"
import { unavailable } from "../../schemas/errors.ts"
import type { Limits } from "../../schemas/limits.ts"
import { rightOf } from "./right.ts"
import { Seats } from "./seats.ts"
import { Waking } from "./waking.ts"
import type { Watch } from "./watch.ts"

type Ask = Queries["notifications"]["input"]

/** After it was heard that the account changed: looks at what its actor says, and the pause between two. */
const CHANGED_LOOKS = 6
const CHANGED_LOOK_MS = 100

export class HeldLists {
  private readonly bus: Bus
  private readonly watch: Watch
  private readonly deadlineMs: number
  private readonly seats: Seats<Waking>
  private closing = false

  constructor(bus: Bus, watch: Watch, limits: Limits) {
    this.bus = bus
    this.watch = watch
    this.deadlineMs = limits.service.request_deadline_ms
    this.seats = new Seats(limits.notifications.waits_max, limits.notifications.waits_per_agent_max)
  }

  get held(): number {
    return this.seats.taking
  }

  list(call: Call, ask: Ask, waitMs: number): Effect.Effect<Listed, Refused> {
    if (waitMs <= 0 || this.closing || this.seats.full || this.seats.oldest(ask.agent) !== null)
      return this.read(call, ask)
    return Effect.acquireUseRelease(
      Effect.sync(() => this.sit(ask.agent)),
      (waking) => this.hold(call, ask, waking, performance.now() + waitMs),
      (waking) => Effect.sync(() => this.leave(ask.agent, waking))
    )
  }

  /** Whoever waits gets what there is. */
  close(): void {
    this.closing = true
    for (const waking of this.seats.all()) waking.end()
  }

  private sit(agent: string): Waking {
    const waking = new Waking()
    this.seats.take(agent, waking)
    this.watch.join(agent, waking)
    return waking
  }

  private leave(agent: string, waking: Waking): void {
    waking.end()
    this.watch.leave(agent, waking)
    this.seats.leave(agent, waking)
  }

  private read(call: Call, ask: Ask): Effect.Effect<Listed, Refused> {
    call.deadline = Date.now() + this.deadlineMs
    return listed(this.bus, call, "notifications", ask)
  }

  private readonly hold = Effect.fnUntraced(
    { self: this as HeldLists },
    function* (
      this: HeldLists,
      call: Call,
      ask: Ask,
      waking: Waking,
      until: number
    ): Effect.fn.Return<Listed, Refused> {
      let found = Result.succeed(yield* this.read(call, ask)) as Result.Result<Listed, Refused>
      if (Result.isSuccess(found) && found.success.total > 0) return found.success
      let seen = ask.since_id
      while (!waking.over && performance.now() < until) {
        yield* Effect.promise(() =>
          waking.wait(until - performance.now(), () => waking.newest > seen || waking.accountChanged)
        )
        if (waking.accountChanged) break
        seen = Math.max(seen, waking.newest)
        found = yield* Effect.result(this.read(call, ask))
        if (Result.isSuccess(found) && found.success.total > 0) break
        // What was heard of has not been read: the next look tells of it again.
        if (Result.isFailure(found)) waking.newest = seen = ask.since_id
      }
      return yield* this.allowed(call, found, waking.accountChanged ? CHANGED_LOOKS : 1)
    }
  )

  /** `looks`: that the account changed may be heard before its actor has it. */
  private allowed(call: Call, found: Result.Result<Listed, Refused>, looks: number): Effect.Effect<Listed, Refused> {
    return Effect.flatMap(
      Effect.promise(() => rightOf(this.bus, call, this.deadlineMs)),
      (right): Effect.Effect<Listed, Refused> => {
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
