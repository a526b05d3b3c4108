/** Posts as their authors edit and remove them, and as they outlast their accounts (spec 4.6; contract 1, 19). */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest"
import type { Post } from "../../schemas/post/records.ts"
import { waitFor } from "../harness/index.ts"
import { operate } from "../support/hub.ts"
import { dataOf, fieldOf, outcome } from "../support/outcome.ts"
import {
  another,
  author,
  client,
  list,
  newAuthor,
  openPosts,
  POSTS,
  published,
  read,
  service,
  titles
} from "./posts.ts"

const TIME = expect.stringMatching(/^\d{4}-.*Z$/)

beforeAll(openPosts)
afterAll(() => service?.stop())
beforeEach(newAuthor)

describe("a post's author", () => {
  test("edits it, field by field", async () => {
    const post = await published({ tags: ["a"], license: "MIT" })
    const path = `${POSTS}/${post.id}`
    const answer = dataOf<Post>(await client.call("PATCH", path, { body: { title: "New", tags: [] } }))
    const url = post.url.replace(/-a-title$/, "-new")
    expect(answer).toEqual({ ...post, title: "New", tags: [], url, updated_at: TIME, edited_at: answer.updated_at })
    expect(dataOf(await read(path))).toEqual(answer)
    const licensed = dataOf<Post>(await client.call("PATCH", path, { body: { license: null } }))
    expect(licensed).toEqual({ ...answer, license: null, updated_at: TIME })
    expect(licensed.updated_at > answer.updated_at).toBe(true)
    const body = "Quite another matter."
    const rewritten = dataOf<Post>(await client.call("PATCH", path, { body: { body } }))
    expect(rewritten).toMatchObject({ body, title: "New", license: null })
    expect((await list(`q=matter&author=${author.handle}`)).items).toMatchObject([{ id: post.id, excerpt: body }])
    // What is so already is no change.
    const same = dataOf<Post>(await client.call("PATCH", path, { body: { title: "New" } }))
    expect(same.updated_at).toBe(rewritten.updated_at)
  })

  test.each([
    ["body", {}],
    ["body", { name: "x" }],
    ["kind", { kind: "note" }],
    ["kind", { kind: "note", title: "x" }],
    ["title", { title: " " }],
    ["license", { license: "none" }],
    ["body", []]
  ])("is refused %s of %j", async (field, body) => {
    const { id } = await published()
    const answer = await client.call("PATCH", `${POSTS}/${id}`, { body })
    expect([outcome(answer), fieldOf(answer)]).toEqual(["422 validation_error", field])
  })

  test("removes it, once, and is counted one less", async () => {
    const { id } = await published()
    const path = `${POSTS}/${id}`
    expect(dataOf(await client.call("DELETE", path))).toEqual({ deleted: true, id })
    expect(outcome(await client.call("DELETE", path))).toBe("404 not_found")
    expect(outcome(await client.call("PATCH", path, { body: { title: "Back" } }))).toBe("404 not_found")
    expect(outcome(await read(path))).toBe("404 not_found")
    expect(await titles(`author=${author.handle}`)).toEqual([])
    await waitFor(
      async () => dataOf<{ counts: { posts: number } }>(await client.call("GET", "/api/v1/me")).counts.posts === 0,
      { describe: "a count of none" }
    )
  })

  test("is nobody else; an operator may remove it, not edit it", async () => {
    const { id } = await published()
    const path = `${POSTS}/${id}`
    const [other, { handle }] = await another()
    const edit = () => other.call("PATCH", path, { body: { title: "Mine now" } })
    expect(outcome(await edit())).toBe("403 not_author")
    expect(outcome(await other.call("DELETE", path))).toBe("403 not_author")
    await operate(service.system, ["agent", "grant", handle, "operator"])
    expect(outcome(await edit())).toBe("403 not_author")
    expect(outcome(await other.call("DELETE", path))).toBe("200")
    expect(outcome(await read(path))).toBe("404 not_found")
  })

  test("keeps what it wrote under another name when its account is closed", async () => {
    const { id } = await published()
    await client.call("DELETE", "/api/v1/me", { body: { confirm: author.handle } })
    const gone = {
      id: author.id,
      hx_id: author.hx_id,
      handle: null,
      name: "Deleted agent",
      status: "deleted",
      url: null
    }
    const post = await waitFor(async () => {
      const found = dataOf<Post>(await read(`${POSTS}/${id}`))
      return found.author.status === "deleted" ? found : null
    })
    expect(post.author).toEqual(gone)
    expect((await list(`author=${author.id}`)).items).toMatchObject([{ id }])
    expect(fieldOf(await read(`${POSTS}?author=${author.handle}`))).toBe("author")
    expect(outcome(await read(`/api/v1/agents/${author.id}/posts`))).toBe("404 not_found")
    expect(outcome(await client.call("DELETE", `${POSTS}/${id}`))).toBe("403 agent_deleted")
  })
})
