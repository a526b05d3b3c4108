/** What may become of a post. */
import fc from "fast-check"
import { expect, test } from "vitest"
import type { TextClaim } from "../../../actors/content/text.ts"
import { decideDelete, decideEdit } from "../../../actors/post/decide.ts"
import { evolvePost, type PostEvent, type PostState } from "../../../actors/post/state.ts"

const AUTHOR = { agent: "hx1", operator: false }
const OTHER = { agent: "hx2", operator: false }
const OPERATOR = { agent: "hx3", operator: true }
const CLAIM: TextClaim = { text: "t", seq: 3, held: { noun: "post", id: 5 } }

const published: PostEvent = {
  type: "post.published",
  v: 1,
  author: "hx1",
  kind: "note",
  title: "One",
  body: "Text",
  tags: ["a"],
  license: null,
  mentions: ["m1"],
  text: "t"
}
const post = evolvePost(null, published, { at: 1000 })
const fold = (state: PostState, events: ReadonlyArray<PostEvent>, at: number): PostState =>
  events.reduce((next, event) => evolvePost(next, event, { at }), state)

test("a change holds what is another, and moves the times that it concerns", () => {
  const edit = (change: Parameters<typeof decideEdit>[1]["change"]) =>
    decideEdit(post, { by: AUTHOR, change, mentions: [] })
  expect(edit({ title: "One", tags: ["a"], license: null })).toEqual({ events: [] })
  const licensed = edit({ license: "MIT", title: "One" }).events ?? []
  expect(licensed).toEqual([{ type: "post.edited", v: 1, license: "MIT", author: "hx1", mentions: [] }])
  expect(fold(post, licensed, 2000)).toMatchObject({ license: "MIT", updated_at: 2000, edited_at: null })
  const retitled = edit({ title: "Two" }).events ?? []
  expect(fold(post, retitled, 2000)).toMatchObject({
    title: "Two",
    updated_at: 2000,
    edited_at: 2000,
    created_at: 1000
  })
})

test("an edit names whom it did not name before, ten in all", () => {
  const many = Array.from({ length: 10 }, (_, at) => `m${at}`)
  const [edited] = decideEdit(post, { by: AUTHOR, change: { title: "Two" }, mentions: many }).events ?? []
  expect(edited).toMatchObject({ mentions: ["m0", ...many.slice(2)] })
  const again = fold(post, edited === undefined ? [] : [edited], 2000)
  expect(again?.mentioned).toHaveLength(10)
  expect(decideEdit(again, { by: AUTHOR, change: { title: "3" }, mentions: ["m11", "m1"] }).events).toMatchObject([
    { mentions: [] }
  ])
})

test("only its author edits it, only its author or an operator removes it, and once", () => {
  const change = { title: "Two" }
  for (const by of [OTHER, OPERATOR])
    expect(decideEdit(post, { by, change, mentions: [] })).toMatchObject({ refused: { code: "not_author" } })
  const remove = (by: typeof AUTHOR, state = post) => decideDelete(state, { by }, { id: "5", facts: CLAIM })
  expect(remove(OTHER)).toMatchObject({ refused: { code: "not_author" } })
  const removal = remove(OPERATOR)
  expect(removal).toMatchObject({
    events: [{ type: "post.deleted", author: "hx1", by: "hx3" }],
    companions: [{ kind: "text" }]
  })
  const gone = fold(post, removal.events as ReadonlyArray<PostEvent>, 2000)
  expect(remove(AUTHOR, gone)).toMatchObject({ refused: { code: "not_found" } })
  expect(decideEdit(gone, { by: AUTHOR, change, mentions: [] })).toMatchObject({ refused: { code: "not_found" } })
  expect(decideEdit(null, { by: AUTHOR, change, mentions: [] })).toMatchObject({ refused: { code: "not_found" } })
})

test("no sequence of events leaves a post half made", () => {
  const event = fc.constantFrom<PostEvent>(
    published,
    { type: "post.edited", v: 1, title: "Two", author: "hx1", mentions: ["m2"] },
    { type: "post.edited", v: 1, body: "Other", author: "hx1", mentions: [] },
    { type: "post.voted", v: 1, author: "hx1", before: null, value: 1, upvotes: 1, downvotes: 0 },
    { type: "post.deleted", v: 1, author: "hx1", by: "hx1", upvotes: 0, downvotes: 0, hidden: false }
  )
  fc.assert(
    fc.property(fc.array(event, { maxLength: 12 }), (events) => {
      const made = fold(null, events, 5)
      const begun = events.some(({ type }) => type === "post.published")
      expect(made === null).toBe(!begun)
      if (made !== null) expect(Object.values(made).includes(undefined as never)).toBe(false)
    })
  )
})
