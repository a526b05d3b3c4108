/** Writes one stream in order until it ends. streams.ts describes the invariants. */
import type { Clock } from "effect"
import type { Bus } from "../bus/bus.ts"
import type { Call } from "../http/call.ts"
import type { Queries } from "../../schemas/bus/operations.ts"
import type { Limits } from "../../schemas/limits.ts"
import type { Notification } from "../../schemas/notification/api.ts"
import { commentOf, eventOf, retryOf } from "./event-stream.ts"
import { rightOf } from "./right.ts"
import type { Waking } from "./waking.ts"
import { after, monotonicMs } from "../../schemas/runtime/clock.ts"

/** Events after which the reader may have lost its access. */
const JUDGED_BEHIND: ReadonlySet<string> = new Set(["agent.key_rotated"])
/** A chunk ends at this length. So a slow reader holds at most this and one notification more. */
const CHUNK_CHARS = 65_536

export interface StreamTextParts {
  readonly bus: Bus
  readonly call: Call
  readonly waking: Waking
  /** Reads the next page after an id; `null` if that failed. */
  readonly read: (since: number) => Promise<ReadonlyArray<Notification> | null>
  /** Ends the connection of a client that reads nothing. */
  readonly letGo: () => void
  readonly limits: Limits
}

export class StreamText {
  private readonly clock: Clock.Clock
  private readonly parts: StreamTextParts
  private readonly endsAt: number
  private page: Array<Notification>
  private cursor: number
  /** True if the last page was full, so that there may be more than was reported. */
  private more: boolean
  private judgedAt: number
  private judgeAt: number
  private beatAt = 0
  /** True while nothing may be sent, until the access has been checked again. */
  private doubted = false

  constructor(parts: StreamTextParts, first: Queries["notifications_after"]["output"]) {
    const { notifications } = parts.limits
    this.parts = parts
    this.clock = parts.call.clock
    this.judgedAt = monotonicMs(this.clock)
    this.endsAt = this.judgedAt + notifications.stream_lifetime_ms
    this.judgeAt = this.judgedAt + notifications.judge_ms
    this.page = [...first.items]
    this.cursor = first.since_id
    this.more = first.items.length >= notifications.stream_page_max
  }

  /** Each chunk waits for the reader for two heartbeats at most. */
  async *chunks(): AsyncGenerator<Buffer> {
    const {
      letGo,
      limits: {
        notifications: { heartbeat_ms }
      }
    } = this.parts
    for await (const chunk of this.texts()) {
      const cancel = after(this.clock, heartbeat_ms * 2, letGo)
      try {
        yield chunk
      } finally {
        cancel()
      }
    }
  }

  private async *texts(): AsyncGenerator<Buffer> {
    const {
      waking,
      limits: { notifications }
    } = this.parts
    yield this.sent(retryOf(notifications.stream_retry_ms))
    for (;;) {
      if (waking.over || monotonicMs(this.clock) >= this.endsAt) return yield Buffer.from(commentOf("come again"))
      if (this.mustJudge) {
        const end = await this.judge()
        if (end !== null) return yield Buffer.from(commentOf(end))
      }
      const chunk = this.doubted ? "" : await this.next()
      if (chunk !== "") yield this.sent(chunk)
      else if (monotonicMs(this.clock) >= this.beatAt) yield this.sent(commentOf("still here"))
      else await this.rest()
    }
  }

  private get mustJudge(): boolean {
    return this.parts.waking.accountChanged || monotonicMs(this.clock) >= this.judgeAt
  }

  /** The next notifications as text. Empty if there are none, or they could not be read. */
  private async next(): Promise<string> {
    if (this.page.length === 0 && (this.more || this.parts.waking.newest > this.cursor)) await this.turn()
    let chunk = ""
    while (chunk.length < CHUNK_CHARS && !this.doubted) {
      const notification = this.page.shift()
      if (notification === undefined) break
      chunk += eventOf(notification)
      this.cursor = notification.id
      if (JUDGED_BEHIND.has(notification.type)) this.doubt()
    }
    return chunk
  }

  private async turn(): Promise<void> {
    const {
      waking,
      limits: { notifications }
    } = this.parts
    const found = await this.parts.read(this.cursor)
    this.page = [...(found ?? [])]
    this.more = this.page.length >= notifications.stream_page_max
    // The notification was announced but cannot be read yet. A later query finds it.
    if (this.page.length === 0) waking.newest = this.cursor
  }

  private doubt(): void {
    this.doubted = true
    this.judgeAt = 0
  }

  /** The reason why the stream ends, or `null`. */
  private async judge(): Promise<string | null> {
    const {
      bus,
      call,
      waking,
      limits: { notifications, service }
    } = this.parts
    if (waking.accountChanged) this.doubted = true
    waking.accountChanged = false
    const right = await rightOf(bus, call, service.request_deadline_ms)
    const now = monotonicMs(this.clock)
    if (right === "good") {
      this.doubted = false
      this.judgedAt = now
      this.judgeAt = now + notifications.judge_ms
      return null
    }
    if (right !== "unknown") return right.refused.code
    if (now - this.judgedAt >= notifications.judge_overdue_ms) return "unavailable"
    this.judgeAt = now + notifications.look_ms
    return null
  }

  private async rest(): Promise<void> {
    const { waking } = this.parts
    const until = Math.min(this.judgeAt, this.beatAt, this.endsAt)
    await waking.wait(
      until - monotonicMs(this.clock),
      () => waking.accountChanged || (!this.doubted && waking.newest > this.cursor)
    )
  }

  private sent(text: string): Buffer {
    this.beatAt = monotonicMs(this.clock) + this.parts.limits.notifications.heartbeat_ms
    return Buffer.from(text)
  }
}
