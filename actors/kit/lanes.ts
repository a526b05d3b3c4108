/**
 * Limits how many tasks run at the same time. Further tasks wait, those of one client in a line of its own.
 *
 * Invariants
 *  - The lines take turns. A client with ten waiting tasks gets no more of them begun than a client with one.
 *  - The number of waiting tasks is bounded. A task beyond it takes the place of the newest task of a longer line.
 *    That one is refused as overloaded. If no line is longer, the task itself is refused. A refused task was not begun.
 */
import type { Refusal } from "../../schemas/errors.ts"
import { QueryRefused } from "../queries/refused.ts"

const TOO_MANY: Refusal = {
  code: "overloaded",
  message: "Too much of this kind is under way. Try again in a little while.",
  retryAfter: 2
}

interface Waiting {
  readonly begin: () => void
  readonly refuse: (why: QueryRefused) => void
}

export class Lanes {
  private underWay = 0
  private waiting = 0
  /** Keyed by client; the first one is next. No line is empty. */
  private readonly lines = new Map<string, Array<Waiting>>()
  private readonly max: number
  private readonly waitingMax: number

  constructor(max: number, waitingMax: number) {
    this.max = max
    this.waitingMax = waitingMax
  }

  /** `client`: who the task counts for. Tasks without one share a line. */
  async run<A>(work: () => Promise<A>, client = ""): Promise<A> {
    await this.turn(client)
    try {
      return await work()
    } finally {
      this.next()
    }
  }

  private async turn(client: string): Promise<void> {
    if (this.underWay < this.max) {
      this.underWay++
      return
    }
    if (this.waiting >= this.waitingMax) this.makeRoom(client)
    await new Promise<void>((begin, refuse) => {
      const line = this.lines.get(client)
      if (line === undefined) this.lines.set(client, [{ begin, refuse }])
      else line.push({ begin, refuse })
      this.waiting++
    })
  }

  /** Throws if no line is longer than the client's would become. */
  private makeRoom(client: string): void {
    let longest: Array<Waiting> = []
    for (const line of this.lines.values()) if (line.length > longest.length) longest = line
    if (longest.length <= (this.lines.get(client)?.length ?? 0) + 1) throw new QueryRefused(TOO_MANY)
    this.waiting--
    longest.pop()?.refuse(new QueryRefused(TOO_MANY))
  }

  private next(): void {
    for (const [client, line] of this.lines) {
      const first = line.shift()
      this.lines.delete(client)
      if (line.length > 0) this.lines.set(client, line)
      this.waiting--
      first?.begin()
      return
    }
    this.underWay--
  }
}
