/**
 * Delivers notifications to the agents' webhooks (contract 4): takes the attempts that the log calls for, makes them,
 * and reports them to the log.
 *
 * Invariants
 *  - The log says what is to be done: a commit of a delivery that calls for an attempt is one message of a durable
 *    consumer that all workers share. It is acknowledged when the delivery's actor has the report, or has put the
 *    attempt off.
 *  - A worker may die anywhere: the message comes to another, which asks the delivery first whether the attempt is
 *    still called for. Between the POST and the report it may so be made twice, under the same `webhook-id`; never is
 *    one lost.
 *  - An answer is the command of its call: given twice, it counts once.
 *  - The agent's actor says where to and signs, at each attempt anew: no secret ever comes here, a new address or
 *    secret counts at once, and for an account that is closed nothing leaves.
 *  - What a worker holds is bounded (`held_max`), what waits for one receiver too; while it holds as much as it may it
 *    fetches nothing. What it holds it says to be working on, so that only the silence of a worker gives its work away.
 *  - It trusts nobody to come back: a POST, and all that is done about one attempt, has an end of the worker's own.
 *  - The receiver's part of a worker comes from fair.ts. What has no room there comes again: soon, from the consumer,
 *    where the receiver is well; later, by a timer of the delivery, where it is slow or too many are unknown, so that
 *    those who never answer never fill the consumer.
 */
import { randomBytes } from "node:crypto"
import { setTimeout as delay } from "node:timers/promises"
import type { Answer } from "../../schemas/runtime/bus/asker.ts"
import type { Ask } from "../../schemas/bus/frames.ts"
import { type OperationName, OPERATIONS, type Operations } from "../../schemas/bus/operations.ts"
import type { HubConfig } from "../../schemas/config.ts"
import type { Report } from "../../schemas/delivery/operations.ts"
import { askSpan, endAnswered } from "../../schemas/runtime/trace/ask.ts"
import type { Span } from "../../schemas/runtime/trace/span.ts"
import { NO_TRACING, type Tracing } from "../../schemas/runtime/trace/tracing.ts"
import { VERSION } from "../../schemas/version.ts"
import type { Attempted } from "../../schemas/webhook/operations.ts"
import { GONE } from "../delivery/decide.ts"
import { receiverOf } from "../delivery/state.ts"
import { UnknownEvent } from "../engine/fold.ts"
import { callOf, type Content } from "./call.ts"
import { FairQueue, type Turn } from "./fair.ts"
import { Overdue, within } from "./overdue.ts"
import type { Poster, PostOutcome } from "./post.ts"
import { attemptSpan, endPost, postSpan } from "./trace.ts"

/** One message of the consumer. */
export interface Message {
  readonly seq: number
  /** Id of the delivery. */
  readonly delivery: string
  readonly data: Uint8Array
  /** How often it was given to anybody, this time with it. */
  readonly given: number
  /** Of the commit's trace, where that is sampled. */
  readonly traceparent?: string | undefined
  readonly ack: () => void
  readonly nak: (afterMs: number) => void
  readonly working: () => void
}

/**
 * Where messages come from: up to `max` of them, as they come, until a time of the source's own has passed or the
 * signal comes.
 */
export interface Source {
  readonly fetch: (max: number, receive: (message: Message) => void, signal: AbortSignal) => Promise<void>
}

/** Hears what became of calls for attempts. */
export interface DeliveryObserver {
  /** An attempt that was made. `retried`: the delivery set a timer for another one. */
  readonly attempted: (outcome: PostOutcome, retried: boolean) => void
  readonly putOff: () => void
  readonly dropped: () => void
  readonly disabled: () => void
}

export interface WorkerParts {
  readonly source: Source
  readonly ask: (ask: Ask, span?: Span | null) => Promise<Answer>
  readonly poster: Pick<Poster, "post">
  readonly config: Pick<HubConfig, "limits">
  readonly observer?: DeliveryObserver
  readonly tracing?: Tracing
}

type PostHeaders = Parameters<Poster["post"]>[1]

interface Attempt extends Content {
  readonly message: Message
  readonly call: number
  /** Of the attempt while it is made. */
  readonly span?: Span | null
}

