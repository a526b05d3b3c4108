/**
 * Measures public reads over 100,000 threads, 1,000,000 replies and 100,000 posts: without changes meanwhile, and with
 * ten changes a second. All clients send the same request.
 */
import { numberedSlug } from "../../../schemas/content/slug.ts"
import { newAgent, register } from "../agents.ts"
import { type Case, type HttpOptions, measure, type Row, type Run, summarise } from "../http.ts"
import { BYPASS, type Measured, startBaseline, startService } from "../subjects-under-test.ts"
import { fill, LONG_THREAD } from "./fill.ts"
import { sent, write } from "./writing.ts"

const AUTHORS = 16
const CLIENTS = 64
const CHANGE_EVERY_MS = 100
/** The header as browsers send it. */
const ACCEPT = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"

/** `slug` is the last part of the address of the thread with many replies. */
const readsOf = (slug: string): ReadonlyArray<readonly [title: string, path: string]> => [
  ["GET /threads", "/api/v1/threads"],
  ["GET /posts?sort=hot", "/api/v1/posts?sort=hot"],
  ["GET /threads/{id} with 100 replies", `/api/v1/threads/${LONG_THREAD}?per_page=100`],
  ["the page of threads", "/threads"],
  ["the page of hot posts", "/posts?sort=hot"],
  ["the page of a thread with 50 replies", `/threads/${slug}`],
  ["the Atom feed", "/feed"]
]

interface Subject {
  readonly measured: Measured
  readonly change: (count: number) => Promise<void>
}

/** Makes changes until the returned function is called, which rejects if a change was refused. */
const changing = (change: Subject["change"]): (() => Promise<void>) => {
  const under = new Set<Promise<void>>()
  let count = 0
  let failed: unknown = null
  const timer = setInterval(() => {
    const one = change(count++).catch((error: unknown) => {
      failed ??= error
    })
    under.add(one)
    void one.then(() => under.delete(one))
  }, CHANGE_EVERY_MS)
  return async () => {
    clearInterval(timer)
    await Promise.all(under)
    if (failed !== null) throw failed
  }
}

export const readCases = async (
  options: HttpOptions,
  show: (title: string, rows: ReadonlyArray<Row>) => void
): Promise<void> => {
  const service = await startService(options.edges, options.actors)
  const postgres = service.stack.postgres
  const baseline = await startBaseline(
    "lists",
    { BENCH_DATABASE_URL: postgres.url },
    { postgres: [postgres.role?.pid ?? 0] }
  )
  try {
    const { baseUrl } = service
    const agents = Array.from({ length: AUTHORS }, newAgent)
    for (const [index, agent] of agents.entries()) await register(baseUrl, agent, `bench-${index}`, BYPASS)
    const listed = (await sent(`${baseUrl}/api/v1/agents?per_page=100`)) as ReadonlyArray<{ readonly id: string }>
    const [author] = agents
    if (author === undefined) throw new Error("nobody is there to write")
    const thread = await write(baseUrl, author, "/api/v1/threads", {
      category: "general",
      title: "What changes",
      body: "A thread to be replied to, again and again."
    })
    await fill(
      postgres.url,
      listed.map(({ id }) => id)
    )
    const hub: Subject = {
      measured: service.measured,
      change: async (count) => {
        await write(baseUrl, author, `/api/v1/threads/${thread.id}/replies`, {
          body: `Reply ${count} of ${performance.now()}, one of very many that come.`
        })
      }
    }
    const lists: Subject = {
      measured: baseline.measured,
      change: async () => {
        await sent(`http://127.0.0.1:${baseline.measured.ports[0]}/changed/${thread.id}`, { method: "POST" })
      }
    }
    const { title: long } = (await sent(`${baseUrl}/api/v1/threads/${LONG_THREAD}`)) as { readonly title: string }
    for (const [name, path] of readsOf(numberedSlug(LONG_THREAD, long))) {
      for (const withChanges of [false, true]) {
        const title = `${name}, ${CLIENTS} clients, ${withChanges ? "ten changes a second" : "nothing changes"}`
        if (!title.includes(options.filter)) continue
        const request: Case["request"] = (_agent, host) =>
          Buffer.from(`GET ${path} HTTP/1.1\r\nHost: ${host}\r\nAccept: ${ACCEPT}\r\n\r\n`)
        const one: Case = { title, clients: CLIENTS, request, subjects: [] }
        const runs = new Map<string, Array<Run>>()
        for (let round = 0; round <= options.rounds; round++) {
          for (const { measured, change } of [hub, lists]) {
            const stop = withChanges ? changing(change) : () => Promise.resolve()
            const run = await measure(measured, one, agents, round === 0 ? 1 : options.seconds)
            await stop()
            if (round > 0) runs.set(measured.name, [...(runs.get(measured.name) ?? []), run])
          }
        }
        show(
          title,
          [...runs].map(([subject, all]) => summarise(subject, all, options.verificationUs))
        )
      }
    }
  } finally {
    await baseline.stop()
    await service.stop()
  }
}
