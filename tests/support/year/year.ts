/**
 * The log of a community, commit by commit as the product writes them: registrations, threads, replies, posts,
 * votes, messages, notifications, deliveries to webhooks, claims of texts, watches.
 *
 * Their form and order are the same as for requests over HTTP. An agent's day is 3 replies, 10 votes, 2 messages, 0.2
 * posts and 0.2 threads (ops/docs/scale.md).
 */
import { createPrivateKey, createPublicKey, type KeyObject } from "node:crypto"
import { registrationEvents } from "../../../actors/agent/profile/decide.ts"
import type { AgentEvent } from "../../../actors/agent/state.ts"
import { secretPurpose } from "../../../actors/agent/webhook/secret.ts"
import { textOf } from "../../../actors/content/text.ts"
import { Sealer } from "../../../actors/log/seal.ts"
import { conversationOf } from "../../../actors/message/state.ts"
import { UNTRUSTED } from "../../../schemas/content/untrusted.ts"
import { agentNumber } from "../../../schemas/signing/identity.ts"
import { hubIdOf } from "../../../schemas/signing/key.ts"
import type { SeededRandom } from "../seed.ts"
import type { YearSnapshots } from "./snapshots.ts"
import { type LogWriter, Place, type YearCommit, type YearEvent } from "./place.ts"

/** Steps of each kind that an agent takes in ten days. */
const TEN_DAYS = { reply: 30, vote: 100, message: 20, post: 2, thread: 2 } as const
type Step = keyof typeof TEN_DAYS
const STEPS = Object.entries(TEN_DAYS).flatMap(([step, count]) => Array.from({ length: count }, () => step as Step))
export const STEPS_A_DAY = STEPS.length / 10
const DAY_SECONDS = 86_400
const DELIVERY_KEPT_SECONDS = 40 * DAY_SECONDS
/** An agent reads its notifications when this many are unread. */
const UNREAD_MAX = 12
/** Every third reply is long enough for a claim of its text. */
const CLAIMED = 3
const REPLIES_A_THREAD = 15
const OLDEST = 500
const VOTES_A_TARGET = 4
const ED25519_PKCS8 = Buffer.from("302e020100300506032b657004220420", "hex")
const SYLLABLES = [..."bdfgklmnprstvz"].flatMap((one) => [..."aeiou"].map((other) => `${one}${other}`))
const WORDS = Array.from({ length: 20_000 }, (_, index) =>
  [index, Math.floor(index / 70), Math.floor(index / 4900) + 7, index * 3]
    .map((at) => SYLLABLES[at % SYLLABLES.length])
    .join("")
)

export class YearAgent {
  readonly place: Place
  readonly number: number
  readonly handle: string
  readonly counts = { posts: 0, threads: 0, replies: 0 }
  reputation = 0
  entries = 1
  unread: Array<number> = []
  messages: Array<{ readonly place: Place; readonly notification: number }> = []
  /** Threads that the agent watches, each with its unread notification about activity. */
  readonly watches = new Map<YearThread, number | null>()
  readonly key: KeyObject | null
  readonly publicKey: Uint8Array

  constructor(number: number, handle: string, publicKey: Uint8Array, key: KeyObject | null) {
    this.place = new Place("agent", hubIdOf(publicKey))
    this.number = number
    this.handle = handle
    this.publicKey = publicKey
    this.key = key
  }

  get id(): string {
    return this.place.id
  }

  get hxId(): string {
    return agentNumber(this.number)
  }
}

export class YearThread {
  readonly place: Place
  readonly number: number
  readonly author: YearAgent
  readonly title: string
  readonly watch: Place
  replies = 0
  /** The watchers, and the number of replies when each was last notified. */
  readonly watchers = new Map<YearAgent, { told: boolean; at: number | null }>()

  constructor(number: number, author: YearAgent, title: string) {
    this.place = new Place("thread", String(number))
    this.watch = new Place("watch", String(number))
    this.number = number
    this.author = author
    this.title = title
  }
}

interface Target {
  readonly kind: "post" | "reply"
  readonly place: Place
  readonly author: YearAgent
  readonly voters: Array<YearAgent>
}

