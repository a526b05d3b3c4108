/**
 * Rate limits that are counted at the edge, by client address, key or person (contract 11): see `EdgeBucket`. An
 * agent's limits are counted by its actor, with the ask itself. slice.ts explains slices.
 *
 * A draw for a client is also drawn for its /48, if it has one. The client's own draw comes first, so that a client
 * that has used its limit up takes nothing from the others (contract 21).
 */
import { type Clock, Effect } from "effect"
import type { Ask } from "../../schemas/bus/frames.ts"
import { wallMs } from "../../schemas/runtime/clock.ts"
import type { Answer } from "../../schemas/runtime/bus/asker.ts"
import type { LimitGrant } from "../../schemas/limit/operations.ts"
import { type Refusal, unavailable } from "../../schemas/errors.ts"
import { figuresOf, type RateLimit, wideLimit } from "../../schemas/limit/bucket.ts"
import { homeOf } from "../../schemas/limit/home.ts"
import type { Limits } from "../../schemas/limits.ts"
import type { Network } from "./address.ts"
import { GenerationCache } from "./generation-cache.ts"
import { type Refused, refuse } from "./refused.ts"
import { Slice } from "./slice.ts"

/** The cache of a bucket holds at most twice as many clients or keys. A forgotten one starts a new slice. */
const SLICES_MAX = 20_000
/**
 * The time for a draw. If it takes longer, the bucket counts as unreachable, because a request must not wait for it.
 */
const DRAW_DEADLINE_MS = 2_000
const WAIT_MAX_MS = 3_000

export type EdgeBucket =
  | "ip"
  | "anon"
  | "web"
  | "key"
  | "register"
  | "captcha_key"
  | "register_failed"
  | "register_slow"
  | "id_verify"
  | "id_directory"
  | "recover"
  | "mail_notice"
  | "human_login"
  | "human_register"
  | "human_write"
  | "forgot_per_address"

export type ClientBucket = Exclude<EdgeBucket, "key" | "captcha_key" | "human_write">

export interface AsksLimits {
  readonly ask: (ask: Ask) => Promise<Answer>
}

const UNCHECKED = unavailable("The rate limit of this request cannot be checked at the moment.")

interface Entry {
  readonly slice: Slice
  readonly limit: RateLimit
  readonly wide: boolean
  readonly actor: string
  draw: Promise<void> | null
}

export type DrawResult = Refusal | null
/** A promise only if the result must wait for a grant of the `limit` actor. */
export type Drawn = DrawResult | Promise<DrawResult>

export class EdgeLimits {
  private readonly clock: Clock.Clock
  private readonly bus: AsksLimits
  private readonly limits: Limits
  private readonly buckets = new Map<string, GenerationCache<string, Entry>>()
  private readonly newId: () => string

  constructor(clock: Clock.Clock, bus: AsksLimits, limits: Limits, newId: () => string) {
    this.clock = clock
    this.bus = bus
    this.limits = limits
    this.newId = newId
  }

  /** `null` if the request may pass. */
  take(bucket: EdgeBucket, value: string): Drawn {
    return this.takeFrom(bucket, this.entry(bucket, value, false))
  }

  /** Draws for a client and its /48. */
  takeOf(bucket: ClientBucket, { client, wide }: Network): Drawn {
    const own = this.take(bucket, client)
    if (wide === null) return own
    const ofWide = (taken: DrawResult): Drawn => taken ?? this.takeFrom(bucket, this.entry(bucket, wide, true))
    return own instanceof Promise ? own.then(ofWide) : ofWide(own)
  }

  /**
   * Draws once for all requests with this name. A repetition gets the first result, from any edge. Each draw asks the
   * `limit` actor directly, without slices.
   */
  async takeOnce(bucket: ClientBucket, { client, wide }: Network, name: string): Promise<DrawResult> {
    const own = await this.takeAs(bucket, this.entry(bucket, client, false), name)
    return own !== null || wide === null ? own : this.takeAs(bucket, this.entry(bucket, wide, true), name)
  }

  /**
   * `null` if the client may have a challenge. A client that has failed too often, or whose /48 has, gets challenges at
   * a slow rate only. The failures are counted when answers are graded.
   */
  async takeChallenge({ client, wide }: Network): Promise<DrawResult> {
    const counted =
      wide === null
        ? [{ value: client, isWide: false }]
        : [
            { value: client, isWide: false },
            { value: wide, isWide: true }
          ]
    for (const { value, isWide } of counted) {
      const failed = await this.grantOf("register_failed", this.entry("register_failed", value, isWide), 0)
      if (failed === null) return UNCHECKED
      if (failed.remaining > 0) continue
      const taken = await this.takeFrom("register_slow", this.entry("register_slow", value, isWide))
      if (taken !== null) return taken
    }
    return null
  }

  private async takeAs(bucket: EdgeBucket, entry: Entry, name: string): Promise<DrawResult> {
    const grant = await this.grantOf(bucket, entry, 1, name)
    if (grant === null) return UNCHECKED
    return grant.granted > 0 ? null : refusalOf(bucket, entry, grant.resets_at - wallMs(this.clock))
  }

  private takeFrom(bucket: EdgeBucket, entry: Entry): Drawn {
    const now = wallMs(this.clock)
    const decision = entry.slice.take(now)
    this.drawAhead(bucket, entry)
    if (decision.kind === "pass") return null
    if (decision.kind === "refused") return refusalOf(bucket, entry, decision.retryAfterMs)
    return this.waitAndTake(bucket, entry)
  }

