/**
 * Requests over a connection to one subject, with one answer or several: the log, other streams, queries. Asks of
 * actors are sent in frames instead, many in one message (asker.ts).
 *
 * Invariants
 *  - All answers come to one permanent subscription, each with the number of its request. (The NATS client's own
 *    request makes two errors with stack traces before each call.)
 *  - A request ends with its answer, at its timeout (checked every `SWEEP_MS`), or when the connection is renewed,
 *    because requests over the old one may never be answered. In the last two cases the result is `null`.
 *  - Nothing throws here: a closing connection leads to `null` too. The callers limit the number of requests.
 */
import type { Clock } from "effect"
import { type Cancel, delay, every, monotonicMs } from "../clock.ts"
import { Slots } from "./slots.ts"

const SWEEP_MS = 100
/** The pause between two tries at a stream without a leader. */
export const LEADERLESS_PAUSE_MS = 50

type Payload = Uint8Array | string

interface AnswerShape {
  readonly subject: string
  readonly data: Uint8Array
}

/** The part of a connection that is used here, by its shape, because schemas/ does not import the client. */
export interface RequestLine<Message extends AnswerShape, Headers> {
  publish(subject: string, payload?: Payload, options?: { reply?: string; headers?: Headers }): void
  subscribe(subject: string, options: { callback: (error: Error | null, message: Message) => void }): unknown
}

type Receive<Message> = (message: Message | null) => void

interface Waiting<Message> {
  readonly receive: Receive<Message>
  /** Monotonic ms. */
  readonly until: number
}

const NOTHING = new Uint8Array(0)

export class Requests<Message extends AnswerShape, Headers> {
  private readonly clock: Clock.Clock
  private readonly line: RequestLine<Message, Headers>
  private readonly newInbox: () => string
  private readonly patienceMs: number
  private readonly waiting = new Slots<Waiting<Message>>()
  private prefix = ""
  /** Set while a request waits. A permanent timer would keep a closed connection in memory. */
  private endSweeping: Cancel | undefined

  /** `newInbox` makes a subject that this user may subscribe to. `patienceMs` is the shortest timeout of a request. */
  constructor(clock: Clock.Clock, line: RequestLine<Message, Headers>, newInbox: () => string, patienceMs = 0) {
    this.clock = clock
    this.line = line
    this.newInbox = newInbox
    this.patienceMs = patienceMs
  }

  /** The first answer. "No responders" is an answer with that status. */
  request(
    subject: string,
    payload: Payload | undefined,
    timeoutMs: number,
    headers?: Headers
  ): Promise<Message | null> {
    return new Promise((resolve) => {
      const number = this.send(
        subject,
        payload,
        timeoutMs,
        (message) => {
          this.forget(number)
          resolve(message)
        },
        headers
      )
    })
  }

  /**
   * A request to a stream. It is repeated if nobody has received it, because a stream without a leader does not listen.
   */
  async requestStream(
    subject: string,
    payload: Payload | undefined,
    timeoutMs: number,
    headers?: Headers
  ): Promise<Message | null> {
    const end = monotonicMs(this.clock) + Math.max(timeoutMs, this.patienceMs)
    for (let left = timeoutMs; left > 0; left = end - monotonicMs(this.clock)) {
      const answer = await this.request(subject, payload, left, headers)
      if (answer === null || answer.data.length > 0) return answer
      await delay(this.clock, LEADERLESS_PAUSE_MS)
    }
    return null
  }

  /**
   * For requests with several answers. `receive` gets each of them, until the returned number is passed to `forget`.
   * `null` is the last.
   */
  send(
    subject: string,
    payload: Payload | undefined,
    timeoutMs: number,
    receive: Receive<Message>,
    headers?: Headers
  ): number {
    const number = this.waiting.add({ receive, until: monotonicMs(this.clock) + Math.max(timeoutMs, this.patienceMs) })
    this.endSweeping ??= every(this.clock, SWEEP_MS, () => this.sweep(), "unref")
    try {
      this.listen()
      const reply = this.prefix + number
      this.line.publish(subject, payload ?? NOTHING, headers === undefined ? { reply } : { reply, headers })
    } catch {
      // The request ends in a microtask, so that the caller has the number before `receive` is called.
      queueMicrotask(() => this.end(number))
    }
    return number
  }

  forget(number: number): void {
    this.waiting.take(number)
  }

  /** Ends all requests that wait. */
  giveUp(): void {
    this.waiting.forEach((_entry, number) => this.end(number))
  }

  /** Subscribes at the first request and not in the constructor, because making the object must have no effect. */
  private listen(): void {
    if (this.prefix !== "") return
    const prefix = `${this.newInbox()}.`
    this.line.subscribe(`${prefix}*`, {
      callback: (error, message) => {
        if (error === null) this.waiting.get(Number(message.subject.slice(prefix.length)))?.receive(message)
      }
    })
    this.prefix = prefix
  }

  private end(number: number): void {
    this.waiting.take(number)?.receive(null)
  }

  private sweep(): void {
    const now = monotonicMs(this.clock)
    this.waiting.forEach((entry, number) => {
      if (now >= entry.until) this.end(number)
    })
    if (this.waiting.size > 0) return
    this.endSweeping?.()
    this.endSweeping = undefined
  }
}
