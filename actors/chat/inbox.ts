/**
 * Keeps chat updates from the poll that fetched them until the poll that confirms them.
 *
 * Invariants
 *  - A poll confirms all updates before one number, which is the number of the oldest open update. Later updates come
 *    again with each poll, and are recognized.
 *  - Messages of one chat keep their order; chats do not wait for each other.
 *  - No more updates are open than one poll returns. The number of waiting messages of one chat is limited, so that it
 *    does not occupy the places of others.
 */
import { type Clock, Effect, Latch } from "effect"
import type { Update } from "grammy/types"
import { wallMs } from "../../schemas/runtime/clock.ts"

/** The maximum number of waiting messages of one chat. Further ones are dropped. */
const WAITING_MAX = 10

export interface Waiting {
  readonly update: Update
  /** Unix ms until which the update is tried again; `null` if it is dropped without a try. */
  readonly until: number | null
}

/** An update without a chat gets a queue of its own. */
const chatOf = ({ update_id, message, callback_query, my_chat_member }: Update): string => {
  const chat = message?.chat ?? callback_query?.message?.chat ?? my_chat_member?.chat
  return chat === undefined ? `update ${update_id}` : String(chat.id)
}

export class Inbox {
  private readonly clock: Clock.Clock
  private readonly patienceMs: number
  /** The numbers of open updates, in order. */
  private readonly open = new Set<number>()
  private readonly chats = new Map<string, Array<Waiting>>()
  private readonly changed = Latch.makeUnsafe(false)
  private next = 0

  constructor(clock: Clock.Clock, patienceMs: number) {
    this.clock = clock
    this.patienceMs = patienceMs
  }

  /** The number of the oldest open update. All earlier ones are finished. */
  get offset(): number {
    for (const oldest of this.open) return oldest
    return this.next
  }

  /** Adds updates. Returns the chats that now have work and had none. */
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

  /** Removes the chat's first update, which was passed on or dropped. */
  settled(chat: string): void {
    const waiting = this.chats.get(chat)
    const done = waiting?.shift()
    if (waiting?.length === 0) this.chats.delete(chat)
    if (done !== undefined) this.open.delete(done.update.update_id)
    this.changed.openUnsafe()
  }

  /**
   * While an update is unfinished, a poll returns immediately. So this waits until fewer are unfinished, or for a
   * limited time.
   */
  pause(ms: number): Effect.Effect<void> {
    return Effect.suspend(() => {
      if (this.open.size === 0) return Effect.void
      this.changed.closeUnsafe()
      return Effect.raceFirst(this.changed.await, Effect.sleep(ms))
    })
  }
}
