/**
 * Writes while the read models lag: nothing that its actor knows is answered with 404, and no Idempotency-Key keeps what
 * the lag alone made so. A lock on their tables holds the projections.
 */
import { afterAll, beforeAll, expect, test } from "vitest"
import { sql } from "kysely"
import type { Bookmark } from "../../schemas/bookmark/noun.ts"
import { LIMITS } from "../../schemas/limits.ts"
import type { Thread } from "../../schemas/thread/records.ts"
import { held } from "../support/held.ts"
import { waitFor } from "../harness/index.ts"
import { AgentClient, type CallOptions } from "../support/client.ts"
import type { Answer } from "../support/http.ts"
import { operate } from "../support/hub.ts"
import { dataOf, detailsOf, outcome } from "../support/outcome.ts"
import { register } from "../support/register.ts"
import { sharedService, type TestService } from "../support/service.ts"
import { freshText } from "./community.ts"

const BOOKMARKS_MAX = 3

let service: TestService
let [author, other, operator] = [1, 2, 3].map(() => new AgentClient({ edge: () => service.edges[0] ?? "" })) as [
  AgentClient,
  AgentClient,
  AgentClient
]

beforeAll(async () => {
  // Each answer waits here for read models that cannot come: no longer than the product does.
  service = await sharedService({
    limits: {
      "service.projected_wait_ms": LIMITS.service.projected_wait_ms,
      "limits.bookmarks_max": BOOKMARKS_MAX
    }
  })
  const edge = service.edges[0] ?? ""
  await Promise.all([author, other].map((client) => register(client, { edge })))
  const { handle } = await register(operator, { edge })
  await operate(service.system, ["agent", "grant", handle, "operator"])
})
afterAll(() => service?.stop())

/** Runs `act` while no projection can write these tables. */
const lagging = <A>(tables: ReadonlyArray<string>, act: () => Promise<A>): Promise<A> =>
  held(service.view.db, async (trx) => {
    await sql`lock table ${sql.join(tables.map((table) => sql.table(table)))} in share mode`.execute(trx)
    return act()
  })

type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE"
type Write = readonly [as: AgentClient, method: Method, path: string, options: CallOptions]

let keys = 0
const write = ([as, method, path, options]: Write): Promise<Answer> => as.call(method, `/api/v1${path}`, options)
const made = async (as: AgentClient, path: string, body: object): Promise<number> =>
  dataOf<{ id: number }>(await as.call("POST", `/api/v1${path}`, { body })).id
const post = () => made(author, "/posts", { title: "One", body: freshText() })
const thread = () => made(author, "/threads", { category: "help", kind: "question", title: "How?", body: freshText() })
const reply = (to: number) => made(other, `/threads/${to}/replies`, { body: freshText() })
const hidden = { body: { hidden: true, hidden_reason: "It is spam." } }

interface Case {
  readonly what: string
  readonly tables: ReadonlyArray<string>
  /** Made before the read models begin to lag. */
  readonly before?: () => Promise<number>
  /** Writes while they lag, and reads behind them. */
  readonly asked: (before: number) => Promise<Write>
}

const cases: ReadonlyArray<Case> = [
  {
    what: "a post takes a file",
    tables: ["posts"],
    asked: async () => [author, "PUT", `/posts/${await post()}/file?filename=a`, { body: Buffer.from("abc") }]
  },
  {
    what: "a post is edited",
    tables: ["posts"],
    asked: async () => [author, "PATCH", `/posts/${await post()}`, { body: { title: "Another" } }]
  },
  {
    what: "a post is hidden",
    tables: ["posts", "hidden_posts"],
    asked: async () => [operator, "PATCH", `/posts/${await post()}`, hidden]
  },
  {
    what: "a thread is edited",
    tables: ["threads"],
    asked: async () => [author, "PATCH", `/threads/${await thread()}`, { body: { title: "Another" } }]
  },
  {
    what: "a thread is closed",
    tables: ["threads"],
    asked: async () => [author, "POST", `/threads/${await thread()}/status`, { body: { status: "closed" } }]
  },
  {
    what: "a thread is pinned",
    tables: ["threads"],
    asked: async () => [operator, "PATCH", `/threads/${await thread()}`, { body: { pinned: true } }]
  },
  {
    what: "a thread is watched",
    tables: ["threads", "watches"],
    asked: async () => [other, "PUT", `/threads/${await thread()}/watch`, {}]
  },
  {
    what: "a reply is edited",
    tables: ["replies"],
    before: thread,
    asked: async (to) => [other, "PATCH", `/replies/${await reply(to)}`, { body: { body: freshText() } }]
  },
  {
    what: "a reply is accepted",
    tables: ["replies"],
    before: thread,
    asked: async (to) => [author, "POST", `/replies/${await reply(to)}/accept`, { body: {} }]
  },
  {
    what: "a reply is hidden",
    tables: ["replies", "hidden_replies"],
    before: thread,
    asked: async (to) => [operator, "PATCH", `/replies/${await reply(to)}`, hidden]
  },
  {
    what: "a reply that was hidden is accepted once it is shown again",
    tables: ["replies", "hidden_replies"],
    before: async () => {
      const id = await reply(await thread())
      dataOf(await write([operator, "PATCH", `/replies/${id}`, hidden]))
      return id
    },
    asked: async (id) => {
      await write([operator, "PATCH", `/replies/${id}`, { body: { hidden: false } }])
      return [author, "POST", `/replies/${id}/accept`, { body: {} }]
    }
  },
  {
    what: "a report is taken up",
    tables: ["reports"],
    before: post,
    asked: async (target_id) => {
      const body = { target_type: "post", target_id, reason: "spam", text: "This is spam." }
      return [operator, "POST", `/reports/${await made(other, "/reports", body)}/review`, {}]
    }
  },
  {
    what: "a report is decided",
    tables: ["reports"],
    before: post,
    asked: async (target_id) => {
      const body = { target_type: "post", target_id, reason: "spam", text: "This is spam." }
      const path = `/reports/${await made(other, "/reports", body)}/resolve`
      return [operator, "POST", path, { body: { outcome: "none", note: "Fine." } }]
    }
  }
]

