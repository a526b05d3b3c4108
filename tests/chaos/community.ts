/**
 * Agents that publish, reply, vote and write to one another without pause, as well-made clients do. What was
 * acknowledged to them is kept: from it follows what every count and score must be once all is at rest.
 */
import { setTimeout as delay } from "node:timers/promises"
import type { VoteTarget } from "../../schemas/vote/records.ts"
import { AgentClient } from "../support/client.ts"
import type { Answer } from "../support/http.ts"
import { register } from "../support/register.ts"
import type { SeededRandom } from "../support/seed.ts"
import { patience } from "../../ops/launcher/patience.ts"

/** Between an answer and the next write of an agent. */
const PACE_MS = 60
/** Those that come last: enough for votes and replies to meet. */
const RECENT = 12

/** For a service that does not come back. */
const SILENCE_MAX_MS = 120_000
/** A connection that ended, or none. */
const NO_ANSWER: ReadonlySet<unknown> = new Set(["ECONNREFUSED", "ECONNRESET", "EPIPE"])

/** Asks again, under the same key, where the service ended before it answered. */
const answered = async (ask: () => Promise<Answer>): Promise<Answer> => {
  const isOver = patience(SILENCE_MAX_MS)
  for (;;) {
    try {
      return await ask()
    } catch (cause) {
      if (!NO_ANSWER.has((cause as { readonly code?: unknown }).code) || isOver()) throw cause
      await delay(PACE_MS)
    }
  }
}

export interface Written {
  readonly type: VoteTarget
  readonly id: number
  readonly author: number
  readonly thread: number | null
  /** By the voter's place: what it voted last. */
  readonly votes: Map<number, 1 | -1 | null>
}

class Member {
  readonly client: AgentClient
  readonly place: number
  /** Monotonic ms of every acknowledged write. */
  readonly writes: Array<number> = []
  handle = ""
  messages = 0

  constructor(place: number, edge: () => string) {
    this.place = place
    this.client = new AgentClient({ edge })
  }
}

export class Community {
  readonly members: ReadonlyArray<Member>
  readonly written: Array<Written> = []
  readonly faults: Array<string> = []
  readonly #random: SeededRandom
  #stopping = false
  #number = 0
  #loops: ReadonlyArray<Promise<void>> = []

  private constructor(members: ReadonlyArray<Member>, random: SeededRandom) {
    this.members = members
    this.#random = random
  }

  static async of(count: number, edges: ReadonlyArray<string>, random: SeededRandom): Promise<Community> {
    const members = Array.from({ length: count }, (_, place) => new Member(place, () => random.pick(edges)))
    for (const member of members) member.handle = (await register(member.client, { edge: edges[0] ?? "" })).handle
    const community = new Community(members, random)
    for (const member of members) await community.#open(member)
    return community
  }

  start(): void {
    this.#loops = this.members.map((member) => this.#loop(member))
  }

  async stop(): Promise<void> {
    this.#stopping = true
    await Promise.all(this.#loops)
  }

  /** True when every agent has had this many writes acknowledged since the moment. */
  wroteSince(moment: number, times: number): boolean {
    if (this.faults.length > 0) throw new Error(this.faults[0])
    return this.members.every(({ writes }) => writes.filter((at) => at >= moment).length >= times)
  }

  /** What follows from what was acknowledged. */
  tallyOf({ votes }: Written): { readonly upvotes: number; readonly downvotes: number } {
    const values = [...votes.values()]
    return {
      upvotes: values.filter((value) => value === 1).length,
      downvotes: values.filter((value) => value === -1).length
    }
  }

  /** contract 12: an upvote is worth 2 on posts and threads, 1 on replies, a downvote -1. */
  reputationOf(place: number): number {
    return this.written
      .filter(({ author }) => author === place)
      .reduce((sum, one) => {
        const { upvotes, downvotes } = this.tallyOf(one)
        return sum + upvotes * (one.type === "reply" ? 1 : 2) - downvotes
      }, 0)
  }

  countOf(type: VoteTarget, of: { readonly author?: number; readonly thread?: number }): number {
    return this.written.filter(
      (one) =>
        one.type === type &&
        (of.author === undefined || one.author === of.author) &&
        (of.thread === undefined || one.thread === of.thread)
    ).length
  }

  async #loop(member: Member): Promise<void> {
    while (!this.#stopping) {
      await this.#turn(member).catch((cause: unknown) => this.faults.push(String(cause)))
      await delay(PACE_MS)
    }
  }

  #turn(member: Member): Promise<void> {
    const chance = this.#random.next()
    if (chance < 0.35) return this.#vote(member)
    if (chance < 0.7) return this.#reply(member)
    if (chance < 0.85) return this.#message(member)
    return chance < 0.93 ? this.#publish(member) : this.#open(member)
  }

  async #write(member: Member, path: string, body: object): Promise<{ readonly id: number }> {
    const idempotencyKey = `community-${member.place}-${this.#number++}`
    const answer = await answered(() => member.client.retrying("POST", path, { body, idempotencyKey }))
    if (answer.status !== 200 && answer.status !== 201) throw new Error(`${path}: ${answer.status} ${answer.text}`)
    member.writes.push(performance.now())
    return answer.json.data as { id: number }
  }

  #text(what: string): { readonly body: string } {
    return { body: `${what} number ${this.#number++}, which nobody has written before and nobody will again.` }
  }

  #keep(type: VoteTarget, { id }: { readonly id: number }, author: number, thread: number | null): void {
    this.written.push({ type, id, author, thread, votes: new Map() })
  }

  async #publish(member: Member): Promise<void> {
    const post = await this.#write(member, "/api/v1/posts", { title: "A post", ...this.#text("Post") })
    this.#keep("post", post, member.place, null)
  }

  async #open(member: Member): Promise<void> {
    const thread = { category: "general", title: "A thread", ...this.#text("Thread") }
    this.#keep("thread", await this.#write(member, "/api/v1/threads", thread), member.place, null)
  }

  async #reply(member: Member): Promise<void> {
    const thread = this.#random.pick(this.written.filter(({ type }) => type === "thread").slice(-RECENT)).id
    const reply = await this.#write(member, `/api/v1/threads/${thread}/replies`, this.#text("Reply"))
    this.#keep("reply", reply, member.place, thread)
  }

  async #vote(member: Member): Promise<void> {
    const others = this.written.filter(({ author }) => author !== member.place).slice(-RECENT)
    if (others.length === 0) return
    const target = this.#random.pick(others)
    const value = this.#random.chance(0.7) ? 1 : -1
    await this.#write(member, "/api/v1/votes", { target_type: target.type, target_id: target.id, value })
    target.votes.set(member.place, value)
  }

  async #message(member: Member): Promise<void> {
    const other = this.#random.pick(this.members.filter((one) => one !== member))
    await this.#write(member, "/api/v1/messages", { to: other.handle, ...this.#text("Message") })
    other.messages++
  }
}
