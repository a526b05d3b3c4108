/**
 * A fixed number of threads that parse and judge messages. Each computes for one message at a time (thread.ts).
 *
 * Invariants
 *  - A message that needs too much time or memory is kept unparsed, or without a verdict. It is never lost.
 *  - All DNS queries use the `lookup` of the process. Their number and time are limited for each message.
 *  - The queue is limited. If it is full, the network with the most waiting messages loses its newest one, provided
 *    that the newcomer's network would still have less. Otherwise the newcomer is refused for the time being. So a few
 *    networks that fill the queue refuse only each other's messages. A message whose client has gone is not begun.
 *  - The client that used the least CPU time lately comes first. While there are others, a client that used much gets
 *    half of the threads. So the others' messages do not wait for its own, nor for the restart of a thread that its
 *    messages have ended.
 */
import { Clock, Effect, type Scope } from "effect"
import { type Refusal, unavailable } from "../../../schemas/errors.ts"
import { networkOf, networksOf } from "../../../schemas/network.ts"
import { monotonicMs } from "../../../schemas/runtime/clock.ts"
import { type Lookup, lookupWithin } from "../dns.ts"
import { type JudgedSender, type Origin, UNJUDGED } from "../inbound/verdicts.ts"
import type { ParsedMail } from "./parsed.ts"
import { unread } from "./read.ts"
import { type Job, Thread, type ThreadBounds } from "./thread.ts"
import type { Result, Work } from "./protocol.ts"

export interface ReaderBounds extends ThreadBounds {
  readonly threads: number
  readonly threads_waiting_max: number
  readonly verdict_ms: number
  readonly verdict_questions_max: number
}

export interface Readers {
  /** `client`: whose share of the threads and of the queue the message takes. */
  readonly parse: (raw: Buffer, client: Client) => Effect.Effect<ParsedMail, Refusal>
  readonly judge: (raw: Buffer, origin: Origin) => Effect.Effect<JudgedSender, Refusal>
}

export interface Judging {
  readonly mta: string
  readonly lookup: Lookup
}

export interface Client {
  /** Shares the threads: an IPv4 address, an IPv6 /48 or a sender. */
  readonly name: string
  /** Shares the queue: an IPv4 /16, an IPv6 /32 or a sender. */
  readonly network: string
}

export const clientOf = (ip: string): Client => {
  const { client, wide } = networkOf(ip)
  return { name: wide ?? client, network: networksOf(ip)[0] }
}

/** A client that brings the messages of many, as SES does. It may always use all threads. */
export const EVERYBODY: Client = { name: "", network: "" }

/** After this time half of a client's CPU time is forgotten. */
const HALF_LIFE_MS = 10_000
/**
 * A client that lately used this much CPU time, in microseconds, gets only half of the threads while there are others.
 */
const HEAVY_US = 1_000_000
const CLIENTS_MAX = 4096
/** A client is alone if no other one came for this time. */
const ALONE_MS = 10_000

interface Visit {
  readonly client: string
  at: number
}

/** The CPU time that clients have used lately, and who came last. */
class Spending {
  private readonly clients = new Map<string, { us: number; at: number }>()
  private readonly clock: Clock.Clock
  private last: Visit | null = null
  /** The last visit of another client than `last`. */
  private before: Visit | null = null

  constructor(clock: Clock.Clock) {
    this.clock = clock
  }

  came(client: string): void {
    const at = monotonicMs(this.clock)
    if (this.last?.client === client) this.last.at = at
    else [this.before, this.last] = [this.last, { client, at }]
  }

  /** True if the client may use only a part of the threads. */
  isBounded(client: string): boolean {
    if (client === EVERYBODY.name || this.of(client) < HEAVY_US) return false
    const other = this.last?.client === client ? this.before : this.last
    return other !== null && monotonicMs(this.clock) - other.at < ALONE_MS
  }

  /** In microseconds. */
  of(client: string): number {
    const one = this.clients.get(client)
    return one === undefined ? 0 : one.us * 0.5 ** ((monotonicMs(this.clock) - one.at) / HALF_LIFE_MS)
  }

