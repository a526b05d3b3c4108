/**
 * Chooses the next of the attempts that wait in one worker, fairly by receiver and by agent. It uses no clocks and no
 * connections.
 *
 * Invariants
 *  - Receivers take turns, and so do the agents of one receiver, so a long queue of one does not delay another.
 *  - A receiver has a limited number of attempts under way and waiting, and each of its agents a smaller number under
 *    way at it. One agent's attempts at all receivers are a small part of all attempts in the worker.
 *  - Only a receiver's response time counts. One that answers within `slow_ms`, whatever the answer, is fast. One that
 *    does not is slow, until it answers in time again. It counts as slow as soon as that time is over, not only at the
 *    end of the attempt. A new receiver is unknown.
 *  - Slow and unknown receivers are on probation. While they together hold `probation_held_max` attempts of the worker,
 *    none of them gets another one. The rest is reserved for fast receivers.
 *  - One half of `probation_held_max` is for receivers without any attempt in the worker. So receivers that never
 *    answer do not block new ones.
 *  - When a receiver becomes slow, all but a few of its waiting attempts are returned, and the worker postpones them.
 */
import type { Limits } from "../../schemas/limits.ts"

type Bounds = Limits["webhook"]
type Pace = "unknown" | "fast" | "slow"

interface Lane<T> {
  readonly agent: string
  active: number
  readonly waiting: Array<T>
}

interface Receiver<T> {
  readonly name: string
  pace: Pace
  /** The receiver's usual response time in ms: an average in which the newest count most. */
  usualMs: number
  active: number
  waiting: number
  /** The receiver's agents in the order of their turns. */
  readonly lanes: Map<string, Lane<T>>
}

export interface Turn<T> {
  readonly item: T
  /**
   * Called when the receiver has not answered within `slow_ms`. Returns the attempts that it has no room for any more.
   */
  readonly late: () => ReadonlyArray<T>
  /**
   * `tookMs`: the time that the receiver took in ms; `null` if it was not asked. Returns the attempts that it has no
   * room for any more.
   */
  readonly done: (tookMs: number | null) => ReadonlyArray<T>
}

/**
 * `busy`: the receiver's queue is full, or the agent has too many attempts in this worker. `full`: an unknown receiver
 * finds the probation full. `slow`: a slow receiver has no room, so the attempt should wait for long.
 */
export type Accepted = "accepted" | "busy" | "full" | "slow"

/** The number of receivers whose response time is remembered. */
const KNOWN_MAX = 10_000
/** Weight of the newest in the average. */
const NEWEST = 0.2

export class FairQueue<T> {
  private readonly bounds: Bounds
  private readonly receivers = new Map<string, Receiver<T>>()
  /** Receivers with something waiting, in the order of their turns. */
  private readonly turns = new Map<string, Receiver<T>>()
  private readonly ofAgents = new Map<string, number>()
  private active = 0
  private waiting = 0
  private activeOnProbation = 0
  private heldOnProbation = 0

  constructor(bounds: Bounds) {
    this.bounds = bounds
  }

  get inFlight(): number {
    return this.active
  }

  get queued(): number {
    return this.waiting
  }

  get held(): number {
    return this.active + this.waiting
  }

  add(name: string, agent: string, item: T): Accepted {
    const receiver = this.receiver(name)
    if (receiver.pace === "slow" && (receiver.waiting >= this.bounds.slow_queue_max || this.probationFull(receiver)))
      return "slow"
    if (receiver.waiting >= this.queueMax(receiver)) return "busy"
    const ofAgent = this.ofAgents.get(agent) ?? 0
    if (ofAgent >= this.bounds.agent_held_max) return "busy"
    if (receiver.pace === "unknown" && this.probationFull(receiver)) return "full"
    this.ofAgents.set(agent, ofAgent + 1)
    const lane = receiver.lanes.get(agent) ?? { agent, active: 0, waiting: [] }
    receiver.lanes.set(agent, lane)
    lane.waiting.push(item)
    receiver.waiting++
    this.waiting++
    if (receiver.pace !== "fast") this.heldOnProbation++
    this.turns.set(name, receiver)
    return "accepted"
  }

  take(): Turn<T> | null {
    if (this.active >= this.bounds.in_flight_max) return null
    for (const receiver of this.turns.values()) {
      if (!this.hasRoom(receiver)) continue
      for (const lane of receiver.lanes.values()) {
        if (lane.waiting.length === 0 || lane.active >= this.bounds.agent_in_flight_max) continue
        return this.begin(receiver, lane)
      }
    }
    return null
  }

  clear(): ReadonlyArray<T> {
    const all = [...this.turns.values()].flatMap((receiver) => this.handBack(receiver, 0))
    this.turns.clear()
    return all
  }

