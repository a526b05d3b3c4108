/**
 * Limits how often the bot repeats a text in a chat, so that somebody who writes much gets few messages. A text is due
 * again after `REPEATED_AFTER_MS` to twice that.
 */
import type { Clock } from "effect"
import { monotonicMs } from "../../schemas/runtime/clock.ts"
import { Recent } from "../engine/recent.ts"

const REPEATED_AFTER_MS = 60_000
/** Texts of chats. More of them make the older ones due earlier. */
const REMEMBERED_MAX = 10_000

export class Notices {
  private readonly clock: Clock.Clock
  private readonly sent = new Recent<true>(REPEATED_AFTER_MS, REMEMBERED_MAX)

  constructor(clock: Clock.Clock) {
    this.clock = clock
  }

  /** True if the text was not due in the chat a short time ago. The caller sends it then. */
  due(chat: number, text: string): boolean {
    const [key, now] = [`${chat} ${text}`, monotonicMs(this.clock)]
    if (this.sent.get(key, now) !== undefined) return false
    this.sent.set(key, true, now)
    return true
  }
}
