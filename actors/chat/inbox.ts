/**
 * Handles chat updates, from the poll that fetched them to the poll that confirms them.
 *
 * Invariants
 *  - The other side confirms everything before one number. So that is the number of the oldest open update. Later ones
 *    come again with each poll, and are recognized.
 *  - Messages of one chat keep their order; chats do not wait for each other.
 *  - No more are open than one poll brings. Only so many messages of one chat may wait, so that it does not take the
 *    others' places for long.
 */
import { type Clock, Effect, Latch } from "effect"
import type { Update } from "grammy/types"
import { wallMs } from "../../schemas/runtime/clock.ts"

/** Waiting messages of one chat. Later ones are given up. */
const WAITING_MAX = 10

export interface Waiting {
  readonly update: Update
  /** Unix ms until which it is tried again; `null`: it is not tried at all. */
  readonly until: number | null
}

/** Each update without a chat is on its own. */
const chatOf = ({ update_id, message, callback_query, my_chat_member }: Update): string => {
  const chat = message?.chat ?? callback_query?.message?.chat ?? my_chat_member?.chat
  return chat === undefined ? `update ${update_id}` : String(chat.id)
}

export class Inbox {
  private readonly clock: Clock.Clock
  private readonly patienceMs: number
  /** Numbers, in their order. */
  private readonly open = new Set<number>()
  private readonly chats = new Map<string, Array<Waiting>>()
  private readonly changed = Latch.makeUnsafe(false)
  private next = 0

  constructor(clock: Clock.Clock, patienceMs: number) {
    this.clock = clock
    this.patienceMs = patienceMs
  }

  /** Updates before it are finished. */
  get offset(): number {
    for (const oldest of this.open) return oldest
    return this.next
  }

  /** Chats in which something is to be done, and nothing was. */
  take(updates: ReadonlyArray<Update>): ReadonlyArray<string> {
    const begun: Array<string> = []
    for (const update of updates) {
      if (update.update_id < this.next) continue
      this.next = update.update_id + 1
      this.open.add(update.update_id)
      const chat = chatOf(update)
      const waiting = this.chats.get(chat)
      const until = (waiting?.length ?? 0) < WAITING_MAX ? wallMs(this.clock) + this.patienceMs : null
      if (waiting !== undefined) waiting.push({ update, until })
      else {
        this.chats.set(chat, [{ update, until }])
        begun.push(chat)
      }
    }
    return begun
  }

  first(chat: string): Waiting | undefined {
    return this.chats.get(chat)?.[0]
  }

  /** The first of that chat is passed on, or given up. */
  settled(chat: string): void {
    const waiting = this.chats.get(chat)
    const done = waiting?.shift()
    if (waiting?.length === 0) this.chats.delete(chat)
    if (done !== undefined) this.open.delete(done.update.update_id)
    this.changed.openUnsafe()
  }

  /**
   * While an update is unfinished, a poll returns at once. So this waits until fewer are unfinished, or for a limited
   * time.
   */
  pause(ms: number): Effect.Effect<void> {
    return Effect.suspend(() => {
      if (this.open.size === 0) return Effect.void
      this.changed.closeUnsafe()
      return Effect.raceFirst(this.changed.await, Effect.sleep(ms))
    })
  }
}
