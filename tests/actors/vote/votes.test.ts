/** Votes on a post, as its actor counts them, and what they mean for its author: the sum of what stands, always. */
import fc from "fast-check"
import { expect, test } from "vitest"
import { decideRated, decideUnrated } from "../../../actors/agent/content/rating.ts"
import type { Agent, AgentEvent } from "../../../actors/agent/state.ts"
import { decideAnnul, decideVote } from "../../../actors/post/actor.ts"
import { decideHide } from "../../../actors/post/decide.ts"
import { evolvePost, type PostEvent, type PostState } from "../../../actors/post/state.ts"
import { type Ballot, countedOf, ratedBy, recast, scoreOf, type VoteState } from "../../../actors/content/ballot.ts"

const WHY = "voter_age" as const

const published: PostEvent = {
  type: "post.published",
  v: 1,
  author: "author",
  kind: "note",
  title: "One",
  body: "Text",
  tags: [],
  license: null,
  mentions: [],
  text: "t"
}
const post = evolvePost(null, published, { at: 0 })
const ballot = (voter: string, value: VoteState, counts = true): Ballot => ({
  target_type: "post",
  target_id: 5,
  voter,
  seq: value === null ? 0 : 3,
  value,
  counts
})
const vote = (
  state: PostState,
  voter: string,
  before: VoteState,
  value: VoteState,
  counts = { before: true, value: true }
) => {
  const facts = { ballot: ballot(voter, before, counts.before), why: counts.value ? null : WHY, pair: null }
  return decideVote(state, { by: { agent: voter, operator: false }, value }, { facts })
}

test("nobody votes on what is his own, or is not there", () => {
  expect(vote(post, "author", null, 1)).toMatchObject({ refused: { code: "vote_own_content" } })
  const gone = evolvePost(
    post,
    { type: "post.deleted", v: 1, author: "author", by: "author", upvotes: 0, downvotes: 0, hidden: false },
    { at: 1 }
  )
  expect(vote(gone, "one", null, 1)).toMatchObject({ refused: { code: "not_found" } })
  expect(vote(null, "one", null, 1)).toMatchObject({ refused: { code: "not_found" } })
})

test("what an author never cast he may withdraw", () => {
  expect(vote(post, "author", null, null)).toEqual({ events: [] })
})

test("the same vote again is no change", () => {
  expect(vote(post, "one", 1, 1)).toEqual({ events: [] })
  expect(vote(post, "one", null, null)).toEqual({ events: [] })
})

const VOTERS = ["one", "two", "three"]
const cast = fc.record({
  voter: fc.constantFrom(...VOTERS),
  value: fc.constantFrom<ReadonlyArray<VoteState>>([1], [-1], [null]).map(([value = null]) => value),
  counts: fc.boolean()
})

/** What of an agent its scores are made of. */
const scored = (entries: number, reputation: number) => ({ trust: 10, trust_sum: 10, reputation, entries }) as Agent

test("whatever is cast, changed and withdrawn: all that stands is in the score, and what counts in the reputation", () => {
  fc.assert(
    fc.property(fc.array(cast, { maxLength: 40 }), (casts) => {
      const stands = new Map<string, { readonly value: VoteState; readonly counts: boolean }>()
      let state = post
      let [reputation, entries] = [0, 0]
      const rate = (events: ReadonlyArray<AgentEvent> | undefined) => {
        for (const event of events ?? [])
          if (event.type === "agent.score_changed") {
            reputation = event.value
            entries = event.entry
          }
      }
      for (const { voter, value, counts } of casts) {
        const before = stands.get(voter) ?? { value: null, counts: true }
        // A withdrawal is judged by nobody.
        const now = { value, counts: value === null || counts }
        const decision = vote(state, voter, before.value, value, { before: before.counts, value: now.counts })
        for (const event of decision.events ?? []) {
          state = evolvePost(state, event, { at: 1 })
          if (event.type !== "post.voted") continue
          const change = ratedBy(event)
          if (change !== null)
            rate(decideRated(scored(entries, reputation), { target_type: "post", target_id: 5, ...change }).events)
        }
        if (before.value !== value) stands.set(voter, now)
      }
      const all = [...stands.values()]
      const number = (of: VoteState, counted: boolean) =>
        all.filter(({ value, counts }) => value === of && (counts || !counted)).length
      expect(state).toMatchObject({ upvotes: number(1, false), downvotes: number(-1, false) })
      if (state === null) throw new Error("no post")
      expect(countedOf(state)).toEqual({ upvotes: number(1, true), downvotes: number(-1, true) })
      expect(reputation).toBe(2 * number(1, true) - number(-1, true))
      const gone = { target_type: "post", target_id: 5, ...countedOf(state) } as const
      rate(decideUnrated(scored(entries, reputation), gone).events)
      expect(reputation).toBe(0)
    })
  )
})

test("a vote that does not count says so in versions of its own, and a log without them counts all", () => {
  const young = vote(post, "one", null, 1, { before: true, value: false })
  expect(young).toMatchObject({
    events: [{ v: 3, upvotes: 1, counted: { upvotes: 0, downvotes: 0 }, counts: { before: true, value: false } }],
    companions: [{ events: [{ type: "vote.cast", v: 2, why: WHY }] }]
  })
  const old = evolvePost(
    post,
    { type: "post.voted", v: 1, author: "author", before: null, value: 1, upvotes: 1, downvotes: 0 },
    { at: 1 }
  )
  const hidden = decideHide(old, { by: { agent: "op", operator: true }, hidden: true, reason: null })
  expect(hidden.events?.[0]).not.toHaveProperty("counted")
})

test("while it is hidden, a banned agent's vote goes out of its tally alone, and it comes back without", () => {
  const hide = (hidden: boolean) => ({ by: { agent: "op", operator: true }, hidden, reason: null })
  const taken = (state: PostState, events: ReadonlyArray<PostEvent> | undefined) =>
    (events ?? []).reduce((next, event) => evolvePost(next, event, { at: 1 }), state)
  const votedOn = (["one", "two"] as const).reduce(
    (state, voter) => taken(state, vote(state, voter, null, 1).events),
    post
  )
  const hidden = taken(votedOn, decideHide(votedOn, hide(true)).events)
  const annulled = decideAnnul(hidden, { voter: "one" }, { facts: ballot("one", 1) })
  expect(annulled).toMatchObject({
    events: [{ type: "post.voted", v: 2, before: 1, value: null, upvotes: 1, downvotes: 0, withheld: true }],
    reply: { annulled: true },
    companions: [{ kind: "vote", id: "post-5-one" }]
  })
  const after = taken(hidden, annulled.events)
  expect(decideAnnul(after, { voter: "one" }, { facts: ballot("one", null) })).toMatchObject({ events: [] })
  expect(decideHide(after, hide(false))).toMatchObject({
    events: [{ type: "post.restored", upvotes: 1, downvotes: 0 }]
  })
  const [seen] = decideAnnul(votedOn, { voter: "one" }, { facts: ballot("one", 1) }).events ?? []
  expect(seen).not.toHaveProperty("withheld")
})

test("a tally counts each voter once", () => {
  const counts = { before: true, value: true }
  expect(scoreOf(recast({ upvotes: 3, downvotes: 1 }, { before: 1, value: -1, counts }))).toBe(0)
})