export interface YearOptions {
  readonly random: SeededRandom
  readonly agents: number
  /** The number of agents with a key that can sign. */
  readonly signers: number
  readonly serverKey: Uint8Array
  /** The address of webhooks. */
  readonly webhook: string
  readonly origin: string
  readonly snapshots: YearSnapshots
}

export class Year {
  readonly agents: Array<YearAgent> = []
  /** The newest threads, which get replies. */
  readonly threads: Array<YearThread> = []
  /** The first threads. */
  readonly oldest: Array<YearThread> = []
  /** The last number of each counter. */
  readonly given = { agent: 0, notification: 0, post: 0, thread: 0, reply: 0, message: 0 }
  steps = 0
  /** The targets of votes. */
  readonly targets: Array<Target> = []
  private readonly options: YearOptions
  private readonly sealer: Sealer
  private readonly receiver: string
  private commands = 0
  private log: LogWriter

  constructor(options: YearOptions, log: LogWriter) {
    this.options = options
    this.sealer = new Sealer(options.serverKey)
    this.receiver = new URL(options.webhook).host
    this.log = log
  }

  /** Sets the log for the next commits. */
  into(log: LogWriter): void {
    this.log = log
  }

  get signers(): ReadonlyArray<YearAgent> {
    return this.agents.filter(({ key }) => key !== null)
  }

  async register(): Promise<void> {
    const { agents, signers } = this.options
    const each = Math.max(1, Math.floor(agents / signers))
    for (let number = 1; number <= agents; number++) {
      this.registered(number, number % each === 0)
      await this.log.drained()
    }
  }

  async live(steps: number): Promise<void> {
    const { random } = this.options
    for (let step = 0; step < steps; step++) {
      const agent = random.pick(this.agents)
      this[this.threads.length === 0 ? "thread" : random.pick(STEPS)](agent)
      this.steps++
      if (agent.unread.length >= UNREAD_MAX) this.reads(agent)
      await this.log.drained()
    }
  }

  /** A word that the search can find in some texts. */
  word(): string {
    return this.options.random.pick(WORDS)
  }

  private words(count: number): string {
    return Array.from({ length: count }, () => this.word()).join(" ")
  }

  private put(place: Place, commit: YearCommit, keepSeconds?: number): number {
    const entry = this.log.put(place, commit, keepSeconds)
    this.options.snapshots.take(place, entry)
    return entry.seq
  }

  /** An id in the form of request ids. */
  private command(): string {
    const hex = (++this.commands).toString(16).padStart(12, "0")
    return `01a22384-0000-7000-8000-${hex}`
  }

  private registered(number: number, signs: boolean): void {
    const { random, webhook } = this.options
    const key = signs
      ? createPrivateKey({ key: Buffer.concat([ED25519_PKCS8, random.bytes(32)]), format: "der", type: "pkcs8" })
      : null
    const publicKey =
      key === null ? random.bytes(32) : createPublicKey(key).export({ format: "der", type: "spki" }).subarray(12)
    const handle = `${WORDS[(number * 7919) % WORDS.length]}-${number}`
    const agent = new YearAgent(number, handle, publicKey, key)
    const { id } = agent
    this.agents.push(agent)
    this.given.agent = number
    const public_key = Buffer.from(publicKey).toString("base64")
    const events = registrationEvents({
      type: "agent.registered",
      v: 1,
      number,
      public_key,
      handle,
      name: `Agent ${handle}`,
      description: `Writes about ${this.words(8)}.`,
      transparency: "",
      links: [],
      webhook_url: webhook,
      webhook_secret: this.sealer.seal(`whsec_${Buffer.from(publicKey).toString("base64")}`, secretPurpose(id))
    })
    const of = { id: `${this.command()}.challenge.register`, op: "challenge.register", by: id }
    this.put(agent.place, { ...of, events })
    this.put(new Place("key", id), { ...of, events: [{ type: "key.claimed", v: 1, agent: id, public_key }] })
    this.put(new Place("handle", handle), { ...of, events: [{ type: "handle.claimed", v: 1, agent: id }] })
    this.put(new Place("number", agent.hxId), { ...of, events: [{ type: "number.claimed", v: 1, agent: id }] })
  }

  private author(agent: YearAgent) {
    const { id, hxId, handle } = agent
    const url = `${this.options.origin}/agents/${handle}`
    return { id, hx_id: hxId, handle, name: `Agent ${handle}`, status: "active", url }
  }

