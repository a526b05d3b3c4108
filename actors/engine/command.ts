/**
 * Carries out a command, up to its commit.
 *
 * Invariants
 *  - The order is append, evolve, reply. A decision with events is answered only when its commit is durable. State
 *    changes only by an appended event.
 *  - The log is the fence. An append carries the sequence of the last commit that this activation has read. If the log
 *    refuses it, the log of this actor or of a companion has moved on. The activation then reloads from the log and
 *    tries the command again, with at most CONFLICT_TRIES tries in all.
 *  - Facts from `prepare` are used only if the actor is still at the same sequence. So numbers drawn there grow along
 *    the log of each actor, even if two nodes believe that they own it.
 *  - An append leaves only while this node serves the actor. If it was frozen since it gathered its facts, the next
 *    owner may have carried out a reaction's command that found nothing to do. That moves no sequence, so the log would
 *    accept what the facts contradict by now.
 *  - If the outcome of an append is unknown, the log is read before anything else is decided.
 *  - A command with a remembered id is answered with its first reply, or with `null` if that was forgotten. Nothing is
 *    appended. The asker may repeat it because the first node died before it had informed the owners of companions or
 *    had waited for read models. So both are done again while an asker may wait for the first answer.
 *  - Timers are durable before their commit is, each under its own time. A timer of a failed commit fires without
 *    effect, and it never replaces one that a successful commit has set.
 *  - The sender of a timer or of a reaction's command takes an answer as final, and no append fences a command that
 *    finds nothing to do. That result therefore counts only if the log confirms that this activation has read every
 *    commit.
 *  - A refusal by `prepare`, `decide` or the meter that commits nothing also counts only if the log confirms that.
 *    Refusals of `prepare` that are caused elsewhere (`OUTSIDE`) need no check. Another node may have carried out this
 *    same command a moment ago, and that may cause the refusal (the name is taken, the vote is cast). The command is
 *    then answered with the first reply.
 *  - If a command exceeds the bytes that its actor may write, or if the node knows that the disk is nearly full, it is
 *    refused before a timer is set.
 *  - An interruption does not end an append that has begun. Once the append has succeeded, the command's outcome no
 *    longer changes.
 *  - Work that follows the append (read models, reactions, the owner of a companion) delays only the answer to this
 *    command. A reaction may send a command to the actor that caused it. That actor carries the command out meanwhile.
 */
import { Effect } from "effect"
import { type ErrorCode, type Refusal, unavailable } from "../../schemas/errors.ts"
import type { Span } from "../../schemas/runtime/trace/span.ts"
import { type Decision, type DecideContext, type ActorTypes, type Timer, type WriteOperation } from "./definition.ts"
import { isNeverRepeated } from "./command-ids.ts"
import { bytesOf, type CommitGroup, companionsOf, groupOf, isRefused, timersOf } from "./commit-group.ts"
import { CONFLICT_TRIES, conflictPause, lostTo } from "./conflict.ts"
import { knowsEvent, UnknownEvent } from "./fold.ts"
import type { History, HistoryParts } from "./history.ts"
import type { ReadModels, Timers } from "./ports.ts"
import type { AppendResult } from "../log/commit.ts"
import { storageLow } from "../log/storage.ts"
import { appendSpan, endAppend } from "./trace.ts"

export interface Command {
  readonly id: string
  readonly op: string
  readonly input: unknown
  readonly by: string | undefined
  /** Unix ms. */
  readonly deadline: number
  readonly trace: string | undefined
  readonly why?: string | undefined
  /** True if the command was carried out before, so nothing is decided. */
  readonly again?: true | undefined
  readonly span?: Span | null
}

export interface CommandParts extends HistoryParts {
  readonly timers: Timers
  readonly readModels: ReadModels
  readonly now: () => number
  /**
   * Tells the owner of an actor that the actor's log has a new commit. Resolves when the owner has answered, or cannot
   * be reached in time.
   */
  readonly touched: (kind: string, id: string) => Promise<void>
  /** True while this node may answer for the actor and write to it; absent for always. */
  readonly serves?: (id: string) => boolean
  /** The refusal of every append while the disk is nearly full; `null` at other times. */
  readonly noRoom?: () => Refusal | null
}

export interface UnderWay<R> {
  readonly command: Command
  readonly operation: AnyWrite<R>
  /** The outcome of a successful append; `null` without one. A later interruption does not change it. */
  committed: Committed | null
  /**
   * Waits for owners of companions and for read models; `null` if neither is needed. This delays the answer, not the
   * actor's next command.
   */
  shown: (() => Promise<unknown>) | null
}

