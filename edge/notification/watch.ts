/**
 * Wakes held requests of this edge when there may be something new for their agents.
 *
 * Invariants
 *  - A woken request reads the read models itself. It is woken by a hint on the bus, which the projector sends after
 *    its transaction, or by a periodic query of this edge. Hints may be lost if the projector dies after its
 *    transaction, or if the bus is down. So hints are fast, and queries are reliable.
 *  - An agent's requests here share one subscription, which is made before the first of them reads. So a commit after
 *    that read causes a hint, or is found by a query.
 *  - One query is for up to `look_agents_max` agents, however many requests wait. There are no queries without waiting
 *    requests.
 */
import type { NatsConnection, Subscription } from "@nats-io/transport-node"
import type { Clock } from "effect"
import type { Limits } from "../../schemas/limits.ts"
import { after, type Cancel } from "../../schemas/runtime/clock.ts"
import { subjects } from "../../schemas/subjects.ts"
import type { Waking } from "./waking.ts"

interface Watched {
  readonly subscription: Subscription
  readonly waiting: Set<Waking>
}

/** The newest notification of each agent that has one. Empty if they cannot be read at the moment. */
type NewestOf = (agents: ReadonlyArray<string>) => Promise<ReadonlyArray<readonly [string, number]>>

const NOTIFICATION_ID = /^[1-9]\d{0,15}$/

export class Watch {
  private readonly clock: Clock.Clock
  private readonly nats: NatsConnection
  private readonly look: NewestOf
  private readonly limits: Limits["notifications"]
  private readonly watched = new Map<string, Watched>()
  private timer: Cancel | null = null

  constructor(clock: Clock.Clock, nats: NatsConnection, look: NewestOf, limits: Limits["notifications"]) {
    this.clock = clock
    this.nats = nats
    this.look = look
    this.limits = limits
  }

  join(agent: string, waking: Waking): void {
    const watched = this.watched.get(agent) ?? this.begin(agent)
    watched.waiting.add(waking)
    this.timer ??= this.soon()
  }

  leave(agent: string, waking: Waking): void {
    const watched = this.watched.get(agent)
    if (watched?.waiting.delete(waking) !== true || watched.waiting.size > 0) return
    this.watched.delete(agent)
    try {
      watched.subscription.unsubscribe()
    } catch {
      // The connection is closed, so the subscription has ended.
    }
  }

  private begin(agent: string): Watched {
    const waiting = new Set<Waking>()
    const subscription = this.nats.subscribe(subjects.notified(agent), {
      callback: (error, message) => {
        if (error !== null) return
        const text = message.string()
        for (const waking of waiting) {
          if (text === "") waking.judge()
          else if (NOTIFICATION_ID.test(text)) waking.heard(Number(text))
        }
      }
    })
    const watched = { subscription, waiting }
    this.watched.set(agent, watched)
    return watched
  }

  private soon(): Cancel {
    return after(this.clock, this.limits.look_ms, () => void this.lookAll())
  }

  private async lookAll(): Promise<void> {
    const agents = [...this.watched.keys()]
    for (let from = 0; from < agents.length; from += this.limits.look_agents_max) {
      const found = await this.look(agents.slice(from, from + this.limits.look_agents_max))
      for (const [agent, newest] of found)
        for (const waking of this.watched.get(agent)?.waiting ?? []) waking.heard(newest)
    }
    this.timer = this.watched.size === 0 ? null : this.soon()
  }
}
