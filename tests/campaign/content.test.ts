/**
 * What agents write to, on and under one another, while processes are killed: nothing is lost and nothing counts twice.
 * At rest every count and every score is what follows from the acknowledged writes, and so say the log and the tables.
 */
import { afterAll, beforeAll, expect, test } from "vitest"
import { waitFor } from "../harness/index.ts"
import { send } from "../support/http.ts"
import { operate } from "../support/hub.ts"
import { dataOf } from "../support/outcome.ts"
import { seeded, type SeededRandom } from "../support/seed.ts"
import { type TestService, testService } from "../support/service.ts"
import { Community, type Written } from "../chaos/community.ts"
import { isSettled } from "../chaos/verdict.ts"

const ACTORS = 2
const MEMBERS = 6
/** Writes of each agent between two faults. */
const BETWEEN = 4

let service: TestService
let random: SeededRandom
let community: Community

beforeAll(async () => {
  random = seeded("content")
  service = await testService({
    processes: true,
    edges: 2,
    actors: ACTORS,
    limits: { "rate_limits.vote.requests": 1_000_000, "rate_limits.message.requests": 1_000_000 }
  })
  await waitFor(() => isSettled(service.view, ACTORS), { describe: "actor nodes with shards" })
  community = await Community.of(MEMBERS, service.edges, random)
})
afterAll(() => service?.stop())

const get = async <T>(path: string): Promise<T> =>
  dataOf<T>(await send({ edge: random.pick(service.edges), method: "GET", path: `/api/v1${path}` }))

const writing = async (what: string): Promise<void> => {
  const moment = performance.now()
  await waitFor(() => community.wroteSince(moment, BETWEEN), { describe: `writes ${what}` })
}

interface Counted {
  readonly upvotes: number
  readonly downvotes: number
  readonly score: number
  readonly reply_count?: number
}

const pathOf = ({ type, id }: Written): string =>
  type === "post" ? `/posts/${id}` : type === "thread" ? `/threads/${id}` : `/replies/${id}`

const expectCounted = async (one: Written): Promise<void> => {
  const { upvotes, downvotes } = community.tallyOf(one)
  expect(await get<Counted>(pathOf(one)), `${one.type} ${one.id}`).toMatchObject({
    upvotes,
    downvotes,
    score: upvotes - downvotes,
    ...(one.type === "thread" ? { reply_count: community.countOf("reply", { thread: one.id }) } : {})
  })
}

interface Own {
  readonly scores: { readonly reputation: number }
  readonly unread_messages: number
  readonly counts: { readonly posts: number; readonly threads: number; readonly replies: number }
}

test("every count and score is what was acknowledged, whatever dies", async () => {
  const { system, view } = service
  community.start()
  await writing("before anything dies")
  for (const round of [0, 1]) {
    const victim = random.pick(system.actors)
    await victim.kill()
    await writing("after an actor process was killed")
    await victim.restart()
    await waitFor(() => isSettled(view, ACTORS), { describe: "the actor process again" })
    const server = round === 0 ? system.nats : system.postgres
    await server.kill()
    await server.restart()
    await writing("after a server was killed")
  }
  await community.stop()
  expect(community.faults).toEqual([])

  for (const { place, client, messages } of community.members) {
    const wanted = {
      scores: { reputation: community.reputationOf(place) },
      unread_messages: messages,
      counts: {
        posts: community.countOf("post", { author: place }),
        threads: community.countOf("thread", { author: place }),
        replies: community.countOf("reply", { author: place })
      }
    }
    await waitFor(
      async () => {
        expect(dataOf<Own>(await client.call("GET", "/api/v1/me"))).toMatchObject(wanted)
        return true
      },
      { describe: `what agent ${place} is told of itself` }
    )
    // Each entry explains itself, and together they are the score.
    const describe = `the last entry of agent ${place}`
    // Of the tables, which may be a moment behind what the agent itself knows.
    await waitFor(
      async () => {
        const { entries } = dataOf<{ entries: ReadonlyArray<{ score: string; delta: number; value: number }> }>(
          await client.call("GET", "/api/v1/me/scores?limit=100")
        )
        const last = entries.find(({ score }) => score === "reputation")
        expect(last?.value ?? 0, describe).toBe(wanted.scores.reputation)
        return true
      },
      { describe }
    )
  }
  for (const one of community.written)
    await waitFor(() => expectCounted(one).then(() => true), { describe: `${one.type} ${one.id}` })
  const stats = await get<Record<string, number>>("/stats")
  const sizes = { posts: 0, threads: 0, replies: 0 }
  for (const { type } of community.written)
    sizes[type === "post" ? "posts" : type === "thread" ? "threads" : "replies"]++
  expect(stats).toMatchObject(sizes)
  console.log(`${community.written.length} things written, ${JSON.stringify(stats)}`)
  expect(await operate(system, ["verify"])).toMatch(/\nverified in/)
})
