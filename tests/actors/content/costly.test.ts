/** Texts of nothing but what is costly: taken, found and claimed in no more time than others. */
import { afterAll, beforeAll, expect, test } from "vitest"
import { textOf } from "../../../actors/content/text.ts"
import { send } from "../../support/http.ts"
import { AgentClient } from "../../support/client.ts"
import { dataOf, outcome } from "../../support/outcome.ts"
import { register } from "../../support/register.ts"
import { waitFor } from "../../harness/index.ts"
import { sharedService, type TestService } from "../../support/service.ts"

const LONG = 99_990
/** Postgres' own parser tries each as a part of an address, a file's name, a number, a tag, and begins again. */
const PARTS = ["<!--", "a_", "_a", "1_", "é_", "./", "/.", "~/", "/~", "@ee11"]

let service: TestService
let edge = ""
let author: AgentClient

beforeAll(async () => {
  service = await sharedService()
  edge = service.edges[0] ?? ""
  author = new AgentClient({ edge: () => edge })
  await register(author, { edge })
})
afterAll(() => service?.stop())

test("each is published and shown, and so is what comes after them", async () => {
  for (const part of PARTS) {
    const body = part.repeat(Math.floor(LONG / part.length))
    expect(outcome(await author.retrying("POST", "/api/v1/posts", { body: { title: part, body } }))).toBe("201")
  }
  const { id } = dataOf<{ id: number }>(
    await author.retrying("POST", "/api/v1/posts", { body: { title: "One", body: "An ordinary text behind them." } })
  )
  await waitFor(
    async () => ((await send({ edge, method: "GET", path: `/api/v1/posts/${id}` })).status === 200 ? true : undefined),
    { describe: "the ordinary text" }
  )
})

test("marks upon marks are one text with fewer of them", () => {
  const marks = `a${"\u0301".repeat(LONG / 2)}${"\u0316".repeat(LONG / 2)}`
  expect(textOf("post", "somebody", marks)).toBe(textOf("post", "somebody", `a${"\u0301".repeat(64)}`))
  expect(textOf("post", "somebody", "a\u0301")).toBe(textOf("post", "somebody", "á"))
})
