/**
 * Slots limit the concurrent attempts of a node to send letters.
 *
 * Invariants
 *  - There are never more attempts than slots. A letter without a slot waits for a timer, and delays no other.
 *  - A server that never answers does not block other letters. Servers are grouped by place, which is a registrable
 *    domain (actors/kit/registrable-domain.ts). Letters to one place hold at most half of the slots. They hold at most
 *    a quarter if the place is slow, or if it has not answered yet and the letter is caused by a stranger. Letters to
 *    all slow places together hold at most a quarter.
 *  - Each group of letters that strangers cause has a limited part of the slots. The group decides whether a letter to
 *    a fast place still belongs to it (`Strangers`).
 *  - Letters to one person hold at most a quarter, whatever their places.
 *  - A few people with many letters cannot delay others for long. Waiting letters have no order, so the last slots are
 *    reserved for people with few letters. After each attempt a person must rest, longer after a slow attempt, and
 *    rests add up. Everybody may use the first half of the slots. Each further slot needs a rest at most half as long
 *    as the one before.
 *  - The last free slot is reserved for the refused person whose rest ends first. So every other person comes before
 *    this one at most once. A person who does not try again is forgotten. The share of a place grows and shrinks with its
 *    pace. The reserved slot is the last one of the share as it was when the person was refused.
 *  - The last two rules also hold within each of the shares above.
 *  - A place that holds a slot for `slow_ms` is slow until its next answer in time. Only the last answer counts. With
 *    an average, a place could collect fast answers before a flood of slow ones.
 *  - If the share of slow places is full, an attempt that becomes slow must end early.
 *  - A slot is reserved for a limited time before an attempt is committed, so a failed commit leaves nothing behind.
 *  - At the node's end no more slots are given, and those in use are waited for.
 */
import { Deferred, Effect, Latch } from "effect"
import type { Limits } from "../../schemas/limits.ts"

/** The most places whose pace is remembered, and the most people whose rest is remembered. */
const REMEMBERED_MAX = 10_000

/** Letters to slow places together hold at most one of this many equal parts of the slots. */
const SLOW_PARTS = 4
/** Letters to one person hold at most one of this many equal parts of the slots. */
const PERSON_PARTS = 4

/**
 * The time for which a waiting person is remembered. A waiting letter tries again after at most ten seconds, so a
 * person tries twice in this time.
 */
const WAITS_MS = 22_000

type Figures = Pick<
  Limits["service"]["letters"],
  "slow_ms" | "rest_ms" | "rest_times" | "rest_max_ms" | "last_slot_rest_ms"
>

type Pace = "prompt" | "slow"

/**
 * A group of letters that anybody can cause. Together they hold at most one of `parts` equal parts of the slots.
 * `until`: with `prompt`, a letter to a place that was fast does not belong to the group. With `proved`, it always
 * does.
 */
export interface Strangers {
  readonly name: string
  readonly parts: number
  readonly until: "proved" | "prompt"
}

/**
 * A letter that holds a slot. `strangers`: its group, if it is a letter caused by strangers. `slow`: it counts among
 * the letters to slow places.
 */
interface Going {
  readonly place: string
  readonly strangers: string | null
  readonly slow: boolean
}

/** `until`: the end of the reservation in monotonic ms; `Infinity` while an attempt uses the slot. */
interface TakenSlot {
  readonly until: number
  readonly person: string | null
}

/** A share of the slots. `held`: the number of its slots in use. */
interface Share {
  readonly name: string
  readonly slots: number
  readonly held: number
}

/**
 * `until`: when the person is forgotten. `rested`: when the person's rest is over. Both in monotonic ms. `slots`: those
 * of the share when the person was refused.
 */
interface Waiting {
  readonly person: string
  readonly slots: number
  readonly rested: number
  readonly until: number
}

/** The names of the two shares that are not for one place or group. */
const ALL = "all"
const SLOW = "slow"

export class Slots {
  private readonly max: number
  private readonly now: () => number
  private readonly figures: Figures
  private readonly hurryMs: number
  /** The slots in use or reserved, by letter. */
  private readonly taken = new Map<string, TakenSlot>()
  /** The place and group of each letter that has a slot for a known place. */
  private readonly going = new Map<string, Going>()
  private readonly paces = new Map<string, Pace>()
  private readonly rested = new Map<string, number>()
  /** The person who waits for the last slot of each share. */
  private readonly next = new Map<string, Waiting>()
  private closed = false
  private readonly empty = Latch.makeUnsafe(false)