export type Committed = { readonly data: unknown } | { readonly refused: Refusal }

type Actor<R> = History<R> & { readonly memory: unknown }

type AnyWrite<R> = WriteOperation<ActorTypes, unknown, unknown, unknown, unknown, R>

const UNREADABLE = unavailable("The log cannot be read at the moment.")

/**
 * Refusals of `prepare` that are caused elsewhere: another part cannot be reached, or a bucket of another actor is
 * empty.
 */
const OUTSIDE: ReadonlySet<ErrorCode> = new Set<ErrorCode>(["unavailable", "overloaded", "rate_limited"])

/** The command starts again from the beginning: its state is outdated, or the outcome of its append is unknown. */
const AGAIN = Symbol("again")
/** The node does not serve the actor any more. The asker turns to its owner, as if the shard had been dropped. */
const LOST = Symbol("lost")

/**
 * A commit is expected to be acknowledged, refused or given up within this time, including the wait for a batch and the
 * retries after a refused one.
 */
const IN_FLIGHT_MS = 30_000
type Again = typeof AGAIN | typeof LOST

/** Steps of a fiber. They are plain generators, because each Effect between them costs as much as a decision. */
type Steps<A, R> = Generator<Effect.Effect<unknown, Refusal, R>, A, unknown>

/** Succeeds with the answer's `data`. Dies with `UnknownEvent` if a newer release has written to the actor. */
export const execute = <R>(
  actor: Actor<R>,
  parts: CommandParts,
  underWay: UnderWay<R>
): Effect.Effect<unknown, Refusal, R> =>
  Effect.gen(function* () {
    for (let attempt = 0; attempt < CONFLICT_TRIES; attempt++) {
      if (attempt > 1) yield* Effect.sleep(Math.min(conflictPause(attempt), underWay.command.deadline - parts.now()))
      if (parts.now() >= underWay.command.deadline) break
      // If another node has begun this log meanwhile, the append finds that out.
      if (!actor.loaded) yield* loaded(actor)
      const outcome = yield* new Attempt(actor, parts, underWay).steps()
      if (outcome === AGAIN) continue
      if (outcome === LOST) return yield* Effect.interrupt
      return "refused" in outcome ? yield* Effect.fail(outcome.refused) : outcome.data
    }
    return yield* Effect.fail(unavailable("The command could not be committed in time. It is safe to try again."))
  })

const loaded = <R>(actor: Actor<R>): Effect.Effect<void, Refusal> =>
  Effect.catch(
    Effect.tryPromise({ try: () => actor.load(), catch: (error) => error }),
    (error): Effect.Effect<void, Refusal> =>
      error instanceof UnknownEvent ? Effect.die(error) : Effect.fail(UNREADABLE)
  )

class Attempt<R> {
  private readonly actor: Actor<R>
  private readonly parts: CommandParts
  private readonly underWay: UnderWay<R>
  private readonly at: number
  private readonly seq: number

  constructor(actor: Actor<R>, parts: CommandParts, underWay: UnderWay<R>) {
    this.actor = actor
    this.parts = parts
    this.underWay = underWay
    this.at = parts.now()
    this.seq = actor.seq
  }

  *steps(): Steps<Committed | Again, R> {
    const { actor } = this
    const { command, operation } = this.underWay
    const before = actor.commandOf(command.id, this.at)
    if (before === "passed") return { data: null }
    if (before !== undefined) {
      const { reply } = before
      if (isRefused(reply)) return reply
      this.underWay.shown = this.shownAgain(before.at)
      return { data: this.answer(reply, before.at) }
    }
    if (command.again === true) return { data: this.answer(undefined) }
    const facts = yield* this.prepared()
    if (facts === AGAIN) return AGAIN
    const outcome = yield* this.decided(facts)
    const unused = this.underWay.committed === null ? operation.unused?.(facts) : undefined
    if (unused !== undefined) yield* Effect.forkDetach(unused)
    return outcome
  }

  private *decided(facts: unknown): Steps<Committed | Again, R> {
    const { actor, at, seq } = this
    const { command, operation } = this.underWay
    // Facts belong to the state for which they were gathered. A number that was drawn before another node's commit must
    // not be used after it.
    if (actor.seq !== seq) return AGAIN
    const context = { id: actor.id, at, seq, facts }
    return yield* this.carryOut(context, this.consequences(operation.decide(actor.state, command.input, context)), true)
  }