const ASK_DEADLINE_MS = 10_000
/** What could not be asked or reported comes again after this, each time later. */
const AGAIN_MS = 1000
const AGAIN_MAX_MS = 60_000
/** What there is no room for at the moment comes again after this, each time later. */
const BUSY_MS = 250
const BUSY_MAX_MS = 2000
/** What a newer release has written is left to its workers. */
const STRANGE_MS = 5000
const FETCH_RETRY_MS = 250
/** How often, and how far apart, a delivery is asked for a call that it has not heard of. */
const LOOKS = 20
const LOOK_AGAIN_MS = 10
/** What a POST may take beyond its own bound: one that is not back by then has gone astray, and counts as late. */
const ASTRAY_MS = 2000
/** Asks about one attempt, one after the other: the signature, the report, what the agent is told. */
const ASKS_MAX = 3
/** At the end, for what is under way. */
const LINGER_MS = 1000
const USER_AGENT = `HubWebhook/${VERSION}`

const text = new TextDecoder()

const complain = ({ delivery }: Message, error: unknown): void =>
  console.error(
    JSON.stringify({
      level: "error",
      at: "webhooks",
      delivery,
      error: error instanceof Error ? error.constructor.name : "unknown"
    })
  )

/** `undefined`: this release does not know. */
const called = ({ data }: Message): ReturnType<typeof callOf> | undefined => {
  try {
    return callOf(data)
  } catch (error) {
    if (error instanceof UnknownEvent) return undefined
    throw error
  }
}

export class Worker {
  private readonly parts: WorkerParts
  private readonly tracing: Tracing
  private readonly queue: FairQueue<Attempt>
  /** By sequence. */
  private readonly held = new Map<number, Message>()
  private readonly heartbeat: NodeJS.Timeout
  private readonly underWay = new Set<Promise<void>>()
  /** Given back unasked, for want of room: nobody else has had it when it comes again the next time. */
  private readonly givenBack = new Map<number, number>()
  private readonly ending = new AbortController()
  /** The connection may be gone: nothing is asked any more, what is left comes to another worker. */
  private over = false
  private released: (() => void) | null = null

  constructor(parts: WorkerParts) {
    this.parts = parts
    this.tracing = parts.tracing ?? NO_TRACING
    const { webhook } = parts.config.limits
    this.queue = new FairQueue(webhook)
    this.heartbeat = setInterval(
      () => {
        for (const message of this.held.values()) message.working()
      },
      Math.ceil(webhook.ack_wait_ms / 3)
    )
    void this.fetch()
  }

  get load(): { readonly held: number; readonly inFlight: number; readonly queued: number } {
    return { held: this.held.size, inFlight: this.queue.inFlight, queued: this.queue.queued }
  }

  /** Gives back what waits, and lets what is under way end. */
  async stop(): Promise<void> {
    this.ending.abort()
    this.release()
    for (const { message } of this.queue.clear()) this.settle(message, () => message.nak(0))
    await Promise.race([Promise.allSettled(this.underWay), delay(LINGER_MS, undefined, { ref: false })])
    this.over = true
    clearInterval(this.heartbeat)
    this.held.clear()
  }

  private get room(): number {
    return this.parts.config.limits.webhook.held_max - this.held.size
  }

  private get mayFetch(): boolean {
    const { held_max, fetch_room_min } = this.parts.config.limits.webhook
    return this.room >= Math.min(held_max, fetch_room_min)
  }

  private async fetch(): Promise<void> {
    while (!this.ending.signal.aborted) {
      if (!this.mayFetch) {
        await new Promise<void>((resolve) => {
          this.released = resolve
        })
        continue
      }
      try {
        await this.parts.source.fetch(this.room, (message) => this.take(message), this.ending.signal)
      } catch {
        await delay(FETCH_RETRY_MS)
      }
    }
  }

  private release(): void {
    this.released?.()
    this.released = null
  }

  /** The end of a message here. */
  private settle(message: Message, how: () => void): void {
    if (!this.held.delete(message.seq)) return
    how()
    if (this.mayFetch) this.release()
  }

  private again(message: Message): void {
    this.settle(message, () => message.nak(Math.min(AGAIN_MS * message.given, AGAIN_MAX_MS)))
  }

