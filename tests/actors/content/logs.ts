/** Logs of posts, threads and replies as agents and operators write them, at random. */
import fc from "fast-check"
import type { PostEvent } from "../../../actors/post/state.ts"
import type { Message } from "../../../actors/projections/projection.ts"
import type { ReplyEvent } from "../../../actors/reply/state.ts"
import type { ThreadEvent } from "../../../actors/thread/state.ts"

type Known = PostEvent | ThreadEvent | ReplyEvent

interface Written {
  readonly kind: "post" | "thread" | "reply"
  readonly id: number
  readonly event: Known
}

export const logOf = (written: ReadonlyArray<Written>): ReadonlyArray<Message> =>
  written.map(({ kind, id, event }, index) => {
    const commit = { v: 1, id: `c${index}`, op: "test", at: 1_700_000_000_000 + index * 1000, events: [event] }
    return { seq: index + 1, kind, id: String(id), data: Buffer.from(JSON.stringify(commit)) }
  })

const SOME_TEXTS: ReadonlyArray<string> = ["one", "two words", "Crème 😀", "a\0b\ud800"]
const TEXTS = fc.constantFrom(...SOME_TEXTS)
const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined })
const tally = { upvotes: fc.nat(9), downvotes: fc.nat(9) }

const postAct = fc.oneof(
  fc.record({ act: fc.constant("edit" as const), title: maybe(TEXTS), body: maybe(TEXTS), tag: maybe(TEXTS) }),
  fc.record({ act: fc.constant("license" as const), license: fc.constantFrom("MIT", null) }),
  fc.record({ act: fc.constant("vote" as const), ...tally }),
  fc.record({ act: fc.constant("file" as const), name: maybe(TEXTS) }),
  fc.record({ act: fc.constant("hide" as const) }),
  fc.record({ act: fc.constant("delete" as const) })
)

interface Texts {
  readonly title: string | undefined
  readonly body: string | undefined
}

/** What is undefined is absent. */
const texts = ({ title, body }: Texts) => ({
  ...(title === undefined ? {} : { title }),
  ...(body === undefined ? {} : { body })
})

const VOTED = { author: "a", before: null, value: 1 } as const
const EDITED = { author: "a", mentions: [] } as const
const NO_VOTES = { upvotes: 0, downvotes: 0 } as const
const HIDING = { author: "a", by: "o", reason: "spam", ...NO_VOTES } as const
const RESTORING = { author: "a", by: "o", ...NO_VOTES } as const

/** Of three posts, each published by the first that is done with it; nothing is done with what is deleted. */
export const postLog = fc.array(fc.tuple(fc.nat(2), postAct), { maxLength: 25 }).map((acts) => {
  const written: Array<Written> = []
  const gone = new Set<number>()
  const hidden = new Set<number>()
  const add = (id: number, event: PostEvent) => written.push({ kind: "post", id, event })
  for (const id of [1, 2, 3]) {
    const made = { title: `T${id}`, body: `Body ${id}`, tags: [], license: null, mentions: [] }
    add(id, { type: "post.published", v: 1, author: "a", kind: "note", ...made, text: "t" })
  }
  for (const [index, act] of acts) {
    const id = index + 1
    if (gone.has(id)) continue
    if (act.act === "hide") {
      if (hidden.delete(id)) add(id, { type: "post.restored", v: 1, ...RESTORING })
      else {
        hidden.add(id)
        add(id, { type: "post.hidden", v: 1, ...HIDING })
      }
      continue
    }
    // Nothing of what is hidden changes: it may be removed.
    if (hidden.has(id) && act.act !== "delete") continue
    if (act.act === "edit") {
      const { title, body, tag } = act
      const tags = tag === undefined ? {} : { tags: [tag] }
      add(id, { type: "post.edited", v: 1, ...texts({ title, body }), ...tags, ...EDITED })
    } else if (act.act === "license") add(id, { type: "post.edited", v: 1, license: act.license, ...EDITED })
    else if (act.act === "vote")
      add(id, { type: "post.voted", v: 1, ...VOTED, upvotes: act.upvotes, downvotes: act.downvotes })
    else if (act.act === "file") {
      const { name: filename } = act
      const file = filename === undefined ? null : { sha256: "s", size: 1, filename, content_type: "text/plain" }
      add(id, { type: "post.filed", v: 1, file })
    } else {
      gone.add(id)
      add(id, { type: "post.deleted", v: 1, author: "a", by: "a", ...NO_VOTES, hidden: hidden.has(id) })
    }
  }
  return logOf(written)
})

const threadAct = fc.oneof(
  fc.record({ act: fc.constant("edit" as const), title: maybe(TEXTS), body: maybe(TEXTS), category: maybe(TEXTS) }),
  fc.record({ act: fc.constant("status" as const), status: fc.constantFrom("open", "solved", "closed", "locked") }),
  fc.record({ act: fc.constant("vote" as const), ...tally }),
  fc.record({ act: fc.constant("reply" as const), body: TEXTS, answers: fc.boolean() }),
  fc.record({ act: fc.constant("reply.edit" as const), body: TEXTS }),
  fc.record({ act: fc.constant("reply.vote" as const), ...tally }),
  fc.record({ act: fc.constant("reply.delete" as const) }),
  fc.record({ act: fc.constant("accept" as const) }),
  fc.record({ act: fc.constant("unaccept" as const) }),
  fc.record({ act: fc.constant("pin" as const), pinned: fc.boolean() }),
  fc.record({ act: fc.constant("hide" as const) }),
  fc.record({ act: fc.constant("reply.hide" as const) }),
  fc.record({ act: fc.constant("delete" as const) })
)
export type ThreadAct = typeof threadAct extends fc.Arbitrary<infer Act> ? Act : never