  /** A `prepare` that hangs delays its actor only until the deadline. */
  private *prepared(): Steps<unknown | Again, R> {
    const { command, operation } = this.underWay
    const { actor, at, seq } = this
    if (operation.prepare === undefined) return null
    const facts = operation.prepare(actor.state, command.input, {
      id: actor.id,
      at,
      seq,
      commandId: command.id,
      deadline: command.deadline,
      memory: actor.memory,
      traceparent: command.span?.traceparent
    })
    const inTime = Effect.timeoutOrElse(facts, {
      duration: Math.max(0, command.deadline - at),
      orElse: () => Effect.fail(unavailable("The command's facts could not be gathered in time."))
    })
    return yield* Effect.catch(inTime, (refused) => this.refusedBy(refused))
  }

  /**
   * Fails with the refusal, unless the log has moved on. A refusal that does not depend on the state counts without
   * asking the log.
   */
  private refusedBy(refused: Refusal): Effect.Effect<Again, Refusal> {
    if (OUTSIDE.has(refused.code)) return Effect.fail(refused)
    return Effect.flatMap(this.isNewest(), (isNewest) => (isNewest ? Effect.fail(refused) : Effect.succeed(AGAIN)))
  }

  private consequences(decision: Decision): Decision {
    const { definition, state, id } = this.actor
    return definition.consequences?.(state, decision, { id, at: this.at }) ?? decision
  }

  private answer(reply: unknown, at = this.at): unknown {
    return this.underWay.operation.answer(this.actor.state, reply, { id: this.actor.id, at })
  }

  private outcomeOf(decision: Decision): Committed {
    return "refused" in decision ? { refused: decision.refused } : { data: this.answer(decision.reply) }
  }

  private *carryOut(
    context: DecideContext<unknown>,
    decision: Decision,
    mayContest: boolean
  ): Steps<Committed | Again, R> {
    const { actor, parts, underWay } = this
    const { command, operation } = underWay
    const events = decision.events ?? []
    if (events.length === 0) {
      const isFinal = "refused" in decision || isNeverRepeated(command.id)
      if (isFinal && !(yield* this.isNewest())) return AGAIN
      // A timer may be set without an event, such as one that fired too early and is set for its right time.
      for (const timer of timersOf(decision)) yield* this.set(timer)
      return this.outcomeOf(decision)
    }
    // An event that could not be folded must not be written.
    const strange = events.find((event) => !knowsEvent(actor.definition.events, event))
    if (strange !== undefined)
      throw new TypeError(`${command.op} made an event outside the inventory: ${strange.type}@${strange.v}`)
    const span = appendSpan(command.span, actor.definition.kind)
    const group = groupOf(command, actor, this.at, decision, span?.traceparent)
    const full = parts.noRoom?.() ?? null
    if (full !== null) return (yield* this.isNewest()) ? { refused: full } : AGAIN
    const { meter } = this
    const bytes = meter === undefined ? 0 : bytesOf(group)
    if (meter !== undefined) {
      const admitted = Effect.as(meter.admit(bytes, actor), null)
      const spent = yield* Effect.catch(admitted, (refused) =>
        Effect.map(this.isNewest(), (isNewest) => (isNewest ? refused : AGAIN))
      )
      if (spent === AGAIN) return AGAIN
      if (spent !== null) return { refused: spent }
    }
    for (const timer of timersOf(decision)) yield* this.set(timer)
    const result = yield* Effect.uninterruptible(Effect.promise(() => this.commit(group, bytes, span, decision)))
    if (!result.ok) return yield* this.appendFailed(result.reason, context, decision, mayContest)
    const refused = "refused" in decision ? decision.refused : null
    const after = operation.after?.(command.input, context, { state: actor.state, refused })
    if (after !== undefined) yield* Effect.forkDetach(after)
    underWay.shown = this.shown(companionsOf(decision), result.seqs)
    return underWay.committed ?? this.outcomeOf(decision)
  }

  /** Returns the wait for owners of companions and for read models; `null` if neither is needed. */
  private shown(
    companions: ReadonlyArray<{ readonly kind: string; readonly id: string }>,
    seqs: ReadonlyArray<number>
  ) {
    const { actor, parts, underWay } = this
    const projected = underWay.operation.projected === true
    if (companions.length === 0 && !projected) return null
    const own = { kind: actor.definition.kind, id: actor.id }
    const written = [own, ...companions].map(({ kind, id }, index) => ({ kind, id, seq: seqs[index] ?? 0 }))
    return () =>
      Promise.all([
        ...companions.map(({ kind, id }) => parts.touched(kind, id)),
        ...(projected ? [parts.readModels.reached(written)] : [])
      ])
  }

