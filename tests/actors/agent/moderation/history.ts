/** An agent's life, decision by decision. */
import { evolve } from "../../../../actors/agent/evolve.ts"
import type { Agent, AgentEvent, AgentState } from "../../../../actors/agent/state.ts"
import type { Decision } from "../../../../actors/engine/definition.ts"
import {
  decideActiveTimeDue,
  decideOnAppeal,
  decideReinstate,
  decideSuspend
} from "../../../../actors/agent/moderation/decide.ts"
import { LIMITS } from "../../../../schemas/limits.ts"
import { registered } from "../../../support/registered.ts"

/** As an older release has set it: what is due is the state's to say. */
export const TIMER = { name: "timer" }

export const START = 1_000_000
export const DAY = 86_400_000
export const PERIOD = LIMITS.moderation.active_period_seconds * 1000
export const MINUTE = 60_000

export class History {
  state: AgentState = null
  now = START
  events: Array<AgentEvent> = []
  timers = new Map<string, number>()

  constructor() {
    this.apply(registered({ number: 7 }))
  }

  get agent(): Agent {
    if (this.state === null) throw new Error("no agent")
    return this.state
  }

  get context() {
    return { at: this.now, facts: { notification: this.events.length } }
  }

  get told(): ReadonlyArray<string> {
    return this.events.flatMap((event) => (event.type === "agent.notified" ? [event.about] : []))
  }

  /** The refusal's code, or "done". */
  take(decision: Decision<AgentEvent>): string {
    if ("refused" in decision) return decision.refused.code
    this.apply(decision.events)
    for (const { name, at } of decision.timers ?? []) this.timers.set(name, at)
    return "done"
  }

  suspend(until?: number): string {
    return this.take(
      decideSuspend(this.state, { reason: "spam", ...(until === undefined ? {} : { until }) }, this.context)
    )
  }

  reinstate(): string {
    return this.take(decideReinstate(this.state, { reason: "sorry" }, this.context, LIMITS))
  }

  decideAppeal(granted: boolean, answer: string | null = null): string {
    return this.take(decideOnAppeal(this.state, { granted, answer }, this.context, LIMITS))
  }

  /** The active-time timer as it stands fires at its time. */
  periodEnds(): string {
    this.now = this.timers.get("active_time") ?? this.now + PERIOD
    return this.take(decideActiveTimeDue(this.state, TIMER, this.context, LIMITS))
  }

  private apply(events: ReadonlyArray<AgentEvent>): void {
    for (const event of events) this.state = evolve(this.state, event, { at: this.now })
    this.events.push(...events)
  }
}

export const begun = (): History => {
  const history = new History()
  history.timers.set("active_time", START + PERIOD)
  return history
}
