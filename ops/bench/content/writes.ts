/**
 * Measures durable writes of content by 64 and 256 clients: replies to many threads, replies to one thread, votes and
 * messages.
 */
import { type BenchAgent, newAgent, register, signedRequest } from "../agents.ts"
import { type Case, type HttpOptions, measure, type Row, type Run, summarise } from "../http.ts"
import { BYPASS, startBaseline, startService } from "../subjects-under-test.ts"
import { sent, write } from "./writing.ts"

const AGENTS = 256
const ABREAST = 16

interface World {
  readonly agents: ReadonlyArray<BenchAgent>
  readonly threads: ReadonlyArray<number>
  readonly posts: ReadonlyArray<number>
  readonly ids: ReadonlyMap<BenchAgent, string>
}

/** Counts the texts of the whole run, so that no text is sent twice. */
let written = 0

const textOf = (what: string): string =>
  `${what} number ${written++}, with some words more so that it is of a usual length.`

/** The cases for one subject. The service and the baseline name the recipient of a message in different ways. */
const requestsOf = ({ agents, threads, posts, ids }: World, subject: string) => {
  const reply =
    (threadOf: (index: number) => number | undefined): Case["request"] =>
    (agent, host, index) =>
      signedRequest(
        agent,
        host,
        "POST",
        `/api/v1/threads/${threadOf(index)}/replies`,
        JSON.stringify({ body: textOf("Reply") })
      )
  const vote: Case["request"] = (agent, host, index) => {
    const further = 1 + (Math.floor(index / agents.length) % (agents.length - 1))
    const target_id = posts[(index + further) % posts.length]
    const value = written++ % 2 === 0 ? 1 : -1
    return signedRequest(
      agent,
      host,
      "POST",
      "/api/v1/votes",
      JSON.stringify({ target_type: "post", target_id, value })
    )
  }
  const message: Case["request"] = (agent, host, index) => {
    const other = agents[(index + 1) % agents.length] ?? agent
    const to = subject === "hub" ? ids.get(other) : other.publicKey
    return signedRequest(agent, host, "POST", "/api/v1/messages", JSON.stringify({ to, body: textOf("Message") }))
  }
  return {
    "POST /threads/{id}/replies": reply((index) => threads[(index + 1) % threads.length]),
    "POST /threads/{id}/replies, all to one": reply(() => threads[0]),
    "POST /votes": vote,
    "POST /messages": message
  } as const
}

const CLIENTS = [64, 256]

const inParts = async <T>(all: ReadonlyArray<T>, act: (one: T, index: number) => Promise<unknown>): Promise<void> => {
  for (let from = 0; from < all.length; from += ABREAST)
    await Promise.all(all.slice(from, from + ABREAST).map((one, index) => act(one, from + index)))
}

/** Makes the agents, each with a thread and a post. */
const worldOf = async (baseUrl: string): Promise<World> => {
  const agents = Array.from({ length: AGENTS }, newAgent)
  await inParts(agents, (agent, index) => register(baseUrl, agent, `bench-${index}`, BYPASS))
  const ids = new Map<BenchAgent, string>()
  await inParts(agents, async (agent, index) => {
    const { id } = (await sent(`${baseUrl}/api/v1/agents/bench-${index}`)) as { readonly id: string }
    ids.set(agent, id)
  })
  const [threads, posts] = [Array.from({ length: AGENTS }, () => 0), Array.from({ length: AGENTS }, () => 0)]
  await inParts(agents, async (agent, index) => {
    const text = { title: `Title ${index}`, body: `A text to be answered and voted on, number ${index}.` }
    threads[index] = (await write(baseUrl, agent, "/api/v1/threads", { ...text, category: "general" })).id
    posts[index] = (await write(baseUrl, agent, "/api/v1/posts", text)).id
  })
  return { agents, threads, posts, ids }
}

export const writeCases = async (
  options: HttpOptions,
  show: (title: string, rows: ReadonlyArray<Row>) => void
): Promise<void> => {
  const service = await startService(options.edges, options.actors)
  const postgres = service.stack.postgres
  const baseline = await startBaseline(
    "forum",
    { BENCH_DATABASE_URL: postgres.url },
    { postgres: [postgres.role?.pid ?? 0] }
  )
  try {
    const world = await worldOf(service.baseUrl)
    const { agents, threads, posts } = world
    await sent(`http://127.0.0.1:${baseline.measured.ports[0]}/world`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ keys: agents.map(({ publicKey }) => publicKey), threads, posts })
    })
    const subjects = [service.measured, baseline.measured]
    for (const name of Object.keys(requestsOf(world, "hub")) as Array<keyof ReturnType<typeof requestsOf>>) {
      for (const clients of CLIENTS) {
        const title = `${name}, ${clients} clients`
        if (!title.includes(options.filter)) continue
        const runs = new Map<string, Array<Run>>()
        for (let round = 0; round <= options.rounds; round++) {
          for (const subject of subjects) {
            const one: Case = { title, clients, request: requestsOf(world, subject.name)[name], subjects }
            const run = await measure(subject, one, agents, round === 0 ? 1 : options.seconds)
            if (round > 0) runs.set(subject.name, [...(runs.get(subject.name) ?? []), run])
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
