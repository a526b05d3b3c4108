/**
 * Slots limit the concurrent attempts of a node.
 *
 * Invariants
 *  - There are never more attempts than slots. A letter without a slot waits in the schedule of timers, where it delays
 *    no other.
 *  - A server that never answers keeps no other letter waiting. A place is a registrable domain (actors/kit/registrable-domain.ts), and
 *    letters to one place hold half of the slots at most, and a quarter until it has answered in time. Letters to places
 *    that were slow hold a quarter together.
 *  - Letters that strangers cause have a share together, however fast their places are.
 *  - Letters to one person hold a quarter at most, wherever they go.
 *  - A few people with many letters keep nobody waiting for long. Waiting letters have no order, so the last slots are
 *    kept free for people with few letters. After an attempt a person needs a rest, which is longer after a slow one,
 *    and rests add up. Anybody may have the first half of the slots. Each further slot is for people whose rest is at
 *    most half as long.
 *  - The last slot is kept for one person who was refused: the one who has had no slot for the longest. So each other
 *    person comes once at most before. A person who does not try again is forgotten.
 *  - The two hold within each share above, too.
 *  - A place that holds a slot for `slow_ms` counts as slow from then on, until its next answer in time. The last answer
 *    alone decides: an average would let a place save up quick answers for a slow flood.
 *  - Beyond the share of slow places an attempt is told to hurry. So a silent server takes no more than that from others,
 *    and not the whole time of an attempt.
 *  - A slot is reserved before an attempt is committed, for a while: a commit that fails leaves nothing behind.
 *  - When the node ends, it gives no more slots, and waits for those that are taken.
 */
import { Deferred, Effect, Latch } from "effect"
import type { Limits } from "../../schemas/limits.ts"

/** The number of places whose pace is remembered, and of people whose rest is. */
const REMEMBERED_MAX = 10_000

/** Slow destinations together hold at most one of this many equal parts of the slots. */
const SLOW_PARTS = 4
/** All letters to one person also share. */
const PERSON_PARTS = 4

/** A person who waits tries twice within this time: a timer is put off for ten seconds at most. */
const WAITS_MS = 22_000

type Figures = Pick<
  Limits["service"]["letters"],
  "slow_ms" | "rest_ms" | "rest_times" | "rest_max_ms" | "last_slot_rest_ms"
>

type Pace = "prompt" | "slow"

/**
 * A group of letters that anybody may cause. Together they have at most one of `parts` equal parts of the slots.
 * `until`: they leave the group if the person has verified the address, or if the destination was fast.
 */
export interface Strangers {
  readonly name: string
  readonly parts: number
  readonly until: "proved" | "prompt"
}

/** `strangers`: the name of the group of strangers' letters. `slow`: it counts among the slow places. */
interface Going {
  readonly place: string
  readonly strangers: string | null
  readonly slow: boolean
}

/** `until`: monotonic ms; `Infinity` while the attempt is made. */
interface Taken {
  readonly until: number
  readonly person: string | null
}

/** A share of the slots; `held`: how many of them are taken. */
interface Share {
  readonly name: string
  readonly slots: number
  readonly held: number
}

/** `until`: monotonic ms. `rested`: the time at which the person's rest is over. */
interface Waiting {
  readonly person: string
  readonly rested: number
  readonly until: number
}

/** The names of shares. */
const ALL = "all"
const SLOW = "slow"

export class Slots {
  private readonly max: number
  private readonly now: () => number
  private readonly figures: Figures
  private readonly hurryMs: number
  /** The time until which a slot is reserved, by letter. */
  private readonly taken = new Map<string, Taken>()
  /** The destination of each letter that has a slot. */
  private readonly going = new Map<string, Going>()
  /** The last pace of each place. */
  private readonly paces = new Map<string, Pace>()
  /** The time at which each person has rested. */
  private readonly rested = new Map<string, number>()
  /** The person who waits for the last slot of each share. */
  private readonly next = new Map<string, Waiting>()
  private closed = false
  private readonly empty = Latch.makeUnsafe(false)

  /** `hurryMs`: of an attempt beyond the share of slow places; no less than `slow_ms`. */
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
    // An attempt under way keeps its slot.
    if (!this.isHeld(letter)) this.taken.set(letter, { until: now + forMs, person: mine?.person ?? person })
    return true
  }

  /** True for a letter with a slot. */
  has(letter: string): boolean {
    return this.taken.has(letter)
  }

  /** Returns true if a letter that has a slot may hold it for this place. `strangers`: `null` if a person has proved it. */
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

  /** Gives back a reserved slot that is not needed. */
  giveBack(letter: string): void {
    if (!this.isHeld(letter)) this.free(letter)
  }

  /** Runs with the letter's slot, or runs `otherwise` if it has none. `hurry` resolves when the attempt must end. */
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

  /** Resolves when no attempt is under way, and none will begin. */
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
   * True if the person may have another slot of each share. Otherwise the person waits for shares without free slots.
   */
  private enters(shares: ReadonlyArray<Share>, person: string | null): boolean {
    const full = shares.filter((share) => !this.hasRoomIn(share, person))
    if (full.length > 0) {
      if (person !== null) for (const { name } of full) this.waits(name, person)
      return false
    }
    for (const { name } of shares) if (this.next.get(name)?.person === person) this.next.delete(name)
    return true
  }

  private hasRoomIn({ name, slots, held }: Share, person: string | null): boolean {
    const free = slots - held
    if (free <= 0 || (free === 1 && this.restedAt(person) > (this.nextIn(name)?.rested ?? Infinity))) return false
    return held < slots / 2 || this.restOf(person) <= this.figures.last_slot_rest_ms * 2 ** (free - 1)
  }

  private waits(share: string, person: string): void {
    const [first, rested] = [this.nextIn(share), this.restedAt(person)]
    if (first === null || first.person === person || rested < first.rested)
      remember(this.next, share, { person, rested, until: this.now() + WAITS_MS })
  }

  /** The person who has waited longest; `null` if nobody waits. */
  private nextIn(share: string): Waiting | null {
    const first = this.next.get(share)
    return first === undefined || first.until <= this.now() ? null : first
  }

  /** Zero for a person who has had no slot yet. */
  private restedAt(person: string | null): number {
    return person === null ? 0 : (this.rested.get(person) ?? 0)
  }

  /** Milliseconds. */
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

  /** Returns false if the slow places have their share already. */
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

/** Adds a value. If there are too many, the one that was set longest ago is forgotten. */
const remember = <A>(map: Map<string, A>, name: string, value: A): void => {
  map.delete(name)
  map.set(name, value)
  const [oldest] = map.keys()
  if (map.size > REMEMBERED_MAX && oldest !== undefined) map.delete(oldest)
}
