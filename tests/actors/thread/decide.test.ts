/** What may become of a thread (contract 2, 19). */
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import {
  type AcceptFacts,
  decideAccept,
  decideDelete,
  decideReplied,
  decideReplyBack,
  decideReplyGone,
  decideStatus,
  takesReplies
} from "../../../actors/thread/decide.ts"
import { ratedThreads, threadNotifications } from "../../../actors/thread/reactions.ts"
import { ANNOUNCED_MAX, evolveThread, type ThreadEvent, type ThreadState } from "../../../actors/thread/state.ts"
import type { Decision } from "../../../actors/engine/definition.ts"
import { THREAD_STATUSES, type ThreadStatus } from "../../../schemas/thread/records.ts"

const AUTHOR = { agent: "author", operator: false }
const OTHER = { agent: "other", operator: false }
const OPERATOR = { agent: "moderator", operator: true }

const opened = {
  type: "thread.opened",
  v: 1,
  author: "author",
  category: "help",
  kind: "question",
  title: "One",
  body: "Text",
  tags: [],
  mentions: [],
  text: "t"
} as const satisfies ThreadEvent
const thread = evolveThread(null, opened, { at: 0 })
const folded = (state: ThreadState, decision: Decision<ThreadEvent>): ThreadState =>
  (decision.events ?? []).reduce((next: ThreadState, event) => evolveThread(next, event, { at: 1 }), state)
const writtenBy = (author: string | undefined): AcceptFacts | null =>
  author === undefined ? null : { author, counts: true, pair: null }
const BY_OTHER = writtenBy("other")
const codeOf = (decision: Decision<ThreadEvent>): string => ("refused" in decision ? decision.refused.code : "done")

test("an author reopens what he closed, and not what an operator did", () => {
  const closed = folded(thread, decideStatus(thread, { by: AUTHOR, status: "closed" }))
  expect(codeOf(decideStatus(closed, { by: AUTHOR, status: "open" }))).toBe("done")
  const moderated = folded(thread, decideStatus(thread, { by: OPERATOR, status: "closed" }))
  expect(codeOf(decideStatus(moderated, { by: AUTHOR, status: "open" }))).toBe("operator_required")
})

test("an announcement has no answer; nobody else accepts", () => {
  const announced = evolveThread(null, { ...opened, kind: "announcement" }, { at: 0 })
  const accept = (state: ThreadState, by = AUTHOR, facts: AcceptFacts | null = BY_OTHER) =>
    codeOf(decideAccept(state, { by, reply: 1, accepted: true }, { facts }))
  expect(accept(announced)).toBe("thread_status_conflict")
  expect(accept(thread, OTHER)).toBe("not_author")
  expect(accept(thread, AUTHOR, null)).toBe("not_found")
  expect(accept(thread, OPERATOR)).toBe("done")
})

test("an answer earns unless something stands between the two, and takes its place among what one gave the other", () => {
  const pair = { kind: "vote_pair", id: "author-other", expected: 0, events: [] }
  const accept = (facts: AcceptFacts, by = AUTHOR) => decideAccept(thread, { by, reply: 1, accepted: true }, { facts })
  const other = { author: "other", counts: true, pair }
  expect(accept(other)).toMatchObject({ events: [{ earns: true }], companions: [pair] })
  expect(accept({ ...other, counts: false, pair: null })).toMatchObject({ events: [{ earns: false }], companions: [] })
  expect(accept({ author: "author", counts: true, pair: null })).toMatchObject({ events: [{ earns: false }] })
  expect(accept({ ...other, author: "moderator" }, OPERATOR)).toMatchObject({ events: [{ earns: false }] })
})

test("an answer that another accepted is counted, whether it earns or not, until it is taken back", () => {
  const counted = (events: ReadonlyArray<ThreadEvent>) =>
    ratedThreads
      .follows("thread", { v: 1, id: "c", op: "o", at: 1, events }, { id: "1", seq: 5, at: 1 })
      .map(({ op, actor, input }) => [op, actor, (input as { readonly by?: number }).by ?? null])
  const facts = { author: "other", counts: false, pair: null }
  const accepting = decideAccept(thread, { by: AUTHOR, reply: 1, accepted: true }, { facts })
  expect(counted(accepting.events ?? [])).toEqual([["content.count", "other", 1]])
  const accepted = folded(thread, accepting)
  const taken = decideAccept(accepted, { by: AUTHOR, reply: 1, accepted: false }, { facts })
  expect(counted(taken.events ?? [])).toEqual([["content.count", "other", -1]])
  const own = decideAccept(thread, { by: AUTHOR, reply: 1, accepted: true }, { facts: { ...facts, author: "author" } })
  expect(counted(own.events ?? [])).toEqual([])
  const before = { reply: 1, author: "other", earns: false }
  expect(counted([{ type: "thread.unaccepted", v: 1, before }])).toEqual([])
})

test("an author is told once that a reply was accepted, however often that is taken back and done again", () => {
  const facts = writtenBy("helper")
  const tells = (decision: Decision<ThreadEvent>) =>
    threadNotifications.follows(
      "thread",
      { v: 1, id: "c", op: "o", at: 1, events: decision.events ?? [] },
      { id: "1", seq: 5, at: 1 }
    )
  const accept = (state: ThreadState, reply: number, accepted = true) =>
    decideAccept(state, { by: AUTHOR, reply, accepted }, { facts })
  const first = accept(thread, 1)
  expect(tells(first)).toMatchObject([{ actor: "helper", input: { about: "reply.accepted" } }])
  let state = folded(thread, first)
  state = folded(state, accept(state, 1, false))
  const again = accept(state, 1)
  expect(again.events).toMatchObject([{ type: "thread.accepted", reply: 1 }])
  expect(tells(again)).toEqual([])
  state = folded(state, again)
  const second = accept(state, 2)
  expect(tells(second)).toHaveLength(1)
  state = folded(state, second)
  expect(tells(accept(state, 1))).toEqual([])
  // A thread keeps so many. Of what comes after them nobody is told.
  for (let reply = 3; reply <= ANNOUNCED_MAX; reply++) state = folded(state, accept(state, reply))
  expect(state?.announced).toHaveLength(ANNOUNCED_MAX)
  expect(tells(accept(state, ANNOUNCED_MAX + 1))).toEqual([])
  expect(folded(state, accept(state, ANNOUNCED_MAX + 1))?.announced).toHaveLength(ANNOUNCED_MAX)
})