  add(client: string, us: number): void {
    const spent = this.of(client) + us
    this.clients.delete(client)
    this.clients.set(client, { us: spent, at: monotonicMs(this.clock) })
    const [oldest] = this.clients.keys()
    if (this.clients.size > CLIENTS_MAX && oldest !== undefined) this.clients.delete(oldest)
  }
}

const tooMuch = unavailable("Too much mail waits to be read.")

const nothingAsked: Lookup = () => Promise.reject(new Error("nothing is asked here"))

export const openReaders = (
  bounds: ReaderBounds,
  judging: Judging | null
): Effect.Effect<Readers, never, Scope.Scope> =>
  Effect.gen(function* () {
    const clock = yield* Clock.Clock
    const spending = new Spending(clock)
    const waiting: Array<Job> = []
    const shared = Math.ceil(bounds.threads / 2)
    /**
     * Returns the last free thread that the client may use. The last threads are reserved for clients that use little.
     */
    const freeFor = (client: string): Thread | undefined =>
      threads.findLast(({ isFree }, place) => isFree && (place < shared || !spending.isBounded(client)))
    const next = (): void => {
      let first: Job | undefined
      for (const one of waiting)
        if (first === undefined || spending.of(one.client) < spending.of(first.client)) first = one
      const free = first === undefined ? undefined : freeFor(first.client)
      if (first === undefined || free === undefined) return
      waiting.splice(waiting.indexOf(first), 1)
      free.take(first)
    }
    const again = (job: Job): void => void waiting.unshift(job)
    const mta = judging?.mta ?? null
    const threads = Array.from({ length: bounds.threads }, () => new Thread(bounds, mta, { next, again }))
    yield* Effect.addFinalizer(() => Effect.promise(() => Promise.all(threads.map((thread) => thread.close()))))

    /** Returns false if no other network has to give way. */
    const makeRoom = (network: string): boolean => {
      const counts = new Map<string, number>()
      for (const one of waiting) counts.set(one.network, (counts.get(one.network) ?? 0) + 1)
      const most = Math.max(...counts.values())
      if (most <= (counts.get(network) ?? 0) + 1) return false
      const at = waiting.findLastIndex((one) => counts.get(one.network) === most)
      waiting.splice(at, 1)[0]?.refused()
      return true
    }

    const carriedOut = (
      work: Work,
      { name, network }: Client,
      lookup: () => Lookup
    ): Effect.Effect<Result | null, Refusal> =>
      Effect.suspend(() =>
        waiting.length >= bounds.threads_waiting_max && !makeRoom(network)
          ? Effect.fail(tooMuch)
          : Effect.callback<Result | null, Refusal>((resume) => {
              const job: Job = {
                work,
                client: name,
                network,
                lookup,
                tries: 0,
                spent: (us) => spending.add(name, us),
                refused: () => resume(Effect.fail(tooMuch)),
                done: (result) => resume(Effect.succeed(result))
              }
              spending.came(name)
              waiting.push(job)
              next()
              return Effect.sync(() => {
                const at = waiting.indexOf(job)
                if (at >= 0) waiting.splice(at, 1)
              })
            })
      )

    return {
      parse: (raw, client) =>
        Effect.map(
          carriedOut({ type: "parse", raw }, client, () => nothingAsked),
          (result) => (result !== null && "parsed" in result ? result : unread(raw, bounds))
        ),
      judge: (raw, { ip, helo, sender }) => {
        const { verdict_ms: ms, verdict_questions_max: questions } = bounds
        const lookup = () => (judging === null ? nothingAsked : lookupWithin(judging.lookup, { ms, questions }))
        return Effect.map(
          carriedOut({ type: "judge", raw, origin: { ip, helo, sender } }, clientOf(ip), lookup),
          (result) => (result !== null && "verdicts" in result ? result : UNJUDGED)
        )
      }
    }
  })