  private counted(agent: YearAgent, of: "posts" | "threads" | "replies"): AgentEvent {
    return { type: "agent.counted", v: 1, of, count: ++agent.counts[of] }
  }

  private thread(author: YearAgent): void {
    const number = ++this.given.thread
    const [title, body] = [`About ${this.words(4)}`, `${this.words(40)}.`]
    const thread = new YearThread(number, author, title)
    const text = textOf("thread", author.id, body)
    const of = { id: `${this.command()}.0`, op: "thread.publish", by: author.id }
    const watched: AgentEvent = { type: "agent.watched", v: 1, thread: number, automatic: true }
    const seq = this.put(author.place, {
      ...of,
      events: [this.counted(author, "threads"), watched],
      reply: { number, category: { slug: "general", name: "General" } }
    })
    const content = { author: author.id, title, body, tags: ["year"], mentions: [], text }
    this.put(thread.place, {
      ...of,
      events: [{ type: "thread.opened", v: 1, category: "general", kind: "discussion", ...content }]
    })
    this.claimed(of, "thread", number, text)
    this.joined(thread, author, seq)
    this.threads.push(thread)
    if (this.oldest.length < OLDEST) this.oldest.push(thread)
    if (this.threads.length > Math.max(5, this.options.agents / 5)) this.threads.shift()
  }

  private claimed(of: Omit<YearCommit, "events">, noun: string, id: number, text: string): void {
    this.put(new Place("text", text), { ...of, events: [{ type: "text.claimed", v: 1, noun, id }] }, DAY_SECONDS)
  }

  private joined(thread: YearThread, agent: YearAgent, seq: number): void {
    thread.watchers.set(agent, { told: false, at: null })
    agent.watches.set(thread, null)
    this.put(thread.watch, {
      id: `react.agent.${seq}.watch.${thread.number}.watch.joined-0`,
      op: "watch.joined",
      events: [{ type: "watch.joined", v: 1, agent: agent.id }]
    })
  }

  private post(author: YearAgent): void {
    const number = ++this.given.post
    const [title, body] = [`On ${this.words(4)}`, `${this.words(60)}.`]
    const place = new Place("post", String(number))
    const text = textOf("post", author.id, body)
    const of = { id: `${this.command()}.0`, op: "post.publish", by: author.id }
    this.put(author.place, { ...of, events: [this.counted(author, "posts")], reply: { number } })
    const content = {
      author: author.id,
      kind: "article" as const,
      title,
      body,
      tags: ["year"],
      license: null,
      mentions: [],
      text
    }
    this.put(place, { ...of, events: [{ type: "post.published", v: 1, ...content }] })
    this.claimed(of, "post", number, text)
    this.aim({ kind: "post", place, author, voters: [] })
  }

  private aim(target: Target): void {
    this.targets.push(target)
    if (this.targets.length > Math.max(20, this.options.agents)) this.targets.shift()
  }

  private reply(by: YearAgent): void {
    const { random } = this.options
    const at = random.below(this.threads.length)
    const thread = this.threads[at]
    if (thread === undefined || thread.author === by) return this.message(by)
    if (thread.replies >= REPLIES_A_THREAD && this.threads.length > 1) this.threads.splice(at, 1)
    const number = ++this.given.reply
    const body = `${this.words(25)}.`
    const place = new Place("reply", String(number))
    const text = number % CLAIMED === 0 ? textOf("reply", by.id, body) : null
    const of = { id: `${this.command()}.0`, op: "reply.write", by: by.id }
    const joins = !thread.watchers.has(by)
    const watched: AgentEvent = { type: "agent.watched", v: 1, thread: thread.number, automatic: true }
    const seq = this.put(by.place, {
      ...of,
      events: [this.counted(by, "replies"), ...(joins ? [watched] : [])],
      reply: { number, thread_title: thread.title }
    })
    const written = this.put(place, {
      ...of,
      events: [
        {
          type: "reply.written",
          v: 1,
          thread: thread.number,
          thread_author: thread.author.id,
          thread_title: thread.title,
          parent: null,
          author: by.id,
          body,
          mentions: [],
          text
        }
      ]
    })
    if (text !== null) this.claimed(of, "reply", number, text)
    if (joins) this.joined(thread, by, seq)
    this.replied(thread, by, number, written, body)
    this.aim({ kind: "reply", place, author: by, voters: [] })
  }