  private take(message: Message): void {
    const call = called(message)
    if (call === undefined) return message.nak(STRANGE_MS)
    if (call === null) return message.ack()
    if (this.ending.signal.aborted) return message.nak(0)
    // Given out again while the line was down: it is being seen to.
    if (this.held.has(message.seq)) return
    this.held.set(message.seq, message)
    const untouched = this.givenBack.get(message.seq) ?? 0
    this.givenBack.delete(message.seq)
    if (call.content !== null && message.given === untouched + 1)
      return this.admit({ ...call.content, call: call.call, message })
    this.track(this.look(message, call.call))
  }

  /**
   * Asks the delivery what is to be sent, and whether still. A commit can be here before its own actor has heard that
   * it is written: an actor that does not know of the call yet is asked again.
   */
  private async look(message: Message, call: number): Promise<void> {
    for (let tries = 0; tries < LOOKS; tries++) {
      const content = await this.asked(
        `look-${randomBytes(8).toString("hex")}`,
        "delivery.content",
        message.delivery,
        null
      )
      if (content === null) break
      if (content.calls > call || (content.calls === call && !content.called)) return this.settle(message, message.ack)
      if (content.calls === call) return this.admit({ ...content, call, message })
      await delay(LOOK_AGAIN_MS)
    }
    this.again(message)
  }

  private admit(attempt: Attempt): void {
    const accepted = this.queue.add(attempt.receiver, attempt.agent, attempt)
    const { probation_tries_max } = this.parts.config.limits.webhook
    if (accepted === "slow" || (accepted === "full" && attempt.message.given > probation_tries_max))
      this.track(this.putOff(attempt))
    else if (accepted !== "accepted") this.giveBack(attempt.message)
    this.begin()
  }

  private giveBack(message: Message): void {
    if (this.givenBack.size < this.parts.config.limits.webhook.ack_pending_max)
      this.givenBack.set(message.seq, message.given)
    this.settle(message, () => message.nak(Math.min(BUSY_MS * message.given, BUSY_MAX_MS)))
  }

  private begin(): void {
    for (let turn = this.queue.take(); turn !== null; turn = this.queue.take()) this.track(this.carryOut(turn))
  }

  private track(work: Promise<void>): void {
    this.underWay.add(work)
    void work.finally(() => this.underWay.delete(work))
  }

  private async carryOut({ item, late, done }: Turn<Attempt>): Promise<void> {
    let tookMs: number | null = null
    const span = attemptSpan(this.tracing, item.message.traceparent, item.message.seq)
    try {
      tookMs = await within(this.attemptMaxMs, this.attempt(span === null ? item : { ...item, span }, late))
    } catch (error) {
      complain(item.message, error)
      this.again(item.message)
    }
    span?.set("hub.outcome", tookMs === null ? "not_made" : "made").end()
    this.putOffAll(done(tookMs))
    this.begin()
  }

  private putOffAll(evicted: ReadonlyArray<Attempt>): void {
    for (const attempt of evicted) this.track(this.putOff(attempt))
  }

  /** All that belongs to one attempt together. */
  private get attemptMaxMs(): number {
    return ASKS_MAX * ASK_DEADLINE_MS + this.parts.config.limits.webhook.timeout_ms + 2 * ASTRAY_MS
  }

  /** How long the receiver took, or `null` where it was not asked. */
  private async attempt(attempt: Attempt, late: Turn<Attempt>["late"]): Promise<number | null> {
    const { message, agent, body } = attempt
    const id = `ntf_${message.delivery}`
    const timestamp = String(Math.floor(Date.now() / 1000))
    const signed = await this.asked(
      `sign-${message.delivery}-${message.seq}`,
      "webhook.sign",
      agent,
      { id, timestamp, body },
      attempt
    )
    if (signed === null) {
      this.again(message)
      return null
    }
    if ("drop" in signed) {
      await this.tell(attempt, "delivery.drop", { call: attempt.call, reason: signed.drop })
      this.parts.observer?.dropped()
      return null
    }
    if (receiverOf(signed.url) !== attempt.receiver) {
      this.admitElsewhere(attempt, receiverOf(signed.url))
      return null
    }
    const post = attempt.span ? postSpan(attempt.span, signed.url, attempt.attempts) : null
    // Whoever is slow is treated so at once: until the attempt has ended, others would wait.
    const slow = setTimeout(() => this.putOffAll(late()), this.parts.config.limits.webhook.slow_ms)
    const outcome = await this.posted(attempt, signed.url, this.headers(attempt, timestamp, signed.signature)).finally(
      () => clearTimeout(slow)
    )
    if (post !== null) endPost(post, outcome)
    await this.report(attempt, outcome, signed)
    return outcome.duration_ms
  }

