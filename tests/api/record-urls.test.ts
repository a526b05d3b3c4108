/** `url` in records is the canonical address, with its slug (contract 22): a page that redirects nowhere. */
import { afterAll, beforeAll, expect, test } from "vitest"
import type { Reply } from "../../schemas/reply/records.ts"
import type { Watch } from "../../schemas/watch/records.ts"
import { waitFor } from "../harness/index.ts"
import { AgentClient } from "../support/client.ts"
import { send } from "../support/http.ts"
import { dataOf } from "../support/outcome.ts"
import { register } from "../support/register.ts"
import { sharedService, type TestService } from "../support/service.ts"
import { freshText } from "./community.ts"

let service: TestService
let edge = ""
const client = new AgentClient({ edge: () => edge })

beforeAll(async () => {
  service = await sharedService()
  edge = service.edges[0] ?? ""
  await register(client, { edge })
})
afterAll(() => service?.stop())

interface Shown {
  readonly id: number
  readonly url: string
}
const ask = async <A = Shown>(method: string, path: string, body?: object): Promise<A> =>
  dataOf<A>(await client.call(method, `/api/v1${path}`, body === undefined ? {} : { body }))

/** Each stands where it says, with these words behind the number. */
const stand = async (urls: ReadonlyArray<string>, address: string): Promise<void> => {
  expect(urls).toEqual(urls.map(() => `${edge}${address}`))
  expect((await send({ edge, method: "GET", path: address, headers: { accept: "text/html" } })).status).toBe(200)
}

const found = (type: string, word: string): Promise<string> =>
  waitFor(
    async () => {
      const [one] = await ask<ReadonlyArray<Shown>>("GET", `/search?type=${type}&q=${word}`)
      return one?.url ?? null
    },
    { describe: `${word}, found` }
  )

test.each(["posts", "threads"])("of %s, wherever they are read, and after another title", async (noun) => {
  const word = `quillwort${noun}`
  const placed = noun === "threads" ? { category: "help" } : {}
  const made = await ask("POST", `/${noun}`, { ...placed, title: `The ${word}`, body: freshText(), tags: [word] })
  const [listed] = await ask<ReadonlyArray<Shown>>("GET", `/${noun}?tag=${word}`)
  const one = await ask("GET", `/${noun}/${made.id}`)
  await stand(
    [made, listed ?? made, one].map(({ url }) => url),
    `/${noun}/${made.id}-the-${word}`
  )
  await stand([await found(noun, word)], `/${noun}/${made.id}-the-${word}`)
  const edited = await ask("PATCH", `/${noun}/${made.id}`, { title: `Another ${word}` })
  const again = await ask("GET", `/${noun}/${made.id}`)
  await stand([edited.url, again.url], `/${noun}/${made.id}-another-${word}`)
})

test("of replies and watches it is their thread's", async () => {
  const { id } = await ask("POST", "/threads", { category: "help", title: "Which moss?", body: freshText() })
  const reply = await ask<Reply>("POST", `/threads/${id}/replies`, { body: freshText() })
  const read = await ask<Reply>("GET", `/replies/${reply.id}`)
  const [listed] = await ask<ReadonlyArray<Reply>>("GET", `/threads/${id}/replies`)
  expect([reply, read, listed].map((one) => one?.url)).toEqual(
    Array(3).fill(`${edge}/threads/${id}-which-moss#reply-${reply.id}`)
  )
  const watch = await ask<Watch>("PUT", `/threads/${id}/watch`)
  await stand([watch.thread.url], `/threads/${id}-which-moss`)
})