describe("an answer that is hidden", () => {
  const replied = folded(thread, decideReplied(thread, { reply: 1, author: "other", told: [] }))
  const solved = folded(replied, decideAccept(replied, { by: AUTHOR, reply: 1, accepted: true }, { facts: BY_OTHER }))
  const hidden = (state: ThreadState) =>
    folded(state, decideReplyGone(state, { reply: 1, author: "other", hidden: true }))
  const back = (state: ThreadState) => decideReplyBack(state, { reply: 1, author: "other", by: "moderator" })

  test("is accepted again when it is shown again, in a thread that was closed meanwhile too", () => {
    expect(hidden(solved)).toMatchObject({ status: "open", accepted: null, others: 0 })
    expect(folded(hidden(solved), back(hidden(solved)))).toMatchObject({ status: "solved", accepted: { reply: 1 } })
    const closed = hidden(folded(solved, decideStatus(solved, { by: AUTHOR, status: "closed" })))
    const shown = folded(closed, back(closed))
    expect(shown).toMatchObject({ status: "closed", accepted: { reply: 1 }, others: 1 })
    expect(folded(shown, decideStatus(shown, { by: AUTHOR, status: "open" }))).toMatchObject({ status: "solved" })
  })

  test("is logged as accepted again by who shows it, and its author is not told a second time", () => {
    const state = hidden(solved)
    const logged = (decision: Decision<ThreadEvent>) => decision.events?.at(-1)
    expect(logged(back(state))).toMatchObject({ type: "thread.accepted", by: "moderator", again: true })
    // As an older release asks, which does not say who.
    expect(logged(decideReplyBack(state, { reply: 1, author: "other" }))).toMatchObject({ by: "other", again: true })
    const told = (decision: Decision<ThreadEvent>) =>
      threadNotifications.follows(
        "thread",
        { v: 1, id: "c", op: "o", at: 1, events: decision.events ?? [] },
        { id: "1", seq: 5, at: 1 }
      )
    expect(told(back(state))).toEqual([])
    const accepted = decideAccept(replied, { by: OPERATOR, reply: 1, accepted: true }, { facts: BY_OTHER })
    expect(told(accepted)).toMatchObject([{ actor: "other", input: { about: "reply.accepted" } }])
  })

  test("is not where another is by then, nor where its thread is gone", () => {
    const gone = hidden(solved)
    const second = folded(gone, decideAccept(gone, { by: AUTHOR, reply: 2, accepted: true }, { facts: BY_OTHER }))
    expect(folded(second, back(second))).toMatchObject({ accepted: { reply: 2 }, hidden_answer: null })
    const removed = folded(gone, decideDelete(gone, { by: OPERATOR }, { id: "1", facts: null }))
    expect(back(removed).events).toMatchObject([{ type: "thread.reply_back" }])
  })
})

const caller = fc.constantFrom(AUTHOR, OTHER, OPERATOR)
const step = fc.oneof(
  fc.record({
    do: fc.constant("status" as const),
    by: caller,
    status: fc.constantFrom<ThreadStatus>(...THREAD_STATUSES)
  }),
  fc.record({
    do: fc.constant("accept" as const),
    by: caller,
    reply: fc.integer({ min: 1, max: 3 }),
    accepted: fc.boolean()
  }),
  fc.record({
    do: fc.constant("reply" as const),
    reply: fc.integer({ min: 1, max: 3 }),
    author: fc.constantFrom("author", "other")
  })
)

test("whatever is tried: solved means accepted, only operators lock and unlock, and counts are of what stands", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      let state = thread
      const standing = new Map<number, string>()
      for (const one of steps) {
        const before = state
        let decision: Decision<ThreadEvent>
        if (one.do === "status") decision = decideStatus(state, one)
        else if (one.do === "accept") decision = decideAccept(state, one, { facts: writtenBy(standing.get(one.reply)) })
        else if (standing.has(one.reply)) {
          const gone = { reply: one.reply, author: standing.get(one.reply) ?? "", hidden: false }
          standing.delete(one.reply)
          decision = decideReplyGone(state, gone)
        } else {
          standing.set(one.reply, one.author)
          decision = decideReplied(state, { ...one, told: [] })
        }
        state = folded(state, decision)
        if (state === null || before === null) throw new Error("a thread is never nothing again")
        if (state.status === "solved") expect(state.accepted).not.toBeNull()
        if (state.status === "open") expect(state.accepted).toBeNull()
        if (state.accepted !== null) expect(standing.get(state.accepted.reply)).toBe(state.accepted.author)
        if ((state.status === "locked") !== (before.status === "locked")) expect(one).toMatchObject({ by: OPERATOR })
        if (state.accepted !== before.accepted && one.do === "accept") expect(takesReplies(before)).toBe(true)
        expect(state.others).toBe([...standing.values()].filter((author) => author !== "author").length)
        const removal = decideDelete(state, { by: AUTHOR }, { id: "1", facts: null })
        expect(codeOf(removal)).toBe(state.others > 0 ? "thread_has_replies" : "done")
      }
    })
  )
})