  /**
   * `hurryMs`: how long an attempt may last if it becomes slow while the share of slow places is full; at least
   * `slow_ms`.
   */
  constructor(max: number, now: () => number, figures: Figures, hurryMs = figures.slow_ms) {
    this.max = max
    this.now = now
    this.figures = figures
    this.hurryMs = hurryMs
  }

  /** Reserves a slot for this long; false if there is none. `person`: the recipient. */
  reserve(letter: string, forMs: number, person: string | null = null): boolean {
    const now = this.now()
    for (const [other, { until }] of this.taken) if (until <= now) this.free(other)
    const mine = this.taken.get(letter)
    if (this.closed || (mine === undefined && !this.hasRoomFor(person))) return false
    // A slot in use is not changed to a reservation.
    if (!this.isHeld(letter)) this.taken.set(letter, { until: now + forMs, person: mine?.person ?? person })
    return true
  }

  has(letter: string): boolean {
    return this.taken.has(letter)
  }

  /** True if a letter with a slot may use it for this place. `strangers`: the letter's group; `null` if it has none. */
  mayGoTo(letter: string, place: string, strangers: Strangers | null): boolean {
    const pace = this.paces.get(place) ?? null
    const among = strangers === null || pace === strangers.until ? null : strangers
    const isTrusted = pace === "prompt" || (pace === null && strangers === null)
    const slow = pace === "slow"
    const others = [...this.going].filter(([other]) => other !== letter).map(([, one]) => one)
    const share = (name: string, parts: number, by: (one: Going) => boolean): Share => ({
      name,
      slots: this.shareOf(parts),
      held: others.filter(by).length
    })
    const shares = [share(`place ${place}`, isTrusted ? 2 : 4, (one) => one.place === place)]
    if (among !== null) shares.push(share(among.name, among.parts, (one) => one.strangers === among.name))
    if (slow) shares.push(share(SLOW, SLOW_PARTS, (one) => one.slow))
    if (!this.enters(shares, this.taken.get(letter)?.person ?? null)) return false
    if (this.taken.has(letter)) this.going.set(letter, { place, strangers: among?.name ?? null, slow })
    return true
  }

  giveBack(letter: string): void {
    if (!this.isHeld(letter)) this.free(letter)
  }

  /**
   * Runs the attempt with the letter's slot, or `otherwise` if there is no slot. `hurry` resolves when the attempt must
   * end.
   */
  using<A, R>(
    letter: string,
    attempt: (hurry: Effect.Effect<void>) => Effect.Effect<A, never, R>,
    otherwise: Effect.Effect<A, never, R>
  ) {
    return Effect.suspend(() => {
      if (!this.hold(letter)) return otherwise
      const began = this.now()
      const tooSlow = Deferred.makeUnsafe<void>()
      const watch = Effect.gen({ self: this }, function* () {
        yield* Effect.sleep(this.figures.slow_ms)
        if (this.goesOnSlowly(letter)) return yield* Effect.never
        yield* Effect.sleep(this.hurryMs - this.figures.slow_ms)
        yield* Deferred.succeed(tooSlow, undefined)
        return yield* Effect.never
      })
      return Effect.ensuring(
        Effect.raceFirst(attempt(Deferred.await(tooSlow)), watch),
        Effect.sync(() => {
          this.keepPace(letter, this.now() - began)
          this.needsRest(letter, this.now() - began)
          this.release(letter)
        })
      )
    })
  }

  /** Gives no more slots, and resolves when no attempt is in progress. */
  get ended(): Effect.Effect<void> {
    return Effect.suspend(() => {
      this.closed = true
      for (const letter of this.taken.keys()) this.giveBack(letter)
      if (this.taken.size === 0) this.empty.openUnsafe()
      return this.empty.await
    })
  }

  private hold(letter: string): boolean {
    if (this.isHeld(letter) || !this.reserve(letter, 0)) return false
    this.taken.set(letter, { until: Number.POSITIVE_INFINITY, person: this.taken.get(letter)?.person ?? null })
    return true
  }

