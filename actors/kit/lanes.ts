/**
 * Limits how many tasks run at the same time. Further tasks wait, those of one client in a line of its own.
 *
 * Invariants
 *  - The client whose tasks took the least time of late goes first. Time counts half after `HALF_LIFE_MS`. So a client
 *    with few or cheap tasks does not wait for clients with many or costly ones. If two clients are equal, the one with
 *    the shorter line goes first.
 *  - A client without an ended task counts as if it had taken `NEWCOMER_MS`. So many new clients at once do not hold up
 *    those that are known for cheap tasks.
 *  - If several tasks may run at once, one place is kept for clients that took no more than `LITTLE_MS`.
 *  - The number of waiting tasks is bounded. If there is one too many, the newest task of the longest line is refused as
 *    overloaded; among equal lines, that of the client that took the most time. A refused task was not begun.
 *  - A task whose asker has been answered meanwhile is not begun.
 */
import type { Clock } from "effect"
import { monotonicMs, wallMs } from "../../schemas/runtime/clock.ts"
import type { Refusal } from "../../schemas/errors.ts"
import { QueryRefused } from "../queries/refused.ts"
import type { Asker } from "../queries/serve.ts"

const TOO_MANY: Refusal = {
  code: "overloaded",
  message: "Too much of this kind is under way. Try again in a little while.",
  retryAfter: 2
}

const HALF_LIFE_MS = 30_000
const NEWCOMER_MS = 250
/** Those under way included. */
const LITTLE_MS = 1000
/** The most clients whose time is remembered. */
const CLIENTS_MAX = 4096

interface Waiting {
  readonly answeredBy: number
  /** Takes the monotonic time in ms. */
  readonly begin: (now: number) => void
  readonly refuse: (why: QueryRefused) => void
}

interface Client {
  readonly line: Array<Waiting>
  /** The number of its tasks under way, and the sum of the times at which they began. */
  underWay: number
  begun: number
  /** True until one of its tasks has ended. */
  isNew: boolean
  /** The time of its tasks that have ended, as it counted at `at`. */
  taken: number
  at: number
}

const NOBODY: Asker = { client: "", answeredBy: Number.POSITIVE_INFINITY }

export class Lanes {
  private readonly clock: Clock.Clock
  private readonly max: number
  private readonly waitingMax: number
  private readonly clients = new Map<string, Client>()
  /** The clients that have waiting tasks. */
  private readonly lines = new Set<Client>()
  private underWay = 0
  private waiting = 0

  constructor(clock: Clock.Clock, max: number, waitingMax: number) {
    this.clock = clock
    this.max = max
    this.waitingMax = waitingMax
  }

  /** Fails with `QueryRefused` if the task is not begun, and as `work` does. */
  async run<A>(work: () => Promise<A>, { client: name, answeredBy }: Asker = NOBODY): Promise<A> {
    const client = this.known(name)
    const began = await new Promise<number>((begin, refuse) => {
      client.line.push({ answeredBy, begin, refuse })
      this.lines.add(client)
      this.waiting++
      this.beginSome()
      if (this.waiting > this.waitingMax) this.makeRoom()
    })
    try {
      return await work()
    } finally {
      this.end(client, began)
    }
  }

  private beginSome(): void {
    const now = monotonicMs(this.clock)
    while (this.underWay < this.max) {
      const client = this.first(now)
      if (client === null) return
      const next = this.takeOut(client, 0)
      if (next === undefined) return
      if (next.answeredBy <= wallMs(this.clock)) {
        next.refuse(new QueryRefused(TOO_MANY))
        continue
      }
      this.underWay++
      client.underWay++
      client.begun += now
      next.begin(now)
    }
  }

  private end(client: Client, began: number): void {
    const now = monotonicMs(this.clock)
    client.taken = (client.isNew ? 0 : endedOf(client, now)) + (now - began)
    client.isNew = false
    client.at = now
    client.underWay--
    client.begun -= began
    this.underWay--
    this.beginSome()
  }

  /** The client whose turn it is. */
  private first(now: number): Client | null {
    let best: Client | null = null
    let least = Number.POSITIVE_INFINITY
    for (const client of this.lines) {
      const taken = takenOf(client, now)
      if (taken > least || (taken === least && best !== null && client.line.length >= best.line.length)) continue
      best = client
      least = taken
    }
    const isLast = this.max > 1 && this.underWay === this.max - 1
    return isLast && least > LITTLE_MS ? null : best
  }

  /** Refuses one waiting task. */
  private makeRoom(): void {
    const now = monotonicMs(this.clock)
    let worst: Client | null = null
    let [longest, most] = [0, 0]
    for (const client of this.lines) {
      const [length, taken] = [client.line.length, takenOf(client, now)]
      if (length < longest || (length === longest && taken < most)) continue
      worst = client
      longest = length
      most = taken
    }
    if (worst === null) return
    this.takeOut(worst, longest - 1)?.refuse(new QueryRefused(TOO_MANY))
  }

  /** Takes a task out of its line. */
  private takeOut(client: Client, place: number): Waiting | undefined {
    const [waiting] = client.line.splice(place, 1)
    if (waiting !== undefined) this.waiting--
    if (client.line.length === 0) this.lines.delete(client)
    return waiting
  }

  private known(name: string): Client {
    let client = this.clients.get(name)
    if (client !== undefined) return client
    if (this.clients.size >= CLIENTS_MAX) this.forget()
    client = { line: [], underWay: 0, begun: 0, isNew: true, taken: NEWCOMER_MS, at: monotonicMs(this.clock) }
    this.clients.set(name, client)
    return client
  }

  /** Forgets clients without tasks, the oldest first. */
  private forget(): void {
    for (const [name, { line, underWay }] of this.clients) {
      if (this.clients.size <= CLIENTS_MAX / 2) return
      if (line.length === 0 && underWay === 0) this.clients.delete(name)
    }
  }
}

const endedOf = ({ taken, at }: Client, now: number): number => taken * 0.5 ** ((now - at) / HALF_LIFE_MS)

/** In whole ms, so that what is nearly forgotten makes no difference. */
const takenOf = (client: Client, now: number): number =>
  Math.floor(endedOf(client, now) + client.underWay * now - client.begun)