  private probationFull({ active, waiting }: Receiver<T>): boolean {
    const { probation_held_max } = this.bounds
    return this.heldOnProbation >= (active + waiting === 0 ? probation_held_max : probation_held_max / 2)
  }

  private letGo(agent: string): void {
    const left = (this.ofAgents.get(agent) ?? 1) - 1
    if (left > 0) this.ofAgents.set(agent, left)
    else this.ofAgents.delete(agent)
  }

  private queueMax({ pace, usualMs }: Receiver<T>): number {
    const { held_max, unknown_queue_max, receiver_queue_ms, receiver_in_flight_max } = this.bounds
    if (pace !== "fast") return unknown_queue_max
    return Math.min(held_max, Math.max(receiver_in_flight_max, (receiver_queue_ms * receiver_in_flight_max) / usualMs))
  }

  private hasRoom({ pace, active }: Receiver<T>): boolean {
    const { receiver_in_flight_max, slow_in_flight_max, probation_in_flight_max } = this.bounds
    return pace === "fast"
      ? active < receiver_in_flight_max
      : active < slow_in_flight_max && this.activeOnProbation < probation_in_flight_max
  }

  private begin(receiver: Receiver<T>, lane: Lane<T>): Turn<T> {
    const item = lane.waiting.shift() as T
    receiver.waiting--
    this.waiting--
    receiver.active++
    lane.active++
    this.active++
    if (receiver.pace !== "fast") this.activeOnProbation++
    // Moves the agent behind all others, which have the next turns.
    receiver.lanes.delete(lane.agent)
    receiver.lanes.set(lane.agent, lane)
    this.turns.delete(receiver.name)
    if (receiver.waiting > 0) this.turns.set(receiver.name, receiver)
    let judged = false
    return {
      item,
      late: () => {
        judged = true
        return this.judge(receiver, "slow")
      },
      done: (tookMs) => this.end(receiver, lane, tookMs, judged)
    }
  }

  /** `judged`: the delay was already counted. Other attempts may have been fast since. */
  private end(receiver: Receiver<T>, lane: Lane<T>, tookMs: number | null, judged: boolean): ReadonlyArray<T> {
    if (receiver.pace !== "fast") {
      this.activeOnProbation--
      this.heldOnProbation--
    }
    receiver.active--
    lane.active--
    this.active--
    if (lane.active === 0 && lane.waiting.length === 0) receiver.lanes.delete(lane.agent)
    this.letGo(lane.agent)
    if (tookMs === null) return []
    receiver.usualMs =
      receiver.pace === "unknown" ? Math.max(1, tookMs) : receiver.usualMs * (1 - NEWEST) + Math.max(1, tookMs) * NEWEST
    if (tookMs <= this.bounds.slow_ms) return this.judge(receiver, "fast")
    return judged ? [] : this.judge(receiver, "slow")
  }

  private judge(receiver: Receiver<T>, pace: "fast" | "slow"): ReadonlyArray<T> {
    this.setPace(receiver, pace)
    return pace === "slow" ? this.handBack(receiver, this.bounds.slow_queue_max) : []
  }

  private setPace(receiver: Receiver<T>, pace: Pace): void {
    const before = receiver.pace === "fast" ? 0 : 1
    const after = pace === "fast" ? 0 : 1
    receiver.pace = pace
    this.activeOnProbation += (after - before) * receiver.active
    this.heldOnProbation += (after - before) * (receiver.active + receiver.waiting)
  }

  private handBack(receiver: Receiver<T>, keep: number): ReadonlyArray<T> {
    const back: Array<T> = []
    for (const lane of [...receiver.lanes.values()].toReversed()) {
      while (receiver.waiting > keep && lane.waiting.length > 0) {
        back.push(lane.waiting.pop() as T)
        receiver.waiting--
        this.letGo(lane.agent)
      }
      if (lane.active === 0 && lane.waiting.length === 0) receiver.lanes.delete(lane.agent)
    }
    this.waiting -= back.length
    if (receiver.pace !== "fast") this.heldOnProbation -= back.length
    if (receiver.waiting === 0) this.turns.delete(receiver.name)
    return back
  }

  private receiver(name: string): Receiver<T> {
    const known = this.receivers.get(name)
    const receiver = known ?? { name, pace: "unknown", usualMs: 1, active: 0, waiting: 0, lanes: new Map() }
    // Moves the receiver to the end. The one that was used longest ago is forgotten first.
    if (known !== undefined) this.receivers.delete(name)
    this.receivers.set(name, receiver)
    if (this.receivers.size > KNOWN_MAX) this.forgetOne()
    return receiver
  }

  private forgetOne(): void {
    for (const [name, { active, waiting }] of this.receivers) {
      if (active + waiting > 0) continue
      this.receivers.delete(name)
      return
    }
  }
}
