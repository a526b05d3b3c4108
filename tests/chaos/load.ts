/**
 * The load under which things are broken: agents that write and read without pause, over every edge, as well-made
 * clients do. What they saw is kept, to be held against the log afterwards.
 *
 * Each agent has one writer and one reader. Writes follow each other: write n puts a text that names n into the
 * agent's description, under an Idempotency-Key of its own, and is tried again until it is acknowledged. A read that
 * began after write n was acknowledged must show n or later. An exchange is "answered" when its status is 200.
 */
import { setTimeout as delay } from "node:timers/promises"
import { AgentClient, type ClientOptions } from "../support/client.ts"
import { type Answer, type Exchange } from "../support/http.ts"
import { register } from "../support/register.ts"
import type { SeededRandom } from "../support/seed.ts"

/**
 * Between an answer and the next request of the same loop: about 180 requests a second from 20 agents. Enough for a
 * fault to meet some of every kind under way, and little enough that what is measured is the fault, not a machine at
 * its end.
 */
const PACE_MS = 200
/** Answered requests of one agent that are kept for being sent again. */
const KEPT_FOR_REPLAY = 4

export interface Fault {
  readonly at: number
  readonly what: string
}

const tokenOf = (agent: number, write: number): string => `agent ${agent} write ${write}`

const numberIn = (description: string): number => Number(/ write (\d+)$/.exec(description)?.[1] ?? 0)

/** Of every client. */
export type LoadOptions = Pick<ClientOptions, "losesConnections">

export class LoadedAgent {
  readonly writer: AgentClient
  readonly reader: AgentClient
  readonly index: number
  /** Monotonic ms of every 200, by what it answered. */
  readonly reads: Array<number> = []
  readonly writes: Array<number> = []
  readonly faults: Array<Fault> = []
  readonly answered: Array<Exchange> = []
  acknowledged = 0
  retried = 0

  constructor(index: number, edge: () => string, options: LoadOptions) {
    this.index = index
    const onRetry = (answer: Answer | null) => this.#retry(answer)
    this.writer = new AgentClient({ ...options, edge, onRetry })
    this.reader = new AgentClient({ ...options, edge, onRetry, identity: this.writer.identity })
  }

  get hubId(): string {
    return this.writer.hubId
  }

  /** The writes that were acknowledged, as they must stand in the log. */
  get tokens(): ReadonlyArray<string> {
    return Array.from({ length: this.acknowledged }, (_, index) => tokenOf(this.index, index + 1))
  }

  async write(): Promise<void> {
    const number = this.acknowledged + 1
    const token = tokenOf(this.index, number)
    const answer = await this.writer.retrying("PATCH", "/api/v1/me", {
      body: { description: token },
      idempotencyKey: token
    })
    if (answer.status === 200) {
      this.writes.push(performance.now())
      this.#keep()
      this.acknowledged = number
      const shown = (answer.json.data as { description: string }).description
      if (shown !== token) this.#fault(`the answer to "${token}" shows "${shown}"`)
    } else this.#fault(`write ${number}: ${answer.status} ${answer.text}`)
  }

  async read(): Promise<void> {
    const before = this.acknowledged
    const answer = await this.reader.retrying("GET", "/api/v1/me")
    if (answer.status === 200) {
      this.reads.push(performance.now())
      const shown = numberIn((answer.json.data as { description: string }).description)
      if (shown < before) this.#fault(`a read shows write ${shown} after write ${before} was acknowledged`)
    } else this.#fault(`read: ${answer.status} ${answer.text}`)
  }

  note(cause: unknown): void {
    this.#fault(String(cause))
  }

  /** The writer sends one request at a time: the last one sent is the one that was answered. */
  #keep(): void {
    if (this.writer.last !== undefined) this.answered.push(this.writer.last)
    if (this.answered.length > KEPT_FOR_REPLAY) this.answered.shift()
  }

  #retry(answer: Answer | null): void {
    this.retried += 1
    if (answer !== null && answer.headers["retry-after"] === undefined) this.#fault("a 503 without Retry-After")
    // Nothing that these loads go through takes away room.
    if (answer?.text.includes("storage_low") === true) this.#fault(`told of too little room: ${answer.text}`)
  }

  #fault(what: string): void {
    this.faults.push({ at: performance.now(), what })
  }
}

export class Load {
  readonly agents: ReadonlyArray<LoadedAgent>
  #stopping = false
  #loops: ReadonlyArray<Promise<void>> = []

  constructor(agents: ReadonlyArray<LoadedAgent>) {
    this.agents = agents
  }

  start(): void {
    this.#loops = this.agents.flatMap((agent) => [
      this.#loop(agent, () => agent.write()),
      this.#loop(agent, () => agent.read())
    ])
  }

  async stop(): Promise<void> {
    this.#stopping = true
    await Promise.all(this.#loops)
  }

  /**
   * True when every agent has had this many writes and reads answered since the moment; else an error that names who
   * has not.
   */
  answeredSince(moment: number, times: number): true {
    const short = this.agents.flatMap((agent) => {
      const counts = {
        agent: agent.index,
        id: agent.hubId,
        writes: countSince(agent.writes, moment),
        reads: countSince(agent.reads, moment)
      }
      return counts.writes >= times && counts.reads >= times ? [] : [counts]
    })
    if (short.length === 0) return true
    throw new Error(
      `fewer than ${times} answers: ${JSON.stringify(short)}; faults: ${JSON.stringify(this.faults.slice(-5))}`
    )
  }

  get faults(): ReadonlyArray<string> {
    return this.agents.flatMap((agent) => agent.faults.map((fault) => `agent ${agent.index}: ${fault.what}`))
  }

  get retried(): number {
    return this.agents.reduce((sum, agent) => sum + agent.retried, 0)
  }

  /** The longest time that any agent went without an answer, of those that touch the stretch. */
  longestSilence(from: number, to: number): { readonly agent: number; readonly ms: number } {
    let longest = { agent: -1, ms: 0 }
    for (const { index, reads, writes } of this.agents) {
      for (const answers of [reads, writes]) {
        const ms = silenceIn(answers, from, to)
        if (ms > longest.ms) longest = { agent: index, ms }
      }
    }
    return longest
  }

  async #loop(agent: LoadedAgent, turn: () => Promise<void>): Promise<void> {
    while (!this.#stopping) {
      await turn().catch((cause: unknown) => agent.note(cause))
      await delay(PACE_MS)
    }
  }
}

const countSince = (times: ReadonlyArray<number>, moment: number): number => {
  const first = times.findIndex((time) => time >= moment)
  return first === -1 ? 0 : times.length - first
}

/** Silence is counted from the moment itself, not from the last answer before it: before, nothing was broken. */
const silenceIn = (answers: ReadonlyArray<number>, from: number, to: number): number => {
  let longest = 0
  let previous = from
  for (const answer of answers) {
    if (answer <= from) continue
    longest = Math.max(longest, answer - previous)
    previous = answer
    if (answer >= to) return longest
  }
  return Math.max(longest, to - previous)
}

/** Registers the agents, round-robin over the edges; their load begins with `start`. */
export async function loadOf(
  count: number,
  edges: ReadonlyArray<string>,
  random: SeededRandom,
  options: LoadOptions = {}
): Promise<Load> {
  const agents = Array.from({ length: count }, (_, index) => new LoadedAgent(index, () => random.pick(edges), options))
  await Promise.all(agents.map((agent) => register(agent.writer, { edge: edges[agent.index % edges.length] ?? "" })))
  return new Load(agents)
}
