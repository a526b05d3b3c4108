/**
 * Keeps chat updates from the poll that fetched them until the poll that confirms them.
 *
 * Invariants
 *  - A poll confirms all updates before one number, which is the number of the oldest open update. Later updates come
 *    again with each poll, and are recognized.
 *  - Messages of one chat keep their order; chats do not wait for each other.
 *  - No more updates are open than one poll returns. The number of waiting messages of one chat is limited, and further
 *    ones are dropped at once. The messages of such a chat are confirmed early, so that it does not occupy the places
 *    of others.
 *  - If a full poll returns nothing new, its older half is confirmed early, unless all its updates are open. So an
 *    update that has to wait does not hide later ones.
 *  - An update that is confirmed early still waits here, and is lost if the node ends. Their number is limited.
 */
import { type Clock, Effect, Latch } from "effect"
import type { Update } from "grammy/types"
import { wallMs } from "../../schemas/runtime/clock.ts"
import { UPDATES_MAX } from "./bot.ts"

/** The maximum number of waiting messages of one chat. Further ones are dropped. */
const WAITING_MAX = 10
/** The maximum number of waiting updates that are confirmed already. */
const CONFIRMED_EARLY_MAX = 1000

export interface Waiting {
  readonly update: Update
  /** Unix ms until which the update is tried again. */
  readonly until: number
}

interface Taken {
  /** The chats that now have work and had none. */
  readonly begun: ReadonlyArray<string>
  /** Updates that will not be tried, because their chats have too many waiting. */
  readonly dropped: ReadonlyArray<Update>
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
  /** The number of waiting updates that are confirmed already. */
  private confirmedEarly = 0
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

  /** Adds the updates of a poll. */
  take(updates: ReadonlyArray<Update>): Taken {
    const [begun, dropped]: [Array<string>, Array<Update>] = [[], []]
    const seen = this.next
    for (const update of updates) {
      if (update.update_id < this.next) continue
      this.next = update.update_id + 1
      const chat = chatOf(update)
      const waiting = this.chats.get(chat)
      if (waiting !== undefined && waiting.length >= WAITING_MAX) {
        dropped.push(update)
        for (const one of waiting) this.confirm(one.update.update_id)
        continue
      }
      this.open.add(update.update_id)
      const one = { update, until: wallMs(this.clock) + this.patienceMs }
      if (waiting !== undefined) waiting.push(one)
      else {
        this.chats.set(chat, [one])
        begun.push(chat)
      }
    }
    if (this.next === seen && updates.length >= UPDATES_MAX && this.open.size < updates.length)
      this.confirmUpTo(updates[Math.floor(updates.length / 2)]?.update_id ?? 0)
    return { begun, dropped }
  }

  /** Confirms an open update early, if there is room for it. */
  private confirm(number: number): void {
    if (this.confirmedEarly < CONFIRMED_EARLY_MAX && this.open.delete(number)) this.confirmedEarly++
  }

  private confirmUpTo(number: number): void {
    for (const oldest of this.open) {
      if (oldest > number) return
      this.confirm(oldest)
    }
  }

  first(chat: string): Waiting | undefined {
    return this.chats.get(chat)?.[0]
  }

  /** Removes the chat's first update, which was passed on or given up. */
  settled(chat: string): void {
    const waiting = this.chats.get(chat)
    const done = waiting?.shift()
    if (waiting?.length === 0) this.chats.delete(chat)
    if (done !== undefined && !this.open.delete(done.update.update_id)) this.confirmedEarly--
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
