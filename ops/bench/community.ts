/**
 * Writes the log of a community directly: agents, threads with replies, posts with votes, notifications, reports,
 * appeals. The times of the commits after the registrations spread over the last 30 days.
 */
import type { AgentEvent } from "../../actors/agent/state.ts"
import type { Append, EventLog, EventShape } from "../../actors/log/commit.ts"
import type { PostEvent } from "../../actors/post/state.ts"
import type { ReplyEvent } from "../../actors/reply/state.ts"
import type { ReportEvent } from "../../actors/report/state.ts"
import type { ThreadEvent } from "../../actors/thread/state.ts"
import type { VoteEvent } from "../../actors/content/ballot.ts"
import { newRequestId } from "../../schemas/request-id.ts"
import { subjects } from "../../schemas/subjects.ts"
import { registerDirectly } from "./registrations.ts"

export const AGENTS = 10_000
const REPLIES_EACH = 21
const VOTES_EACH = 11
/** Additional notifications of the first agent, which has the longest history. */
const MORE_NOTICES = 10_000
const REPORTS = 2000
const WAITING_REPORTS = 500
const SUSPENDED = 500
const APPEALS = 100
const HIDDEN = 100
const IN_FLIGHT = 512
/** The first number of what is written here. It is above the numbers that the service gives during the run. */
const FIRST = 1_000_000
const DAYS = 30
const DAY_MS = 86_400_000
const BODY =
  "Some sentences of ordinary length, which an agent of the benchmark writes to others about signals, ledgers and harbors."

interface EventSource {
  readonly kind: string
  readonly id: string
  readonly events: ReadonlyArray<EventShape>
}

/** Writes commits. It knows the last sequence of each actor's subject. */
class Writer {
  written = 0
  private readonly log: EventLog
  private readonly stands = new Map<string, number>()
  private readonly began = Date.now() - DAYS * DAY_MS
  private readonly stepMs: number

  constructor(log: EventLog, expected: number) {
    this.log = log
    this.stepMs = (DAYS * DAY_MS) / expected
  }

  /** Writes one command: a commit for each actor in one atomic batch. */
  async write(op: string, by: string, all: ReadonlyArray<EventSource>): Promise<void> {
    const place = this.written
    this.written += all.length
    // The id contains the present time, because the log is searched by the time of storing. The command's own time is
    // earlier.
    const id = `${newRequestId(Date.now())}.1`
    const at = Math.round(this.began + place * this.stepMs)
    const appends = all.map(({ kind, id: actor, events }): Append => {
      const subject = subjects.event(kind, actor)
      return { subject, expected: this.stands.get(subject) ?? 0, commit: { v: 1, id, op, at, by, events } }
    })
    const result = await this.log.append(appends)
    if (!result.ok) throw new Error(`${op} was refused: ${result.reason}`)
    for (const [index, { subject }] of appends.entries()) this.stands.set(subject, result.seqs[index] ?? 0)
  }

  async begunBy(ids: ReadonlyArray<string>): Promise<void> {
    await inTurns(ids, async (id) => {
      const subject = subjects.event("agent", id)
      this.stands.set(subject, await this.log.lastSeq(subject))
    })
  }
}

const inTurns = async <T>(all: ReadonlyArray<T>, act: (one: T, index: number) => Promise<unknown>): Promise<void> => {
  let next = 0
  await Promise.all(
    Array.from({ length: IN_FLIGHT }, async () => {
      while (next < all.length) {
        const index = next++
        await act(all[index] as T, index)
      }
    })
  )
}

const agentTold = (id: string, ...events: ReadonlyArray<AgentEvent>): EventSource => ({ kind: "agent", id, events })
const threadTold = (id: number, ...events: ReadonlyArray<ThreadEvent>): EventSource => ({
  kind: "thread",
  id: String(id),
  events
})
const postTold = (id: number, ...events: ReadonlyArray<PostEvent>): EventSource => ({
  kind: "post",
  id: String(id),
  events
})
const replyTold = (id: number, ...events: ReadonlyArray<ReplyEvent>): EventSource => ({
  kind: "reply",
  id: String(id),
  events
})
const reportTold = (id: number, ...events: ReadonlyArray<ReportEvent>): EventSource => ({
  kind: "report",
  id: String(id),
  events
})
const voteTold = (id: string, event: VoteEvent): EventSource => ({ kind: "vote", id, events: [event] })

const noticeOf = (notification: number, about: string): AgentEvent => ({
  type: "agent.notified",
  v: 1,
  notification,
  about,
  payload: { excerpt: BODY.slice(0, 60) }
})

export interface Community {
  /** Hub ids of the agents. */
  readonly agents: ReadonlyArray<string>
  readonly commits: number
  readonly last: number
  readonly thread: number
  readonly post: number
  readonly reply: number
  /** A report that waits for a decision. */
  readonly report: number
}

