/** At rest every count and every score is what follows from the acknowledged writes. */
import { expect } from "vitest"
import { waitFor } from "../harness/index.ts"
import { send } from "../support/http.ts"
import { dataOf } from "../support/outcome.ts"
import type { SeededRandom } from "../support/seed.ts"
import type { TestService } from "../support/service.ts"
import type { Community, Written } from "./community.ts"

interface Counted {
  readonly upvotes: number
  readonly downvotes: number
  readonly score: number
  readonly reply_count?: number
}

interface Own {
  readonly scores: { readonly reputation: number }
  readonly unread_messages: number
  readonly counts: { readonly posts: number; readonly threads: number; readonly replies: number }
}

const pathOf = ({ type, id }: Written): string =>
  type === "post" ? `/posts/${id}` : type === "thread" ? `/threads/${id}` : `/replies/${id}`

export const expectWritten = async (
  community: Community,
  { edges }: Pick<TestService, "edges">,
  random: SeededRandom
): Promise<void> => {
  const get = async <T>(path: string): Promise<T> =>
    dataOf<T>(await send({ edge: random.pick(edges), method: "GET", path: `/api/v1${path}` }))
  const expectCounted = async (one: Written): Promise<void> => {
    const { upvotes, downvotes } = community.tallyOf(one)
    expect(await get<Counted>(pathOf(one)), `${one.type} ${one.id}`).toMatchObject({
      upvotes,
      downvotes,
      score: upvotes - downvotes,
      ...(one.type === "thread" ? { reply_count: community.countOf("reply", { thread: one.id }) } : {})
    })
  }
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
    // The tables may be a moment behind the agent itself.
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
}
