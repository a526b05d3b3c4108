/**
 * The asking side of the bus: sends an edge's or a node's requests (asks) to actors.
 *
 * Invariants
 *  - An ask goes to the session that the leases name as owner of the actor's shard. The leases are a hint: a node that
 *    does not own the shard answers `notOwner`, and the log decides what is written.
 *  - Every try of an ask has the same id. If a node has that command under way, the new try waits for the same result.
 *    If the log has it, the node gives the first answer. So a new try never applies a command twice.
 *  - A try ends by its reply, by "no responders", by `notOwner`, by news of another owner, or after `RETRY_AFTER_MS`.
 *    All of them but the reply lead to another try. At the deadline the answer is `unavailable`.
 *  - A node of another release that does not know the operation (`elsewhere`) is asked again with growing pauses. The
 *    next owner of the shard is asked at once.
 *  - Asks to one session within FLUSH_GAP_MS are sent in one message (see schemas/bus/frames.ts and pace.ts).
 *  - At most `maxInFlight` asks wait; one more is refused as `overloaded` before anything is sent.
 */
import type { Clock } from "effect"
import { type ErrorCode, type Refusal, unavailable } from "../../errors.ts"
import { shardOf, subjects } from "../../subjects.ts"
import type { Span } from "../trace/span.ts"
import {
  type Ask,
  askBytes,
  encodeAsk,
  inFrames,
  type PackedAsk,
  packAsks,
  type ReplyHead,
  unpackReplies
} from "../../bus/frames.ts"
import { type Cancel, every, monotonicMs, wallMs } from "../clock.ts"
import { paced } from "./pace.ts"
import type { BusRole } from "../../bus/roles.ts"
import { Slots } from "./slots.ts"

/**
 * The part of a message bus that the asker needs. It passes on the server's report that a subject has no subscriber as
 * a message with `noResponders`.
 */
export interface BusTransport {
  readonly publish: (subject: string, payload: Uint8Array, reply?: string) => void
  readonly subscribe: (subject: string, receive: (message: BusMessage) => void) => void
}

export interface BusMessage {
  readonly subject: string
  readonly payload: Uint8Array
  readonly reply: string | undefined
  readonly noResponders: boolean
}

/** The owners of shards, as far as this side knows. */
export interface Owners {
  readonly ownerOf: (shard: number) => string | null
  readonly onChange: (listener: (shard: number) => void) => void
}

export interface Answer {
  readonly head: ReplyHead
  readonly body: Uint8Array
}

/**
 * Called when an accepted ask has its answer, and for each ask that is refused as `overloaded` or `request_too_large`.
 */
export interface AskObserver {
  readonly settled: (op: string, refused: ErrorCode | undefined, seconds: number) => void
}

/** A try without a reply for this long is repeated, because the node may be frozen. */
export const RETRY_AFTER_MS = 700
/**
 * The pause after a try that was refused at once (no owner, or not the owner). It is long enough to be cheap, and short
 * enough for a handover.
 */
const RETRY_PAUSE_MS = 25
/** The longest pause between tries at an owner whose release cannot answer. */
const ELSEWHERE_PAUSE_MAX_MS = 800
/** The smallest gap between two frames of asks. */
export const FLUSH_GAP_MS = 1

/** The asker's identity: its user's role on the bus (schemas/bus/roles.ts), and a unique name. */
export interface AskerIdentity {
  readonly role: BusRole
  readonly name: string
}

interface Waiting {
  readonly ask: Ask
  /** The ask as JSON, and its size in bytes. */
  readonly json: string
  readonly bytes: number
  readonly shard: number
  readonly resolve: (answer: Answer) => void
  /** Monotonic ms. */
  readonly began: number
  sent: boolean
  readonly span: Span | null
  session: string | null
  retryAt: number
  /** The number of tries that a node of another release could not answer. */
  elsewhere: number
}

const EMPTY = new Uint8Array(0)
const refused = (refusal: Refusal): Answer => ({ head: { refused: refusal, by: "bus" }, body: EMPTY })

const STOPPING = refused(unavailable("The service is stopping."))

export class Asker {
  private readonly waiting = new Slots<Waiting>()
  /** Asks by session. Each flush has a separate map; slots.ts says why. */
  private outgoing = new Map<string, Array<PackedAsk>>()
  private readonly transport: BusTransport
  private readonly owners: Owners
  private readonly role: BusRole
  private readonly replySubject: string
  readonly maxInFlight: number
  /** Counted since the start: repeated tries, and asks that were refused as `overloaded`. */
  retries = 0
  overloaded = 0
  private readonly maxFrameBytes: number
  private closed = false
  /** Runs only while an ask waits, so that a process that asks nothing is not woken. */
  private sweep: Cancel | undefined
  private readonly flushSoon: () => void
  private readonly clock: Clock.Clock
  private readonly observer: AskObserver | undefined

  constructor(
    clock: Clock.Clock,
    transport: BusTransport,
    owners: Owners,
    { role, name }: AskerIdentity,
    bounds: { maxInFlight: number; maxFrameBytes: number },
    observer?: AskObserver
  ) {
    this.clock = clock
    this.flushSoon = paced(clock, () => this.flush(), FLUSH_GAP_MS)
    this.transport = transport
    this.owners = owners
    this.role = role
    this.replySubject = subjects.reply(role, name)
    this.maxInFlight = bounds.maxInFlight
    this.maxFrameBytes = bounds.maxFrameBytes
    this.observer = observer
    transport.subscribe(`${this.replySubject}.*`, (message) => this.receive(message))
    owners.onChange((shard) => this.ownerChanged(shard))
  }

