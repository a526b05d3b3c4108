/**
 * The slots for attempts that a node may have under way at once.
 *
 * Invariants
 *  - There are never more attempts than slots. A letter without a slot waits in the schedule of timers, where it delays
 *    no other.
 *  - A server that never answers keeps no other letter waiting. A place is a registrable domain (actors/kit/registrable-domain.ts), and
 *    letters to one place hold half of the slots at most, and a quarter until it has answered in time. Letters to places
 *    that were slow hold a quarter together.
 *  - Letters that strangers cause have a share together, however fast their places are.
 *  - Letters to one person hold a quarter at most, wherever they go.
 *  - A place that holds a slot for SLOW_MS counts as slow from then on, until its next answer in time. The last answer
 *    alone decides: an average would let a place save up quick answers for a slow flood.
 *  - Beyond the share of slow places an attempt is told to hurry. So a silent server takes no more than that from others,
 *    and not the whole time of an attempt.
 *  - A slot is reserved before an attempt is committed, for a while: a commit that fails leaves nothing behind.
 *  - As the node ends no slot is given any more, and those that are taken are waited for.
 */
import { Deferred, Effect, Latch } from "effect"

/** A destination counts as slow if it held a slot for this long. */
export const SLOW_MS = 2000
/** The number of places whose pace is remembered. */
const PACES_MAX = 10_000

/** Slow destinations together hold at most one of this many equal parts of the slots. */
const SLOW_PARTS = 4
/** All letters to one person also share. */
const PERSON_PARTS = 4

type Pace = "prompt" | "slow"

/**
 * Letters that anybody may cause. Together they hold at most one of this many equal parts of the slots. `until`: a
 * person has verified the address, or the destination was fast.
 */
export interface Strangers {
  readonly name: string
  readonly parts: number
  readonly until: "proved" | "prompt"
}

/** `strangers`: the name of the group that it shares with. `slow`: it counts among the slow places. */
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

export class Slots {
  private readonly max: number
  private readonly now: () => number
  private readonly hurryMs: number
  /** The time until which a slot is reserved, by letter. */
  private readonly taken = new Map<string, Taken>()
  /** The destination of each letter that has a slot. */
  private readonly going = new Map<string, Going>()
  /** The last pace of each place. */
  private readonly paces = new Map<string, Pace>()
  private closed = false
  private readonly empty = Latch.makeUnsafe(false)

  /** `hurryMs`: of an attempt beyond the share of slow places; no less than SLOW_MS. */
  constructor(max: number, now: () => number, hurryMs = SLOW_MS) {
    this.max = max
    this.now = now
    this.hurryMs = hurryMs
  }

  /** True if the letter has a slot now, for this long. `person`: the recipient. */
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
    const others = [...this.going].filter(([other]) => other !== letter).map(([, one]) => one)
    const held = (by: (one: Going) => boolean): number => others.filter(by).length
    if (held((one) => one.place === place) >= this.shareOf(isTrusted ? 2 : 4)) return false
    if (among !== null && held((one) => one.strangers === among.name) >= this.shareOf(among.parts)) return false
    const slow = pace === "slow"
    if (slow && held((one) => one.slow) >= this.shareOf(SLOW_PARTS)) return false
    if (this.taken.has(letter)) this.going.set(letter, { place, strangers: among?.name ?? null, slow })
    return true
  }

  /** Gives back a reserved slot that is not needed. */
  giveBack(letter: string): void {
    if (!this.isHeld(letter)) this.free(letter)
  }

  /** Runs with the letter's slot; without one, runs `otherwise`. `hurry` resolves when the attempt must end. */
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
        yield* Effect.sleep(SLOW_MS)
        if (this.goesOnSlowly(letter)) return yield* Effect.never
        yield* Effect.sleep(this.hurryMs - SLOW_MS)
        yield* Deferred.succeed(tooSlow, undefined)
        return yield* Effect.never
      })
      return Effect.ensuring(
        Effect.raceFirst(attempt(Deferred.await(tooSlow)), watch),
        Effect.sync(() => {
          this.remember(letter, this.now() - began)
          this.release(letter)
        })
      )
    })
  }

  /** Resolves when nothing is under way any more, and nothing will be. */
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
    if (this.taken.size >= this.max) return false
    const theirs = [...this.taken.values()].filter((one) => one.person === person).length
    return person === null || theirs < this.shareOf(PERSON_PARTS)
  }

  private shareOf(parts: number): number {
    return Math.max(1, Math.floor(this.max / parts))
  }

  private remember(letter: string, heldMs: number): void {
    const going = this.going.get(letter)
    if (going !== undefined) this.setPace(going.place, heldMs >= SLOW_MS ? "slow" : "prompt")
  }

  /** Returns false if the slow places have their share already. */
  private goesOnSlowly(letter: string): boolean {
    const going = this.going.get(letter)
    if (going === undefined || going.slow) return true
    this.setPace(going.place, "slow")
    const all = [...this.going.values()].filter(({ slow }) => slow).length
    if (all >= this.shareOf(SLOW_PARTS)) return false
    this.going.set(letter, { ...going, slow: true })
    return true
  }

  private setPace(place: string, pace: Pace): void {
    this.paces.delete(place)
    this.paces.set(place, pace)
    const [oldest] = this.paces.keys()
    if (this.paces.size > PACES_MAX && oldest !== undefined) this.paces.delete(oldest)
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
