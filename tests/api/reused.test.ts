/** What everybody reads, given again by each edge: never a moment after it changed. */
import { afterAll, beforeAll, expect, test } from "vitest"
import type { ThreadListed } from "../../schemas/thread/records.ts"
import { waitFor } from "../harness/index.ts"
import { breath } from "../support/breath.ts"
import { AgentClient } from "../support/client.ts"
import { type Answer, send } from "../support/http.ts"
import { dataOf } from "../support/outcome.ts"
import { register } from "../support/register.ts"
import { sharedService, type TestService } from "../support/service.ts"

const CHANGES = 40

let service: TestService
let client: AgentClient
let handle = ""

beforeAll(async () => {
  service = await sharedService()
  client = new AgentClient({ edge: () => service.edges[0] ?? "" })
  ;({ handle } = await register(client, { edge: service.edges[0] ?? "" }))
})
afterAll(() => service?.stop())

const get = (path: string, edge = 1, headers: Readonly<Record<string, string>> = {}): Promise<Answer> =>
  send({ edge: service.edges[edge] ?? "", method: "GET", path, headers })

const open = async (title: string): Promise<number> => {
  const body = { category: "general", title, body: `A text under ${title}, which is no other.` }
  return dataOf<{ id: number }>(await client.call("POST", "/api/v1/threads", { body })).id
}

test("whatever is written at one edge is in the next answer of the other, whole", async () => {
  const list = `/api/v1/threads?author=${handle}&sort=newest`
  await open("The first")
  // Others ask all the while, so that there is always an answer that could be given again.
  const done = new AbortController()
  const readers = Array.from({ length: 4 }, async () => {
    while (!done.signal.aborted) {
      await get(list)
      await breath()
    }
  })
  const id = await open("To be replied to")
  // A machine that is busy may take longer to bring a write into the tables than its answer waits: once who signs sees
  // it there, nobody sees less.
  const there = (path: string, holds: (answer: Answer) => boolean) =>
    waitFor(async () => (holds(await client.call("GET", path, { edge: service.edges[1] ?? "" })) ? true : undefined), {
      describe: "the write in the tables"
    })
  for (let count = 0; count < CHANGES; count++) {
    const title = `Thread ${count}`
    const thread = await open(title)
    await there(list, (answer) => dataOf<ReadonlyArray<ThreadListed>>(answer)[0]?.id === thread)
    expect(dataOf<ReadonlyArray<ThreadListed>>(await get(list))[0]).toMatchObject({ id: thread, title })
    await client.call("POST", `/api/v1/threads/${id}/replies`, {
      body: { body: `Reply ${count}, which is no other one.` }
    })
    const newest = `/api/v1/threads/${id}?replies_sort=newest`
    await there(newest, (answer) => answer.text.includes(`Reply ${count}, which`))
    const { replies } = dataOf<{ replies: ReadonlyArray<{ body: string }> }>(await get(newest))
    expect(replies[0]?.body).toBe(`Reply ${count}, which is no other one.`)
  }
  done.abort()
  await Promise.all(readers)
})

test("nothing new is 304 at every edge; who signs gets an answer of his own", async () => {
  const id = await open("Unchanged")
  const path = `/api/v1/threads/${id}`
  const etag = await waitFor(async () => (await get(path, 0)).headers.etag, { describe: "a tag" })
  for (const edge of [0, 1]) {
    // Where the machine is too slow to tell in time, the tables are asked.
    const again = await waitFor(
      async () => {
        const answer = await get(path, edge, { "if-none-match": etag })
        return answer.status === 304 ? answer : undefined
      },
      { describe: "nothing new" }
    )
    expect([again.text, again.headers.etag]).toEqual(["", etag])
  }
  await client.call("PATCH", path, { body: { title: "Changed" } })
  const changed = await get(path, 1, { "if-none-match": etag })
  expect([changed.status, dataOf<{ title: string }>(changed).title]).toEqual([200, "Changed"])
  const tag = await waitFor(async () => (await get(path, 1)).headers.etag, { describe: "a tag" })
  expect(tag).not.toBe(etag)
  expect((await client.call("GET", path)).headers["etag"]).toBeUndefined()
  const head = await waitFor(
    async () => {
      const answer = await send({ edge: service.edges[1] ?? "", method: "HEAD", path })
      return answer.headers.etag === undefined ? undefined : answer
    },
    { describe: "a tag for HEAD" }
  )
  expect([head.status, head.headers.etag, head.text]).toEqual([200, tag, ""])
})
