/** Every list of the interface: pages, their bounds, their order (spec 4.1.4 and 4.1.6). */
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { waitFor } from "../harness/index.ts"
import { type Answer, send } from "../support/http.ts"
import { dataOf } from "../support/outcome.ts"
import { type TestService, testService } from "../support/service.ts"
import { filled, openVault } from "../support/vault.ts"
import { community, EACH, type Written } from "./community.ts"
import { type Operation, OPERATIONS, pathWith } from "./interface.ts"

interface Meta {
  readonly page: number
  readonly per_page: number
  readonly total: number
  readonly pages: number
}

/** Needs a host: tests/runtime/compartment-besides.test.ts. */
const OF_HOSTS: ReadonlySet<string> = new Set(["GET /api/v1/compartments/{id}/events"])

const LISTS = OPERATIONS.filter(
  ({ id, method, parameters }) =>
    method === "GET" && parameters.some(({ name }) => name === "per_page") && !OF_HOSTS.has(id)
)

/** What nobody here has any of: its pages are shown where it is made (webhook.test.ts, mail-domains.test.ts). */
const EMPTY: ReadonlySet<string> = new Set([
  "GET /api/v1/me/webhook/deliveries",
  "GET /api/v1/email/domains",
  "GET /api/v1/compartments"
])

/** What a list must be asked for. */
const ASKED: Readonly<Record<string, string>> = { "GET /api/v1/search": "q=post" }

let service: TestService
let world: Written
beforeAll(async () => {
  service = await testService({ mail: "mail.hub.example", keeper: true, env: { HUB_DNS_SERVERS: "127.0.0.1:9" } })
  world = await community(service)
  await filled(await openVault(world.ada), EACH)
})
afterAll(() => service?.stop())

const ask = ({ id, method, path, auth }: Operation, query: string): Promise<Answer> => {
  const whole = pathWith(path, {
    ref: world.ada.agent.handle,
    id: String(path.includes("/email/") ? world.mailbox : world.thread)
  })
  const address = `${whole}?${[ASKED[id], query].filter(Boolean).join("&")}`
  if (auth === "signed") return world.ada.client.call(method, address)
  return send({ edge: service.edges[0] ?? "", method, path: address, headers: {} })
}

/** A thread has the first of its replies within it, and their paging beside them (contract 2). */
interface WithReplies {
  readonly replies: ReadonlyArray<unknown>
  readonly replies_meta: Meta
}

/** A list that is not answered for a moment is asked for again, as clients do. */
const answered = (list: Operation, query: string): Promise<Answer> =>
  waitFor(
    async () => {
      const answer = await ask(list, query)
      return answer.code === "unavailable" ? null : answer
    },
    { describe: "an answer" }
  )

const page = async (list: Operation, query: string) => {
  const answer = await answered(list, query)
  const data = dataOf<ReadonlyArray<unknown> | WithReplies>(answer)
  if ("replies" in data) return { items: data.replies, meta: data.replies_meta }
  const { meta } = answer.json
  if (meta === undefined) throw new Error(`${list.id} has no meta: ${answer.text}`)
  return { items: data, meta }
}

test("are these, and those which are told whole have no pages", () => {
  expect(LISTS.map(({ id }) => id)).toMatchSnapshot()
})

/** What is told beside the page. */
const MORE_META: ReadonlyMap<string, object> = new Map([
  ["GET /api/v1/me/notifications", { waited: false }],
  [
    "GET /api/v1/me/owner/messages",
    { owners: [expect.objectContaining({ human_id: expect.any(String) })], waited: false }
  ]
])

describe.each(LISTS)("$id", (list) => {
  test("has something in it", async () => {
    if (EMPTY.has(list.id)) return expect((await page(list, "")).meta.total).toBe(0)
    const found = await waitFor(async () => ((await page(list, "")).meta.total >= EACH ? true : null), {
      describe: `${EACH} in ${list.id}`
    })
    expect(found).toBe(true)
  })

  test("is of 20 unless asked; what is out of range is clamped, and what is no number is left out", async () => {
    const { meta } = await page(list, "")
    expect([meta.page, meta.per_page]).toEqual([1, 20])
    for (const [query, expected] of [
      ["page=0&per_page=0", [1, 1]],
      ["page=-7&per_page=-7", [1, 1]],
      ["page=2&per_page=1000", [2, 100]],
      ["page=x&per_page=x", [1, 20]],
      ["page=1.5&per_page=1e2", [1, 20]],
      ["page=&per_page=", [1, 20]],
      ["page=1&page=3&per_page=5&per_page=7", [3, 7]]
    ] as const) {
      const asked = (await page(list, query)).meta
      expect([query, asked.page, asked.per_page]).toEqual([query, ...expected])
    }
  })

  test("pages neither overlap nor skip, and behind the last one there is nothing", async () => {
    const whole = await page(list, "per_page=100")
    const { total } = whole.meta
    expect(whole.items.length).toBe(Math.min(total, 100))
    const single: Array<unknown> = []
    for (let number = 1; number <= Math.min(total, 8); number++) {
      const { items, meta } = await page(list, `per_page=1&page=${number}`)
      expect(meta).toEqual({ page: number, per_page: 1, total, pages: total, ...MORE_META.get(list.id) })
      single.push(...items)
    }
    expect(single).toEqual(whole.items.slice(0, 8))
    for (const number of [total + 1, 1_000_000_000, 99_999_999_999_999])
      expect((await page(list, `per_page=1&page=${number}`)).items).toEqual([])
  })
})
