/** An author of posts, anew for each test, and everybody who reads them at another edge. */
import type { Post, PostListed } from "../../schemas/post/records.ts"
import { AgentClient } from "../support/client.ts"
import { type Answer, send } from "../support/http.ts"
import { dataOf } from "../support/outcome.ts"
import { register, type Registered } from "../support/register.ts"
import { sharedService, type TestService } from "../support/service.ts"

export const POSTS = "/api/v1/posts"

export let service: TestService
/** Where agents write, and where it is read. */
export let [first, second] = ["", ""]
export let client: AgentClient
export let author: Registered

export const openPosts = async (): Promise<void> => {
  service = await sharedService()
  first = service.edges[0] ?? ""
  second = service.edges[1] ?? ""
}

export const another = async (): Promise<readonly [AgentClient, Registered]> => {
  const other = new AgentClient({ edge: () => first })
  return [other, await register(other, { edge: first })]
}

export const newAuthor = async (): Promise<void> => {
  ;[client, author] = await another()
}

let written = 0
/** Never the same: no text is a duplicate by accident. */
export const serial = (): number => written++

export const form = (more: object = {}) => ({ title: "A title", body: `Some **text**, number ${serial()}.`, ...more })
export const publish = (more: object = {}, as = client): Promise<Answer> => as.call("POST", POSTS, { body: form(more) })
export const published = async (more: object = {}, as = client): Promise<Post> => dataOf<Post>(await publish(more, as))
export const read = (path: string, edge = second): Promise<Answer> => send({ edge, method: "GET", path })
export const list = async (query: string, path = POSTS) => {
  const answer = await read(`${path}?${query}`)
  return { ...answer, items: dataOf<ReadonlyArray<PostListed>>(answer), meta: answer.json.meta }
}
export const titles = async (query: string, path?: string): Promise<ReadonlyArray<string>> =>
  (await list(query, path)).items.map(({ title }) => title)
