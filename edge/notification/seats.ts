/**
 * The places for requests that an edge holds at once, in total and for each agent. If an agent has no place left, the
 * caller decides whether its oldest request must leave.
 */
export class Seats<Holder> {
  private readonly max: number
  private readonly perAgentMax: number
  private readonly taken = new Map<string, Set<Holder>>()
  private count = 0

  constructor(max: number, perAgentMax: number) {
    this.max = max
    this.perAgentMax = perAgentMax
  }

  get taking(): number {
    return this.count
  }

  get full(): boolean {
    return this.count >= this.max
  }

  /** The agent's oldest held request if it has as many as it may; `null` if there is room for one more. */
  oldest(agent: string): Holder | null {
    const holders = this.taken.get(agent)
    if (holders === undefined || holders.size < this.perAgentMax) return null
    const [first] = holders
    return first ?? null
  }

  take(agent: string, holder: Holder): void {
    const holders = this.taken.get(agent) ?? new Set()
    holders.add(holder)
    this.taken.set(agent, holders)
    this.count++
  }

  /** Repeated calls have no effect. */
  leave(agent: string, holder: Holder): void {
    const holders = this.taken.get(agent)
    if (holders?.delete(holder) !== true) return
    if (holders.size === 0) this.taken.delete(agent)
    this.count--
  }

  all(): ReadonlyArray<Holder> {
    return [...this.taken.values()].flatMap((holders) => [...holders])
  }
}
