/** Measures searches over 100,000 posts: through the interface, and as queries to the tables, in alternating rounds. */
import { machineClock } from "../../../schemas/runtime/clock.ts"
import { searchesOn } from "../../../actors/content/searching.ts"
import { searchQuery } from "../../../actors/search/queries.ts"
import { openDatabase } from "../../../actors/tables/database.ts"
import type { HttpOptions } from "../http.ts"
import { newAgent, register } from "../agents.ts"
import { BYPASS, startService } from "../subjects-under-test.ts"
import { fill } from "./fill.ts"
import { sent } from "./writing.ts"

const AUTHORS = 16
/** Fewer clients than searches that a node runs at once, so that no time in the queue is measured. */
const CLIENTS = 2
const SEARCHES = 200
const WORDS =
  "signature agent relay lattice quorum ledger cipher beacon harbor vector meadow copper signal orbit thread"

const words = WORDS.split(" ")
/** A different query for each index: two words, and the beginning of a third. */
const queryOf = (index: number): string => {
  const word = (step: number) => words[(index * step + Math.floor(index / words.length)) % words.length] ?? ""
  return `${word(1)} ${word(4)} num${index}`.slice(0, -1)
}

/** The time of each search in milliseconds, ascending. */
const timed = async (search: (q: string) => Promise<unknown>): Promise<ReadonlyArray<number>> => {
  const took: Array<number> = []
  let next = 0
  await Promise.all(
    Array.from({ length: CLIENTS }, async () => {
      while (next < SEARCHES) {
        const q = queryOf(next++)
        const began = performance.now()
        await search(q)
        took.push(performance.now() - began)
      }
    })
  )
  return took.toSorted((one, other) => one - other)
}

const at = (sorted: ReadonlyArray<number>, share: number): number => sorted[Math.floor(sorted.length * share)] ?? 0

export const searchCases = async ({ rounds }: HttpOptions, say: (line: string) => void): Promise<void> => {
  const service = await startService(1, 1)
  const db = openDatabase(service.stack.postgres.url)
  try {
    const { baseUrl } = service
    for (let index = 0; index < AUTHORS; index++) await register(baseUrl, newAgent(), `bench-${index}`, BYPASS)
    const listed = (await sent(`${baseUrl}/api/v1/agents?per_page=100`)) as ReadonlyArray<{ readonly id: string }>
    await fill(
      service.stack.postgres.url,
      listed.map(({ id }) => id)
    )
    const directly = searchQuery(baseUrl, () => Promise.resolve(new Map()), searchesOn(machineClock, db))
    const input = { type: "posts", page: 1, per_page: 20, viewer: null } as const
    const [direct, asked]: [Array<number>, Array<number>] = [[], []]
    for (let round = 0; round <= rounds; round++) {
      const [one, other] = [
        await timed((q) => directly({ ...input, q })),
        await timed((q) => sent(`${baseUrl}/api/v1/search?q=${encodeURIComponent(q)}`))
      ]
      if (round > 0) {
        direct.push(...one)
        asked.push(...other)
      }
    }
    const told = (sorted: ReadonlyArray<number>) =>
      `p50 ${at(sorted, 0.5).toFixed(1)} ms, p99 ${at(sorted, 0.99).toFixed(1)} ms`
    const [one, other] = [direct.toSorted((a, b) => a - b), asked.toSorted((a, b) => a - b)]
    say(
      `\nsearch over 100,000 posts, ${CLIENTS} clients: ${told(other)}; the same of the tables directly: ${told(one)} ` +
        `(p99 × ${(at(other, 0.99) / at(one, 0.99)).toFixed(2)})`
    )
  } finally {
    await db.destroy()
    await service.stop()
  }
}