  private isHeld(letter: string): boolean {
    return this.taken.get(letter)?.until === Number.POSITIVE_INFINITY
  }

  private hasRoomFor(person: string | null): boolean {
    const theirs = [...this.taken.values()].filter((one) => one.person === person).length
    if (person !== null && theirs >= this.shareOf(PERSON_PARTS)) return false
    return this.enters([{ name: ALL, slots: this.max, held: this.taken.size }], person)
  }

  /**
   * True if the person may have another slot of each share. Otherwise the person is noted as waiting for the full
   * shares.
   */
  private enters(shares: ReadonlyArray<Share>, person: string | null): boolean {
    const full = shares.filter((share) => !this.hasRoomIn(share, person))
    if (full.length > 0) {
      if (person !== null) for (const share of full) this.waits(share, person)
      return false
    }
    for (const { name } of shares) if (this.next.get(name)?.person === person) this.next.delete(name)
    return true
  }

  private hasRoomIn({ name, slots, held }: Share, person: string | null): boolean {
    const free = slots - held
    const first = this.nextIn(name)
    const isReserved = first !== null && held >= Math.min(slots, first.slots) - 1
    if (free <= 0 || (isReserved && this.restedAt(person) > first.rested)) return false
    return held < slots / 2 || this.restOf(person) <= this.figures.last_slot_rest_ms * 2 ** (free - 1)
  }

  private waits({ name, slots }: Share, person: string): void {
    const [first, rested] = [this.nextIn(name), this.restedAt(person)]
    if (first === null || first.person === person || rested < first.rested)
      remember(this.next, name, { person, slots, rested, until: this.now() + WAITS_MS })
  }

  /** The person for whom the share's last free slot is reserved; `null` if nobody waits. */
  private nextIn(share: string): Waiting | null {
    const first = this.next.get(share)
    return first === undefined || first.until <= this.now() ? null : first
  }

  /** The time at which the person's rest is over; 0 if no rest is remembered. */
  private restedAt(person: string | null): number {
    return person === null ? 0 : (this.rested.get(person) ?? 0)
  }

  /** The rest that remains, in milliseconds. */
  private restOf(person: string | null): number {
    return Math.max(0, this.restedAt(person) - this.now())
  }

  private needsRest(letter: string, heldMs: number): void {
    const person = this.taken.get(letter)?.person ?? null
    if (person === null) return
    const { rest_ms, rest_times, rest_max_ms } = this.figures
    const rest = this.restOf(person) + rest_ms + rest_times * heldMs
    remember(this.rested, person, this.now() + Math.min(rest, rest_max_ms))
  }

  private shareOf(parts: number): number {
    return Math.max(1, Math.floor(this.max / parts))
  }

  private keepPace(letter: string, heldMs: number): void {
    const going = this.going.get(letter)
    if (going !== undefined) remember(this.paces, going.place, heldMs >= this.figures.slow_ms ? "slow" : "prompt")
  }

  /** Counts a letter among those to slow places. Returns false if their share is full. */
  private goesOnSlowly(letter: string): boolean {
    const going = this.going.get(letter)
    if (going === undefined || going.slow) return true
    remember(this.paces, going.place, "slow")
    const all = [...this.going.values()].filter(({ slow }) => slow).length
    const share = { name: SLOW, slots: this.shareOf(SLOW_PARTS), held: all }
    if (!this.hasRoomIn(share, this.taken.get(letter)?.person ?? null)) return false
    this.going.set(letter, { ...going, slow: true })
    return true
  }

  private free(letter: string): void {
    this.taken.delete(letter)
    this.going.delete(letter)
  }

  private release(letter: string): void {
    this.free(letter)
    if (this.closed && this.taken.size === 0) this.empty.openUnsafe()
  }
}

/** Sets a value. If there are too many, the one that was set longest ago is forgotten. */
const remember = <A>(map: Map<string, A>, name: string, value: A): void => {
  map.delete(name)
  map.set(name, value)
  const [oldest] = map.keys()
  if (map.size > REMEMBERED_MAX && oldest !== undefined) map.delete(oldest)
}