  /**
   * Returns the wait for owners of companions and for read models of a command that was decided at `at` (Unix ms). The
   * node that committed it may have died before either. `null` if no asker waits for its first answer any more.
   */
  private shownAgain(at: number) {
    const { actor, parts, underWay } = this
    const { request_deadline_ms, projected_wait_ms } = parts.limits
    if (this.at >= at + request_deadline_ms + projected_wait_ms) return null
    const own = { kind: actor.definition.kind, id: actor.id, seq: actor.seq }
    return async () => {
      const written = await parts.log.commitsOf(underWay.command.id, actor.subject, at).catch(() => [])
      await Promise.all([
        ...written.slice(1).map(({ kind, id }) => parts.touched(kind, id)),
        ...(underWay.operation.projected === true ? [parts.readModels.reached([own, ...written])] : [])
      ])
    }
  }

  /** Asks the log within the remaining time of the command. */
  private isNewest(): Effect.Effect<boolean, Refusal> {
    const asked = Effect.tryPromise({ try: () => this.actor.isNewest(), catch: () => UNREADABLE })
    return Effect.timeoutOrElse(asked, {
      duration: Math.max(0, this.underWay.command.deadline - this.parts.now()),
      orElse: () => Effect.fail(UNREADABLE)
    })
  }

  private set({ of = { kind: this.actor.definition.kind, id: this.actor.id }, name, at }: Timer) {
    // The time is read now, because `prepare` may have taken a while.
    const landed = this.parts.now() + IN_FLIGHT_MS
    return Effect.tryPromise({
      try: () =>
        this.parts.timers.set(of.kind, of.id, name, at, {
          traceparent: this.underWay.command.span?.traceparent,
          again: at < landed ? landed : undefined
        }),
      catch: () => unavailable("A timer could not be set at the moment. It is safe to try again.")
    })
  }

  private get meter() {
    const { op, by } = this.underWay.command
    const { meter, metered } = this.actor.definition
    return metered?.has(op) === true || by !== undefined ? meter : undefined
  }

  private async commit(
    group: CommitGroup,
    bytes: number,
    span: Span | null,
    decision: Decision
  ): Promise<AppendResult> {
    const { actor } = this
    const { serves } = this.parts
    const result = await this.parts.log.append(group, serves === undefined ? undefined : () => serves(actor.id))
    if (span !== null) endAppend(span, result)
    if (!result.ok) return result
    this.meter?.spent(bytes, actor)
    actor.fold({ seq: result.seqs[0] ?? 0, commit: group[0].commit })
    this.underWay.committed = this.outcomeOf(decision)
    // The shard was lost meanwhile. Its present owner, which may be this node again, may have read the log without this
    // commit. No answer of this node waits for the owners of companions any more.
    if (actor.forgotten)
      for (const { kind, id } of [{ kind: actor.definition.kind, id: actor.id }, ...companionsOf(decision)])
        void this.parts.touched(kind, id)
    actor.snapshotWhenDue()
    return result
  }

  private *appendFailed(
    reason: Exclude<AppendResult, { readonly ok: true }>["reason"],
    context: DecideContext<unknown>,
    decision: Decision,
    mayContest: boolean
  ): Steps<Committed | Again, R> {
    const { actor } = this
    const { command, operation } = this.underWay
    if (reason === "overloaded")
      return { refused: { code: "overloaded", message: "Too many commits wait.", retryAfter: 1 } }
    if (reason === "full") return { refused: storageLow() }
    if (reason === "unasked") return { refused: UNREADABLE }
    actor.stale()
    if (reason === "lost") return LOST
    const companions = companionsOf(decision)
    // The commit may still land, and this command may end before it is known. Their owners read the log at their next
    // use, which waits for a leader.
    if (reason === "unknown") for (const { kind, id } of companions) void this.parts.touched(kind, id)
    if (reason === "unknown" || companions.length === 0 || operation.contested === undefined || !mayContest)
      return AGAIN
    yield* loaded(actor)
    // This actor's log has moved on, so the decision was made on an old state.
    if (actor.seq !== this.seq) return AGAIN
    const lost = yield* Effect.tryPromise({ try: () => lostTo(this.parts.log, companions), catch: () => UNREADABLE })
    if (lost === undefined) return AGAIN
    const decided = operation.contested(actor.state, command.input, lost, context)
    return yield* this.carryOut(context, this.consequences(decided), false)
  }
}