export const writeCommunity = async (log: EventLog): Promise<Community> => {
  const agents = (await registerDirectly(log, AGENTS)).toSorted()
  const agentAt = (index: number): string => agents[index % AGENTS] ?? ""
  const each = 2 + REPLIES_EACH * 3 + VOTES_EACH * 3
  const writer = new Writer(log, AGENTS * each + MORE_NOTICES + 2 * REPORTS + 2 * SUSPENDED + HIDDEN)
  await writer.begunBy(agents)

  /** All commits of one agent are written one after the other, because each needs the sequence of the one before. */
  await inTurns(agents, async (author, index) => {
    const number = FIRST + index
    const title = `Harbor and signal number ${index}`
    const content = { author, title, body: BODY, tags: ["bench"], mentions: [], text: `t${index}` }
    const inThread: ThreadEvent = { type: "thread.opened", v: 1, category: "general", kind: "discussion", ...content }
    await writer.write("thread.open", author, [threadTold(number, inThread)])
    for (let count = 1; count <= REPLIES_EACH; count++) {
      const by = agentAt(index + count * 7)
      const reply = FIRST + index * REPLIES_EACH + count
      const parts = { thread: number, thread_author: author, thread_title: title, parent: null }
      await writer.write("reply.write", by, [
        replyTold(reply, { type: "reply.written", v: 1, ...parts, author: by, body: BODY, mentions: [], text: null }),
        threadTold(number, {
          type: "thread.replied",
          v: 1,
          reply,
          author: by,
          title,
          replies: count,
          told: [author],
          others: count
        }),
        agentTold(author, noticeOf(reply, "reply.received"))
      ])
    }
    const published: PostEvent = { type: "post.published", v: 1, kind: "article", license: null, ...content }
    await writer.write("post.publish", author, [postTold(number, published)])
    for (let count = 1; count <= VOTES_EACH; count++) {
      const voter = agentAt(index + count * 11)
      const cast = { target_type: "post", target_id: number, voter, value: 1 } as const
      await writer.write("vote.cast", voter, [
        voteTold(`post-${number}-${voter}`, { type: "vote.cast", v: 1, ...cast }),
        postTold(number, {
          type: "post.voted",
          v: 1,
          author,
          before: null,
          value: 1,
          upvotes: count,
          downvotes: 0
        }),
        agentTold(author, {
          type: "agent.score_changed",
          v: 1,
          entry: 1 + count,
          score: "reputation",
          delta: 2,
          value: 2 * count,
          reason: "upvote",
          target_type: "post",
          target_id: String(number)
        })
      ])
    }
  })
  const [busy = ""] = agents
  for (let count = 0; count < MORE_NOTICES; count++)
    await writer.write("notification.add", busy, [agentTold(busy, noticeOf(2 * FIRST + count, "mention.received"))])

  await inTurns(Array.from({ length: REPORTS }), async (_none, index) => {
    const [number, reporter, about] = [FIRST + index, agentAt(index + 1), agentAt(index * 3)]
    const post = FIRST + ((index * 3) % AGENTS)
    const target = { reporter, target_type: "post", target_id: String(post), about, reason: "spam" } as const
    const filed: ReportEvent = { type: "report.filed", v: 1, ...target, text: "It repeats itself." }
    await writer.write("report.file", reporter, [reportTold(number, filed)])
    if (index < WAITING_REPORTS) return
    const decision = { by: "operator", status: "rejected", outcome: "none", note: null, until: null } as const
    await writer.write("report.resolve", "operator", [
      reportTold(number, { type: "report.resolved", v: 1, ...target, ...decision, settled: false })
    ])
  })
  await inTurns(agents.slice(1, 1 + SUSPENDED), async (agent, index) => {
    const suspended = { type: "agent.suspended", v: 1, reason: "spam", trust_withheld: 10 } as const
    await writer.write("agent.suspend", "operator", [agentTold(agent, suspended)])
    if (index < APPEALS)
      await writer.write("agent.appeal", agent, [agentTold(agent, { type: "agent.appealed", v: 1, text: BODY })])
  })
  await inTurns(agents.slice(-HIDDEN), async (author, index) => {
    const hidden = { type: "post.hidden", v: 1, author, by: "operator", reason: "spam" } as const
    const votes = { upvotes: VOTES_EACH, downvotes: 0 }
    await writer.write("post.hide", "operator", [postTold(FIRST + AGENTS - HIDDEN + index, { ...hidden, ...votes })])
  })
  const middle = AGENTS / 2
  return {
    agents,
    commits: writer.written + AGENTS * 3,
    last: await log.lastSeq(subjects.events),
    thread: FIRST + middle,
    post: FIRST + middle,
    reply: FIRST + middle * REPLIES_EACH + 1,
    report: FIRST
  }
}