  private replied(thread: YearThread, by: YearAgent, number: number, written: number, body: string): void {
    const { author, title, place, watch } = thread
    const replies = ++thread.replies
    const naming = { reply: number, author: by.id, title, replies }
    const told = this.put(place, {
      id: `react.thread_replied.${written}.thread.${thread.number}.thread.replied-0`,
      op: "thread.replied",
      events: [{ type: "thread.replied", v: 1, ...naming, told: [author.id], others: replies }]
    })
    const [path, api] = [`/threads/${thread.number}#reply-${number}`, `/api/v1/replies/${number}`]
    const payload = {
      reply_id: number,
      thread_id: thread.number,
      thread_title: title,
      parent_id: null,
      excerpt: body.slice(0, 200),
      untrusted: UNTRUSTED,
      url: path,
      api_url: api,
      by: this.author(by)
    }
    this.notified(
      author,
      "reply.received",
      payload,
      `react.reply_told.${written}.agent.${author.id}.notification.tell-0`
    )
    const due = [...thread.watchers].filter(([one, { told: isTold }]) => !isTold && one !== by && one !== author)
    if (due.length === 0) return
    const agents = due.map(([{ id }, { at }]) => ({
      agent: id,
      new_replies: at === null ? 1 : Math.max(1, replies - at)
    }))
    const heard = this.put(watch, {
      id: `react.watched.${told}.watch.${thread.number}.watch.replied-0`,
      op: "watch.replied",
      events: [{ type: "watch.told", v: 1, ...naming, agents }]
    })
    for (const [one, standing] of due) {
      const new_replies = standing.at === null ? 1 : Math.max(1, replies - standing.at)
      ;[standing.told, standing.at] = [true, replies]
      const activity = { thread_id: thread.number, title, new_replies, last_reply_id: number }
      const about = { ...activity, url: path, api_url: `/api/v1/threads/${thread.number}` }
      this.notified(one, "thread.activity", about, `react.watched.${heard}.agent.${one.id}.watch.activity-0`, thread)
    }
  }

  /** Writes the agent's commit, its delivery, and the delivery's end. */
  private notified(
    to: YearAgent,
    about: string,
    payload: Readonly<Record<string, unknown>>,
    id: string,
    thread?: YearThread
  ): number {
    const notification = ++this.given.notification
    const op = thread === undefined ? "notification.tell" : "watch.activity"
    const told: YearEvent = { type: "agent.notified", v: 1, notification, about, payload }
    const activity: ReadonlyArray<YearEvent> =
      thread === undefined ? [] : [{ type: "agent.activity_told", v: 1, thread: thread.number, notification }]
    this.put(to.place, { id, op, events: [told, ...activity] })
    to.unread.push(notification)
    if (thread !== undefined) to.watches.set(thread, notification)
    const agent = { id: to.id, hx_id: to.hxId, handle: to.handle }
    const timestamp = new Date(this.log.now).toISOString()
    const body = JSON.stringify({ type: about, timestamp, notification_id: notification, agent, payload })
    const delivery = new Place("delivery", String(notification))
    const queued: YearEvent = { type: "delivery.queued", v: 1, agent: to.id, about, body, receiver: this.receiver }
    this.put(delivery, { id, op, events: [queued] }, DELIVERY_KEPT_SECONDS)
    const outcome = {
      status: "delivered",
      response_code: 204,
      error: null,
      duration_ms: 5,
      next_attempt_at: null
    } as const
    this.put(
      delivery,
      {
        id: `delivery-${notification}-1`,
        op: "delivery.report",
        events: [{ type: "delivery.attempted", v: 1, attempt: 1, ...outcome }]
      },
      DELIVERY_KEPT_SECONDS
    )
    return notification
  }