  get inFlight(): number {
    return this.waiting.size
  }

  /**
   * Never rejects: a failure is in `head.refused`. `span` gets an event for each further try. The caller ends the span.
   */
  ask(ask: Ask, span: Span | null = null): Promise<Answer> {
    if (this.closed) return Promise.resolve(STOPPING)
    if (this.waiting.size >= this.maxInFlight) {
      this.overloaded++
      this.observer?.settled(ask.op, "overloaded", 0)
      return Promise.resolve(
        refused({ code: "overloaded", message: "Too many requests are under way.", retryAfter: 1 })
      )
    }
    const json = encodeAsk(ask)
    const bytes = askBytes(json)
    if (bytes > this.maxFrameBytes) {
      this.observer?.settled(ask.op, "request_too_large", 0)
      return Promise.resolve(
        refused({
          code: "request_too_large",
          message: `The request to the actors is larger than ${this.maxFrameBytes} bytes.`,
          details: { max_bytes: this.maxFrameBytes }
        })
      )
    }
    return new Promise((resolve) => {
      const entry: Waiting = {
        ask,
        json,
        bytes,
        shard: shardOf(ask.actor),
        resolve,
        span,
        began: monotonicMs(this.clock),
        sent: false,
        session: null,
        retryAt: 0,
        elsewhere: 0
      }
      this.send(this.waiting.add(entry), entry)
      this.sweep ??= every(this.clock, RETRY_PAUSE_MS, () => this.sweepWaiting(wallMs(this.clock)), "unref")
    })
  }

  /** Frames that were not sent stay unsent, because the connection may be closing as well. */
  close(): void {
    this.closed = true
    this.outgoing = new Map()
    this.endSweep()
    this.waiting.forEach((_entry, number) => this.settle(number, STOPPING))
  }

  private send(number: number, entry: Waiting): void {
    const session = this.owners.ownerOf(entry.shard)
    entry.session = session
    if (session === null) {
      entry.retryAt = wallMs(this.clock) + RETRY_PAUSE_MS
      return
    }
    entry.retryAt = wallMs(this.clock) + RETRY_AFTER_MS
    if (entry.sent) {
      this.retries++
      entry.span?.event("retry")
    }
    entry.sent = true
    const queue = this.outgoing.get(session)
    const packed = { number, ask: entry.json, bytes: entry.bytes, deadline: entry.ask.deadline }
    if (queue === undefined) this.outgoing.set(session, [packed])
    else queue.push(packed)
    this.flushSoon()
  }

  private flush(): void {
    const { outgoing } = this
    this.outgoing = new Map()
    for (const [session, queue] of outgoing) {
      const reply = `${this.replySubject}.${session}`
      for (const frame of inFrames(queue, ({ bytes }) => bytes, this.maxFrameBytes)) {
        this.transport.publish(subjects.node(session, this.role), packAsks(frame), reply)
      }
    }
  }

  private receive(message: BusMessage): void {
    if (message.noResponders) {
      this.sessionGone(message.subject.slice(this.replySubject.length + 1))
      return
    }
    for (const { number, head, body } of unpackReplies(message.payload)) {
      if (head.notOwner === undefined) this.settle(number, { head, body })
      else if (head.elsewhere === undefined) this.retrySoon(number)
      else this.retryElsewhere(number)
    }
  }

  private settle(number: number, answer: Answer): void {
    const entry = this.waiting.take(number)
    if (entry === undefined) return
    this.observer?.settled(entry.ask.op, answer.head.refused?.code, (monotonicMs(this.clock) - entry.began) / 1000)
    entry.resolve(answer)
  }

  private retrySoon(number: number): void {
    const entry = this.waiting.get(number)
    if (entry === undefined) return
    entry.session = null
    entry.retryAt = wallMs(this.clock) + RETRY_PAUSE_MS
  }

  /** The session stays recorded, so that news of the shard's next owner leads to a try at once. */
  private retryElsewhere(number: number): void {
    const entry = this.waiting.get(number)
    if (entry === undefined) return
    entry.retryAt = wallMs(this.clock) + Math.min(RETRY_PAUSE_MS * 2 ** entry.elsewhere, ELSEWHERE_PAUSE_MAX_MS)
    entry.elsewhere++
  }

  private sessionGone(session: string): void {
    this.transport.publish(subjects.suspect, new TextEncoder().encode(session))
    this.waiting.forEach((entry, number) => {
      if (entry.session === session) this.retrySoon(number)
    })
  }

  private ownerChanged(shard: number): void {
    const owner = this.owners.ownerOf(shard)
    if (owner === null) return
    this.waiting.forEach((entry, number) => {
      if (entry.shard === shard && entry.session !== owner) this.send(number, entry)
    })
  }

  private endSweep(): void {
    this.sweep?.()
    this.sweep = undefined
  }

  private sweepWaiting(now: number): void {
    if (this.waiting.size === 0) return this.endSweep()
    this.waiting.forEach((entry, number) => {
      if (now >= entry.ask.deadline) {
        this.settle(number, refused(unavailable("The service did not answer in time. It is safe to try again.")))
      } else if (now >= entry.retryAt) {
        this.send(number, entry)
      }
    })
  }
}