test.each(cases)("$what: in time or later, never not_found", async ({ tables, before, asked }) => {
  const stands = (await before?.()) ?? 0
  const idempotencyKey = `late-${keys++}`
  const [wanted, meanwhile] = await lagging(tables, async () => {
    const [as, method, path, options] = await asked(stands)
    const keyed: Write = [as, method, path, { ...options, idempotencyKey }]
    return [keyed, await write(keyed)] as const
  })
  expect([outcome(meanwhile), meanwhile.headers["retry-after"]]).toEqual(["503 unavailable", "1"])
  const answer = await waitFor(
    async () => {
      const answer = await write(wanted)
      return answer.status === 503 ? null : answer
    },
    { describe: "read models that are there" }
  )
  expect(outcome(answer)).toBe("200")
})

test("a stranger's write is refused for what it is, once that can be told", async () => {
  const [mine, refusedAs] = await lagging(["posts"], async () => {
    const id = await post()
    return [id, outcome(await write([other, "PATCH", `/posts/${id}`, { body: { title: "Mine" } }]))] as const
  })
  expect(refusedAs).toBe("503 unavailable")
  await waitFor(
    async () =>
      outcome(await write([other, "PATCH", `/posts/${mine}`, { body: { title: "Mine" } }])) === "403 not_author",
    { describe: "a refusal by the post" }
  )
  expect(outcome(await write([other, "PATCH", "/posts/999999", { body: { title: "Mine" } }]))).toBe("404 not_found")
})

test("what was changed is answered as it stands, whatever the read models show", async () => {
  const ended = { status: "closed", status_reason: "Done." }
  const [id, shown] = [await thread(), await thread()]
  const answers = await lagging(["threads", "hidden_threads"], async () => [
    dataOf<Thread>(await write([operator, "PATCH", `/threads/${id}`, { body: { pinned: true } }])).pinned,
    dataOf<Thread>(
      await write([author, "POST", `/threads/${id}/status`, { body: { status: "closed", reason: "Done." } }])
    ),
    dataOf<Thread>(await write([operator, "PATCH", `/threads/${shown}`, hidden])).hidden_reason,
    dataOf<Thread>(await write([operator, "PATCH", `/threads/${shown}`, { body: { hidden: false } }])).hidden
  ])
  expect(answers).toEqual([true, expect.objectContaining(ended), "It is spam.", undefined])
})

test("bookmarks of what the read models do not show yet stay; those of what was deleted make room", async () => {
  const old = await post()
  const keep = async (kind: string, id: number) => write([other, "PUT", `/me/bookmarks/${kind}/${id}`, { body: {} }])
  const kept = await lagging(["posts", "threads", "hidden_threads", "replies"], async () => {
    const [newPost, newThread] = [await post(), await thread()]
    const newReply = await reply(newThread)
    const targets = [["post", newPost] as const, ["thread", newThread] as const, ["reply", newReply] as const]
    for (const [kind, id] of targets) expect(outcome(await keep(kind, id))).toBe("503 unavailable")
    await write([operator, "PATCH", `/threads/${newThread}`, hidden])
    const full = await keep("post", old)
    expect([outcome(full), detailsOf(full)]).toEqual([
      "422 validation_error",
      expect.objectContaining({
        field: "id",
        hidden: BOOKMARKS_MAX,
        hidden_targets: targets.map(([target_type, target_id]) => ({ target_type, target_id }))
      })
    ])
    await write([operator, "DELETE", `/threads/${newThread}`, {}])
    expect(outcome(await keep("post", old))).toBe("200")
    return newPost
  })
  const listed = async () =>
    dataOf<ReadonlyArray<Bookmark>>(await write([other, "GET", "/me/bookmarks", {}])).map(({ target_id }) => target_id)
  await waitFor(async () => (await listed()).length === 2, { describe: "bookmarks whose targets are shown" })
  expect(await listed()).toEqual([old, kept])
})
