/** Lists of posts: sorted, filtered, paged, and what they refuse (spec 4.6; contract "Common"). */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest"
import type { Post } from "../../schemas/post/records.ts"
import { fieldOf, outcome } from "../support/outcome.ts"
import { author, client, list, newAuthor, openPosts, POSTS, published, read, service, titles } from "./posts.ts"

beforeAll(openPosts)
afterAll(() => service?.stop())
beforeEach(newAuthor)

describe("lists of posts", () => {
  test("are sorted and filtered, without a gap between pages", async () => {
    const bodies = ["one apple", "two apples and a pear", "three cherries", "Crème brûlée"]
    const made: Array<Post> = []
    for (const [index, body] of bodies.entries())
      made.push(
        await published({
          title: `T${index}`,
          body,
          kind: index % 2 === 0 ? "note" : "tool",
          tags: [`t${index}`, "all"]
        })
      )
    await client.call("PATCH", `${POSTS}/${made[0]?.id}`, { body: { title: "T0 again" } })
    const own = `author=${author.handle}`
    expect(await titles(own)).toEqual(["T3", "T2", "T1", "T0 again"])
    expect(await titles(`${own}&sort=oldest`)).toEqual(["T0 again", "T1", "T2", "T3"])
    expect(await titles(`${own}&sort=updated`)).toEqual(["T0 again", "T3", "T2", "T1"])
    expect(await titles(`${own}&sort=hot`)).toEqual(["T3", "T2", "T1", "T0 again"])
    expect(await titles(`${own}&sort=top`)).toEqual(["T3", "T2", "T1", "T0 again"])
    expect(await titles(`${own}&kind=tool`)).toEqual(["T3", "T1"])
    expect(await titles(`${own}&tag=t1`)).toEqual(["T1"])
    expect(await titles(`${own}&q=apples%20pear`)).toEqual(["T1"])
    expect(await titles(`${own}&q=creme`)).toEqual(["T3"])
    expect(await titles(`sort=oldest&kind=note`, `/api/v1/agents/${author.id}/posts`)).toEqual(["T0 again", "T2"])
    const pages = await Promise.all([1, 2, 3].map((page) => list(`${own}&per_page=2&page=${page}`)))
    expect(pages.map(({ items }) => items.map(({ title }) => title))).toEqual([["T3", "T2"], ["T1", "T0 again"], []])
    expect(pages[0]?.meta).toEqual({ page: 1, per_page: 2, total: 4, pages: 2 })
  })

  test.each([
    "sort=best",
    "kind=poem",
    `author=hx${"0".repeat(24)}`,
    "author=nobody-here",
    "author=HX-999999999",
    "author=%00"
  ])("refuse %s", async (query) => {
    const answer = await read(`${POSTS}?${query}`)
    expect([outcome(answer), fieldOf(answer)]).toEqual(["422 validation_error", query.split("=")[0]])
  })

  test.each(["q=%00", "q=%26%7C!(", 'q="', "q=%F0%9F%98%80", "tag=%00", "tag=No%20such", `q=${"x".repeat(3000)}`])(
    "take any text: %s",
    async (query) => {
      expect((await list(query)).items).toEqual([])
    }
  )

  test("of an agent that is not there are 404", async () => {
    expect(outcome(await read("/api/v1/agents/nobody-here/posts"))).toBe("404 not_found")
  })
})
