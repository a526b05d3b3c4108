/**
 * Requests over a connection, of whoever asks one subject and waits for what answers: the log, other streams, queries.
 * Asks of actors go in frames instead, many in one message (asker.ts).
 *
 * Invariants
 *  - All answers come to one standing subscription, each by the number that its request went out with. The NATS
 *    client's own request makes two errors with stack traces ahead of each call.
 *  - A request ends by its answer, at its time (checked every `SWEEP_MS`), or when it is given up because the
 *    connection was renewed. Requests over the old one may never be answered. The asker then hears `null`.
 *  - Nothing throws here: a connection that is closing leads to `null` too. Bounded by who calls.
 */
import type { Clock } from "effect"
import { type Cancel, delay, every, monotonicMs } from "../clock.ts"
import { Slots } from "./slots.ts"

const SWEEP_MS = 100
/** Between two tries at a stream that nobody leads. */
export const LEADERLESS_PAUSE_MS = 50

type Payload = Uint8Array | string

interface AnswerShape {
  readonly subject: string
  readonly data: Uint8Array
}

/** The part of a connection that is used here, by its shape: contracts do not import the client. */
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
  /** There while something waits: a timer of its own would keep a connection in memory that has long been closed. */
  private endSweeping: Cancel | undefined

  /** `newInbox`: a subject that this user may listen below. `patienceMs`: no answer is given up before. */
  constructor(clock: Clock.Clock, line: RequestLine<Message, Headers>, newInbox: () => string, patienceMs = 0) {
    this.clock = clock
    this.line = line
    this.newInbox = newInbox
    this.patienceMs = patienceMs
  }

  /** The first answer. "No responders" is one, with that status. */
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

  /** To a stream: again while nobody listens, for one without a leader has received nothing. */
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

  /** For requests with several answers: `receive` hears each, until `forget` of the number; `null` is the last. */
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
      // Told later, so that it is never heard before its number is known.
      queueMicrotask(() => this.end(number))
    }
    return number
  }

  forget(number: number): void {
    this.waiting.take(number)
  }

  /** Ends all that waits. */
  giveUp(): void {
    this.waiting.forEach((_entry, number) => this.end(number))
  }

  /** From the first request on: an actor kind is made of such parts, and making one reaches for nothing. */
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