  private async posted({ message, body }: Attempt, url: string, headers: PostHeaders): Promise<PostOutcome> {
    const began = performance.now()
    const { timeout_ms } = this.parts.config.limits.webhook
    try {
      return await within(timeout_ms + ASTRAY_MS, this.parts.poster.post(url, headers, Buffer.from(body)))
    } catch (error) {
      if (!(error instanceof Overdue)) throw error
      complain(message, error)
      const duration_ms = Math.round(performance.now() - began)
      return { response_code: null, error: "timeout", retry_after_seconds: null, duration_ms }
    }
  }

  /** The agent has another address than when this was queued: it takes its turn there. */
  private admitElsewhere(attempt: Attempt, receiver: string): void {
    queueMicrotask(() => this.admit({ ...attempt, receiver, span: null }))
  }

  private headers({ message, about, body }: Attempt, timestamp: string, signature: string): PostHeaders {
    return {
      "content-type": "application/json; charset=utf-8",
      "content-length": Buffer.byteLength(body),
      "user-agent": USER_AGENT,
      "webhook-id": `ntf_${message.delivery}`,
      "webhook-timestamp": timestamp,
      "webhook-signature": signature,
      "x-hub-event": about,
      "x-hub-delivery": message.delivery
    }
  }

  private async report(
    attempt: Attempt,
    outcome: PostOutcome,
    { url, failing }: { readonly url: string; readonly failing: boolean }
  ): Promise<void> {
    const report: Report = { call: attempt.call, ...outcome }
    const told = await this.tell(attempt, "delivery.report", report)
    const delivered = outcome.error === null
    this.parts.observer?.attempted(outcome, !delivered && told?.status === "pending")
    if (told === null) return
    if (delivered && !failing) return
    const attempted: Attempted = { url, delivered, gone: outcome.response_code === GONE }
    const { delivery } = attempt.message
    const found = await this.asked(
      `webhook-${delivery}-${attempt.call}`,
      "webhook.attempted",
      attempt.agent,
      attempted,
      attempt
    )
    if (found?.disabled === true) this.parts.observer?.disabled()
  }

  private async putOff(attempt: Attempt): Promise<void> {
    await this.tell(attempt, "delivery.put_off", { call: attempt.call })
    this.parts.observer?.putOff()
  }

  /** Acknowledges the message once the delivery's actor has it. */
  private async tell<Op extends "delivery.report" | "delivery.drop" | "delivery.put_off">(
    attempt: Attempt,
    op: Op,
    input: Operations[Op]["input"]
  ): Promise<Operations[Op]["output"] | null> {
    const { message, call } = attempt
    const told = await this.asked(`delivery-${message.delivery}-${call}`, op, message.delivery, input, attempt)
    if (told === null) this.again(message)
    else this.settle(message, message.ack)
    return told
  }

  /**
   * The answer; `null` where nobody can say at the moment. An actor that seems not to be there is one whose log lags.
   */
  private async asked<Op extends OperationName>(
    id: string,
    op: Op,
    actor: string,
    input: Operations[Op]["input"],
    attempt?: Attempt
  ): Promise<Operations[Op]["output"] | null> {
    if (this.over) return null
    const { kind } = OPERATIONS[op]
    const span = askSpan(attempt?.span, kind, op, actor)
    // An attempt that is put off has no step of its own: its timer is one of the commit's trace all the same.
    const traceparent = span?.traceparent ?? attempt?.message.traceparent
    const { head, body } = await this.parts.ask(
      { id, kind, actor, op, input, deadline: Date.now() + ASK_DEADLINE_MS, traceparent },
      span
    )
    if (span !== null) endAnswered(span, head)
    return head.refused === undefined ? (JSON.parse(text.decode(body)) as Operations[Op]["output"]) : null
  }
}