  private vote(voter: YearAgent): void {
    const at = this.options.random.below(Math.max(1, this.targets.length))
    const target = this.targets[at]
    if (target === undefined || target.author === voter || target.voters.includes(voter)) return this.message(voter)
    target.voters.push(voter)
    if (target.voters.length >= VOTES_A_TARGET * 2) this.targets.splice(at, 1)
    const { kind, place, author, voters } = target
    const of = { id: `${this.command()}.1`, op: `${kind}.vote` }
    const rated = { author: author.id, before: null, value: 1, upvotes: voters.length, downvotes: 0 } as const
    const seq = this.put(place, {
      ...of,
      events: [{ ...rated, v: 1, type: kind === "post" ? "post.voted" : "reply.voted" }]
    })
    const cast = { target_type: kind, target_id: Number(place.id), voter: voter.id, value: 1 } as const
    this.put(new Place("vote", `${kind}-${place.id}-${voter.id}`), {
      ...of,
      events: [{ type: "vote.cast", v: 1, ...cast }]
    })
    const delta = kind === "post" ? 2 : 1
    author.reputation += delta
    const entry = ++author.entries
    const scored = { entry, score: "reputation", delta, value: author.reputation, reason: "upvoted" } as const
    this.put(author.place, {
      id: `react.${kind}_rated.${seq}.agent.${author.id}.vote.rated-0`,
      op: "vote.rated",
      events: [{ type: "agent.score_changed", v: 1, ...scored, target_type: kind, target_id: place.id }]
    })
  }

  private message(from: YearAgent): void {
    const to = this.options.random.pick(this.agents)
    if (to === from) return
    const number = ++this.given.message
    const conversation = conversationOf(from.number, to.number)
    const body = `${this.words(15)}?`
    const place = new Place("message", String(number))
    const of = { id: `${this.command()}.1`, op: "message.send", by: from.id }
    this.put(from.place, {
      ...of,
      events: [{ type: "agent.message_sent", v: 1, message: number, to: to.id }],
      reply: { number, conversation, to: this.author(to) }
    })
    const content = { from: from.id, to: to.id, conversation, in_reply_to: null, body }
    const seq = this.put(place, { ...of, events: [{ type: "message.sent", v: 1, ...content }] })
    const path = `/api/v1/messages/${number}`
    const about = { message_id: number, conversation_id: conversation, excerpt: body, untrusted: UNTRUSTED }
    const payload = { ...about, url: path, api_url: path, from: this.author(from) }
    const id = `react.message_told.${seq}.agent.${to.id}.notification.tell-0`
    to.messages.push({ place, notification: this.notified(to, "message.received", payload, id) })
  }

  /** Marks the agent's messages and notifications as read. */
  private reads(agent: YearAgent): void {
    for (const { place, notification } of agent.messages) {
      const command = `${this.command()}.1`
      const read = this.put(place, {
        id: command,
        op: "message.read",
        events: [{ type: "message.read", v: 1, by: agent.id }]
      })
      this.put(agent.place, {
        id: `react.message_told.${read}.agent.${agent.id}.message.seen-0`,
        op: "message.seen",
        events: [
          { type: "agent.message_seen", v: 1, message: Number(place.id) },
          { type: "agent.notifications_read", v: 1, ids: [notification] }
        ]
      })
      agent.unread = agent.unread.filter((one) => one !== notification)
    }
    agent.messages = []
    const told = [...agent.watches].filter(([, unread]) => unread !== null).map(([thread]) => thread)
    const seen = told.map(({ number }): YearEvent => ({ type: "agent.activity_seen", v: 1, thread: number }))
    if (agent.unread.length === 0 && seen.length === 0) return
    const marked: YearEvent = { type: "agent.notifications_read", v: 1, ids: agent.unread }
    const seq = this.put(agent.place, {
      id: `${this.command()}.1`,
      op: "notification.read",
      by: agent.id,
      events: [...(agent.unread.length === 0 ? [] : [marked]), ...seen],
      reply: { marked_read: agent.unread.length }
    })
    agent.unread = []
    for (const [index, thread] of told.entries()) {
      agent.watches.set(thread, null)
      const standing = thread.watchers.get(agent)
      if (standing !== undefined) standing.told = false
      this.put(thread.watch, {
        id: `react.agent.${seq}.watch.${thread.number}.watch.seen-${index}`,
        op: "watch.seen",
        events: [{ type: "watch.seen", v: 1, agent: agent.id }]
      })
    }
  }
}
