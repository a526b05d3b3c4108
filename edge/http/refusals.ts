/**
 * The refusals that an edge remembers, for `hub explain` (decision 0075).
 *
 * Invariants
 *  - It is bounded in memory (a ring for each status), in age, and in refusals remembered each second. A flood of one
 *    status pushes out no refusals of others.
 *  - It holds the fields of `RefusedRequest`. A detail is kept only if it is a plain word of the service's own.
 */
import type { Clock } from "effect"
import type { RefusedAnswer, RefusedRequest } from "../../schemas/bus/refused.ts"
import type { Refusal } from "../../schemas/errors.ts"
import { wallMs } from "../../schemas/runtime/clock.ts"
import type { Call } from "./call.ts"
import { beginningOf } from "./log.ts"
import { wordIn } from "./words.ts"

/** The most remembered refusals of one status. */
export const REMEMBERED_MAX = 512
/** Statuses beyond this number share the last ring. */
const STATUSES_MAX = 24
const OTHER_STATUS = 0
export const KEPT_MS = 24 * 3_600_000
/** The number of refusals of one status that are remembered at once, and in each second after that. */
export const BURST = 60
export const PER_SECOND = 1

class Ring {
  private entries: Array<RefusedRequest> = []
  private next = 0
  private tokens = BURST
  private refilledAt: number
  passedOver = 0

  constructor(now: number) {
    this.refilledAt = now
  }

  /** True if the rate allows to remember one more. Counts it. */
  admits(now: number): boolean {
    if (this.tokens < 1) {
      this.tokens = Math.min(BURST, this.tokens + (PER_SECOND * Math.max(0, now - this.refilledAt)) / 1000)
      this.refilledAt = now
      if (this.tokens < 1) {
        this.passedOver++
        return false
      }
    }
    this.tokens--
    return true
  }

  add(entry: RefusedRequest): void {
    this.entries[this.next] = entry
    this.next = (this.next + 1) % REMEMBERED_MAX
  }

  find(id: string, since: number): RefusedRequest | null {
    return this.entries.find((entry) => entry.id === id && entry.at >= since) ?? null
  }

  forget(before: number): void {
    const kept = this.entries.filter(({ at }) => at >= before)
    if (kept.length === this.entries.length) return
    this.entries = kept.toSorted((one, other) => one.at - other.at)
    this.next = kept.length % REMEMBERED_MAX
  }

  get size(): number {
    return this.entries.length
  }
}

export class Refusals {
  private readonly clock: Clock.Clock
  private readonly since: number
  private readonly rings = new Map<number, Ring>()

  constructor(clock: Clock.Clock) {
    this.clock = clock
    this.since = wallMs(clock)
  }

  /** Remembers the refusal of a call. Does nothing if its answer is no refusal. */
  note(call: Call, status: number): void {
    const { refusal } = call
    if (refusal === null) return
    const now = wallMs(this.clock)
    const ring = this.ringOf(status, now)
    if (ring.admits(now)) ring.add(recordOf(call, refusal, status, now))
  }

  /** Frees the memory of entries that are too old to be reported. */
  forget(): void {
    const oldest = wallMs(this.clock) - KEPT_MS
    for (const ring of this.rings.values()) ring.forget(oldest)
  }

  get size(): number {
    return [...this.rings.values()].reduce((sum, ring) => sum + ring.size, 0)
  }

  find(id: string): Pick<RefusedAnswer, "since" | "found" | "passed_over"> {
    const oldest = wallMs(this.clock) - KEPT_MS
    let found: RefusedRequest | null = null
    const passed_over: Record<string, number> = {}
    for (const [status, ring] of this.rings) {
      found ??= ring.find(id, oldest)
      if (ring.passedOver > 0) passed_over[status] = ring.passedOver
    }
    return { since: Math.max(this.since, oldest), found, passed_over }
  }

  private ringOf(status: number, now: number): Ring {
    const known = this.rings.get(status) ?? (this.rings.size < STATUSES_MAX ? undefined : this.rings.get(OTHER_STATUS))
    if (known !== undefined) return known
    const made = new Ring(now)
    this.rings.set(this.rings.size < STATUSES_MAX - 1 ? status : OTHER_STATUS, made)
    return made
  }
}

const recordOf = (call: Call, refusal: Refusal, status: number, now: number): RefusedRequest => {
  const { id, method, endpoint, path, ticket, holder, person, client, startedAt } = call
  const { code, details, from } = refusal
  return {
    id,
    at: now,
    ms: now - startedAt,
    method,
    route: endpoint?.path ?? beginningOf(path),
    status,
    code,
    by: from?.by ?? "edge",
    asked: from?.asked ?? null,
    field: wordIn(details?.["field"]),
    bucket: wordIn(details?.["bucket"]),
    reason: wordIn(details?.["reason"]),
    key: ticket?.hubId ?? null,
    agent: ticket?.home ?? holder?.agent ?? null,
    human: person?.human ?? null,
    client
  }
}