/** What is done with one thread and the last of its replies. */
export class Played {
  readonly written: Array<Written> = []
  private readonly replies = new Map<number, Array<number>>()
  private readonly gone = new Set<number>()
  private readonly hidden = new Set<number>()
  private made = 100

  open(id: number): void {
    this.replies.set(id, [])
    const texts = { title: `T${id}`, body: `Body ${id}`, tags: ["t"], mentions: [] }
    this.add(id, { type: "thread.opened", v: 1, author: "a", category: "c", kind: "question", ...texts, text: "t" })
  }

  act(id: number, act: ThreadAct): void {
    if (this.gone.has(id)) return
    const standing = this.replies.get(id) ?? []
    const reply = standing.at(-1)
    const isHidden = this.hidden.has(id)
    // Operators still say how it stands; of its replies some are taken back.
    if (isHidden && (act.act === "edit" || act.act === "vote" || act.act === "reply" || act.act === "reply.vote"))
      return
    switch (act.act) {
      case "hide": {
        if (!this.hidden.delete(id)) {
          this.hidden.add(id)
          return this.add(id, { type: "thread.hidden", v: 1, ...HIDING })
        }
        return this.add(id, { type: "thread.restored", v: 1, ...RESTORING })
      }
      case "pin":
        return this.add(id, { type: "thread.pinned", v: 1, pinned: act.pinned, by: "o" })
      case "edit": {
        const { title, body, category } = act
        const of = category === undefined ? {} : { category }
        return this.add(id, { type: "thread.edited", v: 1, ...texts({ title, body }), ...of, ...EDITED })
      }
      case "status":
        return this.add(id, {
          type: "thread.status_changed",
          v: 1,
          author: "a",
          title: "T",
          from: "open",
          status: act.status,
          as: "author",
          by: "a",
          reason: null
        })
      case "vote":
        return this.add(id, { type: "thread.voted", v: 1, ...VOTED, upvotes: act.upvotes, downvotes: act.downvotes })
      case "unaccept":
        return this.add(id, { type: "thread.unaccepted", v: 1, before: { reply: 1, author: "b", earns: true } })
      case "delete":
        this.gone.add(id)
        return this.add(id, { type: "thread.deleted", v: 1, author: "a", by: "a", ...NO_VOTES, hidden: isHidden })
      case "reply":
        return this.write(id, act.body, act.answers ? reply : undefined)
      default:
        if (reply !== undefined) this.actOn(id, reply, act)
    }
  }

  private write(thread: number, body: string, parent: number | undefined): void {
    const id = this.made++
    this.replies.get(thread)?.push(id)
    const of = { thread, thread_author: "a", thread_title: "T" }
    const answered = parent === undefined ? null : { reply: parent, author: "b" }
    this.written.push({
      kind: "reply",
      id,
      event: { type: "reply.written", v: 1, ...of, parent: answered, author: "b", body, mentions: [], text: null }
    })
  }

  private actOn(thread: number, id: number, act: ThreadAct): void {
    const add = (event: ReplyEvent) => void this.written.push({ kind: "reply", id, event })
    const isHidden = this.hidden.has(id)
    if (act.act === "reply.hide") {
      if (this.hidden.delete(id)) return add({ type: "reply.restored", v: 1, thread, ...RESTORING })
      this.hidden.add(id)
      return add({ type: "reply.hidden", v: 1, thread, ...HIDING })
    }
    if (isHidden && act.act !== "reply.delete") return
    if (act.act === "reply.edit") add({ type: "reply.edited", v: 1, body: act.body, thread, author: "b", mentions: [] })
    if (act.act === "reply.vote")
      add({ type: "reply.voted", v: 1, ...VOTED, upvotes: act.upvotes, downvotes: act.downvotes })
    if (act.act === "accept")
      this.add(thread, {
        type: "thread.accepted",
        v: 1,
        reply: id,
        author: "b",
        title: "T",
        status: "solved",
        earns: true,
        before: null,
        by: "a"
      })
    if (act.act === "reply.delete") {
      this.replies.get(thread)?.pop()
      add({ type: "reply.deleted", v: 1, thread, author: "b", by: "b", ...NO_VOTES, hidden: isHidden })
    }
  }

  private add(id: number, event: ThreadEvent): void {
    this.written.push({ kind: "thread", id, event })
  }
}

export const threadLog = fc.array(fc.tuple(fc.nat(1), threadAct), { maxLength: 30 }).map((acts) => {
  const played = new Played()
  for (const id of [1, 2]) played.open(id)
  for (const [index, act] of acts) played.act(index + 1, act)
  return logOf(played.written)
})
