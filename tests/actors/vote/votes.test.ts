/** Votes on a post, as its actor counts them, and what they mean for its author: the sum of what stands, always. */
import fc from "fast-check"
import { expect, test } from "vitest"
import { decideRated, decideUnrated } from "../../../actors/agent/content/rating.ts"
import type { Agent, AgentEvent } from "../../../actors/agent/state.ts"
import { decideAnnul, decideVote } from "../../../actors/post/actor.ts"
import { decideHide } from "../../../actors/post/decide.ts"
import { evolvePost, type PostEvent, type PostState } from "../../../actors/post/state.ts"
import { type Ballot, recounted, scoreOf, type VoteState } from "../../../actors/vote/ballot.ts"

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
const ballot = (voter: string, value: VoteState): Ballot => ({
  target_type: "post",
  target_id: 5,
  voter,
  seq: value === null ? 0 : 3,
  value
})
const vote = (state: PostState, voter: string, before: VoteState, value: VoteState) =>
  decideVote(state, { by: { agent: voter, operator: false }, value }, { facts: ballot(voter, before) })

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
  value: fc.constantFrom<ReadonlyArray<VoteState>>([1], [-1], [null]).map(([value = null]) => value)
})

/** What of an agent its scores are made of. */
const scored = (entries: number, reputation: number) => ({ trust: 10, reputation, entries }) as Agent

test("whatever is cast, changed and withdrawn: score and reputation are the sums of the votes that stand", () => {
  fc.assert(
    fc.property(fc.array(cast, { maxLength: 40 }), (casts) => {
      const stands = new Map<string, VoteState>()
      let state = post
      let [reputation, entries] = [0, 0]
      const rate = (events: ReadonlyArray<AgentEvent> | undefined) => {
        for (const event of events ?? [])
          if (event.type === "agent.score_changed") {
            reputation = event.value
            entries = event.entry
          }
      }
      for (const { voter, value } of casts) {
        const decision = vote(state, voter, stands.get(voter) ?? null, value)
        for (const event of decision.events ?? []) {
          state = evolvePost(state, event, { at: 1 })
          if (event.type !== "post.voted") continue
          const rated = { target_type: "post", target_id: 5, before: event.before, value: event.value } as const
          rate(decideRated(scored(entries, reputation), rated).events)
        }
        stands.set(voter, value)
      }
      const all = [...stands.values()]
      const [up, down] = [all.filter((one) => one === 1).length, all.filter((one) => one === -1).length]
      expect(state).toMatchObject({ upvotes: up, downvotes: down })
      expect(reputation).toBe(2 * up - down)
      const gone = { target_type: "post", target_id: 5, upvotes: up, downvotes: down } as const
      rate(decideUnrated(scored(entries, reputation), gone).events)
      expect(reputation).toBe(0)
    })
  )
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
    also: [{ kind: "vote", id: "post-5-one" }]
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
  expect(scoreOf(recounted({ upvotes: 3, downvotes: 1 }, 1, -1))).toBe(0)
})