  /** Takes back one draw. */
  giveBack(bucket: EdgeBucket, value: string): void {
    this.buckets.get(bucket)?.get(value)?.slice.giveBack(wallMs(this.clock))
  }

  /** The refusal that `take` would give at once, without drawing anything; `null` if it might pass. */
  spent(bucket: EdgeBucket, value: string): DrawResult {
    const entry = this.buckets.get(bucket)?.get(value)
    const left = entry?.slice.spentFor(wallMs(this.clock)) ?? 0
    return entry !== undefined && left > 0 ? refusalOf(bucket, entry, left) : null
  }

  private async waitAndTake(bucket: EdgeBucket, entry: Entry): Promise<DrawResult> {
    const until = wallMs(this.clock) + WAIT_MAX_MS
    while (wallMs(this.clock) < until) {
      this.drawAhead(bucket, entry)
      const { draw } = entry
      if (draw !== null) await draw
      const decision = entry.slice.take(wallMs(this.clock))
      if (decision.kind === "pass") return null
      if (decision.kind === "refused") return refusalOf(bucket, entry, decision.retryAfterMs)
      if (draw === null) break
    }
    return UNCHECKED
  }

  private drawAhead(bucket: EdgeBucket, entry: Entry): void {
    const wanted = entry.slice.wanted()
    if (wanted === 0) return
    entry.draw = this.draw(bucket, entry, wanted).finally(() => {
      entry.draw = null
    })
  }

  private async draw(bucket: EdgeBucket, entry: Entry, wanted: number): Promise<void> {
    const grant = await this.grantOf(bucket, entry, wanted)
    if (grant === null) entry.slice.unreachable(wallMs(this.clock))
    else entry.slice.granted({ granted: grant.granted, resetsAt: grant.resets_at }, wanted, wallMs(this.clock))
  }

  /**
   * `null` if the `limit` actor gives no usable answer. `command` is the name of a draw that is made once, even if it
   * is requested again.
   */
  private async grantOf(
    bucket: EdgeBucket,
    { actor, wide }: Entry,
    wanted: number,
    command?: string
  ): Promise<LimitGrant | null> {
    const { head, body } = await this.bus.ask({
      id: this.newId(),
      kind: "limit",
      actor,
      op: "limit.draw",
      input: wide ? { bucket, wanted, wide: true } : { bucket, wanted },
      command,
      deadline: wallMs(this.clock) + DRAW_DEADLINE_MS
    })
    return head.refused === undefined ? grantIn(body) : null
  }

  private entry(bucket: EdgeBucket, value: string, wide: boolean): Entry {
    // A separate bucket, so that a large number of clients does not push the /48s out of memory.
    const name = wide ? `${bucket}/48` : bucket
    let entries = this.buckets.get(name)
    if (entries === undefined) {
      entries = new GenerationCache(SLICES_MAX)
      this.buckets.set(name, entries)
    }
    const known = entries.get(value)
    if (known !== undefined) return known
    const limit = wide ? wideLimit(this.limits, bucket) : figuresOf(this.limits, bucket)
    const entry: Entry = {
      slice: new Slice(limit.requests, limit.window_seconds * 1000),
      limit,
      wide,
      actor: homeOf(bucket, value, wide),
      draw: null
    }
    entries.set(value, entry)
    return entry
  }
}

/** The id of the `limit` actor that counts a client's /48; `null` if the client has none. */
export const wideHomeOf = (bucket: ClientBucket, { wide }: Network): string | null =>
  wide === null ? null : homeOf(bucket, wide, true)

export const drawn = (limits: EdgeLimits, bucket: EdgeBucket, value: string): Effect.Effect<void, Refused> =>
  Effect.suspend(() => passed(limits.take(bucket, value)))

/** Draws for a client and its /48. */
export const drawnOf = (limits: EdgeLimits, bucket: ClientBucket, network: Network): Effect.Effect<void, Refused> =>
  Effect.suspend(() => passed(limits.takeOf(bucket, network)))

/** Like `drawnOf`, but once for all requests with this name. */
export const drawnOnce = (
  limits: EdgeLimits,
  bucket: ClientBucket,
  network: Network,
  name: string
): Effect.Effect<void, Refused> => Effect.suspend(() => passed(limits.takeOnce(bucket, network, name)))

export const passed = (draw: Drawn): Effect.Effect<void, Refused> => {
  if (draw instanceof Promise)
    return Effect.flatMap(
      Effect.promise(() => draw),
      passed
    )
  return draw === null ? Effect.void : Effect.fail(refuse(draw))
}

const refusalOf = (
  bucket: EdgeBucket,
  { limit: { requests, window_seconds }, wide }: Entry,
  retryAfterMs: number
): Refusal => {
  const retryAfter = Math.max(1, Math.ceil(retryAfterMs / 1000))
  return {
    code: "rate_limited",
    message: `Too many requests: ${requests} in ${window_seconds} seconds are allowed here${wide ? ", for your whole network" : ""}.`,
    details: { bucket, limit: requests, window_seconds, retry_after: retryAfter },
    retryAfter
  }
}

const grantIn = (body: Uint8Array): LimitGrant | null => {
  try {
    const grant = JSON.parse(new TextDecoder().decode(body)) as LimitGrant
    return Number.isFinite(grant.granted) && Number.isFinite(grant.resets_at) ? grant : null
  } catch {
    return null
  }
}
