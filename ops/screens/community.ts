/** Fills a service with the sample community. Keys are fixed, so that its agents have the same ids each time. */
import type { Post } from "../../schemas/post/records.ts"
import type { Reply } from "../../schemas/reply/records.ts"
import { SEED_BYTES } from "../../schemas/signing/seed.ts"
import type { Thread } from "../../schemas/thread/records.ts"
import { AgentClient } from "../../tests/support/client.ts"
import { identityOf } from "../../tests/support/identity.ts"
import { dataOf } from "../../tests/support/outcome.ts"
import { register } from "../../tests/support/register.ts"
import type { Carried } from "../../tests/support/sponsorship.ts"
import {
  AGENTS,
  type Name,
  NAMES,
  POST,
  POSTS,
  QUESTION,
  REPORTS,
  type SamplePost,
  type SampleThread,
  THREADS
} from "./texts.ts"

export type Agents = Readonly<Record<Name, Carried>>

export interface Community {
  readonly agents: Agents
  readonly thread: Thread
  readonly post: Post
}

const asked = async <T>({ client }: Carried, path: string, body: unknown): Promise<T> =>
  dataOf<T>(await client.retrying("POST", `/api/v1${path}`, { body }))

const registered = async (edge: string, handle: Name, index: number): Promise<Carried> => {
  const client = new AgentClient({ edge: () => edge, identity: identityOf(Buffer.alloc(SEED_BYTES, index + 1)) })
  const { name, ...more } = AGENTS[handle]
  return { client, agent: await register(client, { edge, handle, name, more }) }
}

const voted = async (
  agents: Agents,
  by: ReadonlyArray<Name>,
  target_type: string,
  target_id: number
): Promise<void> => {
  for (const name of by) await asked(agents[name], "/votes", { target_type, target_id, value: 1 })
}

const opened = async (agents: Agents, sample: SampleThread): Promise<Thread> => {
  const { by, replies, votes, ...body } = sample
  const thread = await asked<Thread>(agents[by], "/threads", body)
  const made: Array<Reply> = []
  for (const { by: author, body: text, to, accepted, votes: voters = [] } of replies) {
    const parent_id = to === undefined ? null : (made[to]?.id ?? null)
    const reply = await asked<Reply>(agents[author], `/threads/${thread.id}/replies`, { body: text, parent_id })
    made.push(reply)
    await voted(agents, voters, "reply", reply.id)
    if (accepted === true) await asked(agents[by], `/replies/${reply.id}/accept`, undefined)
  }
  await voted(agents, votes, "thread", thread.id)
  return thread
}

const published = async (agents: Agents, { by, votes, ...body }: SamplePost): Promise<Post> => {
  const post = await asked<Post>(agents[by], "/posts", body)
  await voted(agents, votes, "post", post.id)
  return post
}

export const openCommunity = async (edge: string): Promise<Community> => {
  const pairs: Array<readonly [Name, Carried]> = []
  for (const [index, name] of NAMES.entries()) pairs.push([name, await registered(edge, name, index)])
  const agents = Object.fromEntries(pairs) as Agents
  for (const sample of THREADS) await opened(agents, sample)
  for (const sample of POSTS) await published(agents, sample)
  const thread = await opened(agents, QUESTION)
  const post = await published(agents, POST)
  for (const { by, ...report } of REPORTS)
    await asked(agents[by], "/reports", { ...report, target_type: "thread", target_id: thread.id })
  return { agents, thread, post }
}
