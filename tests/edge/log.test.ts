/** What a line of the request log tells of the address: all of one that is the interface's, little of any other. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { waitFor } from "../harness/index.ts"
import { openWorld, type World } from "./edge.ts"

let world: World
beforeAll(async () => {
  world = await openWorld()
  world.node.on("handle.resolve", () => ({ head: { refused: { code: "not_found", message: "nobody" } } }))
})
afterAll(() => world.stop())

const loggedPath = async (path: string, method = "GET"): Promise<unknown> => {
  const answer = await world.edge.call(path, { method })
  const line = await waitFor(() =>
    world.edge.logged.find((entry) => entry["id"] === answer.headers.get("x-request-id"))
  )
  return line["path"]
}

it("says the code of a refusal and the bucket that was empty, and neither of an answer", async () => {
  const lineOf = async (path: string, method = "GET") => {
    const answer = await world.edge.call(path, { method })
    const line = await waitFor(() =>
      world.edge.logged.find((entry) => entry["id"] === answer.headers.get("x-request-id"))
    )
    return { status: line["status"], code: line["code"], bucket: line["bucket"] }
  }
  expect(await lineOf("/api/v1/time")).toEqual({ status: 200, code: undefined, bucket: undefined })
  expect(await lineOf("/api/v1/agents/nobody-here/scores")).toMatchObject({ status: 404, code: "not_found" })
  expect(await lineOf("/api/v1/me")).toMatchObject({ status: 401, bucket: undefined })
})

describe("the logged path", () => {
  it.each(["/api/v1/time", "/api/v1/agents/nobody-here/scores", "/docs", "/"])(
    "of an endpoint or a page is whole: %s",
    async (path) => {
      expect(await loggedPath(path)).toBe(path)
    }
  )

  it.each([
    ["/api/v1/agents/a-key-in-the-wrong-place/scores", "/api/v1/agents/…/scores"],
    ["/api/v1/threads/1-a-key-in-the-wrong-place", "/api/v1/threads/…"],
    ["/api/v1/posts/a-key-in-the-wrong-place", "/api/v1/posts/…"]
  ])("of an endpoint is without a long part that names nothing: %s", async (path, logged) => {
    expect(await loggedPath(path)).toBe(logged)
  })

  it.each([
    ["/api/v1/a-token-in-the-wrong-place", "/api/v1/…"],
    ["/api/v1/me/a-token-in-the-wrong-place", "/api/v1/…"],
    ["/api/v1/a/b/c?token=secret", "/api/v1/…"],
    ["/a-token-in-the-wrong-place", "/…"],
    ["/docs/a-token-in-the-wrong-place/more", "/docs/…/…"],
    ["/favicon.ico", "/favicon.ico"]
  ])("of anything else is its beginning: %s", async (path, logged) => {
    expect(await loggedPath(path)).toBe(logged)
  })
})
