/** The recount of scores tells faults of the log from what operators have repeated, and from what still waits. */
import { afterAll, beforeAll, expect, test } from "vitest"
import type { LogEntry } from "../../actors/log/commit.ts"
import type { Message } from "../../actors/projections/projection.ts"
import { redoneId } from "../../actors/reactions/aside.ts"
import { ratedPosts } from "../../actors/post/reactions.ts"
import { Recount } from "../../ops/verify/scores.ts"
import { waitFor } from "../harness/index.ts"
import { dataOf } from "../support/outcome.ts"
import { logOf, sharedService, type TestService } from "../support/service.ts"
import { anAgent } from "../support/sponsorship.ts"

let service: TestService
/** The commits of a post, with a vote, and of its author, without that of the reputation, which follows from the vote. */
let others: ReadonlyArray<Message>
let rated: Message

const isRating = ({ commit }: LogEntry): boolean =>
  commit.events.some((event) => "score" in event && event["score"] === "reputation")

const messageOf = (kind: string, id: string, { seq, commit }: LogEntry): Message => ({
  seq,
  kind,
  id,
  data: Buffer.from(JSON.stringify(commit))
})

beforeAll(async () => {
  service = await sharedService()
  const [author, voter] = [await anAgent(service.edges), await anAgent(service.edges)]
  const body = { title: "T", body: "To be voted on." }
  const { id } = dataOf<{ id: number }>(await author.client.call("POST", "/api/v1/posts", { body }))
  const vote = { target_type: "post", target_id: id, value: 1 }
  dataOf(await voter.client.call("POST", "/api/v1/votes", { body: vote }))
  const ofAuthor = () => logOf(service.view, "agent", author.agent.id)
  const entry = await waitFor(async () => (await ofAuthor()).find(isRating), { describe: "a changed reputation" })
  rated = messageOf("agent", author.agent.id, entry)
  const own = (await ofAuthor()).filter((one) => !isRating(one)).map((one) => messageOf("agent", author.agent.id, one))
  const ofPost = (await logOf(service.view, "post", String(id))).map((one) => messageOf("post", String(id), one))
  others = [...own, ...ofPost].toSorted((one, other) => one.seq - other.seq)
})
afterAll(() => service?.stop())

const recounted = (messages: ReadonlyArray<Message>, aside: ReadonlyArray<string> = []): ReadonlyArray<string> => {
  const recount = new Recount()
  for (const message of messages) recount.read(message)
  recount.end(new Map([[ratedPosts.name, Number.POSITIVE_INFINITY]]), new Set(aside))
  return recount.named
}

/** The same commit as that of another command. */
const as = ({ seq, kind, id, data }: Message, idOf: (id: string) => string): Message => {
  const commit = JSON.parse(Buffer.from(data).toString("utf8")) as { readonly id: string }
  return { seq, kind, id, data: Buffer.from(JSON.stringify({ ...commit, id: idOf(commit.id) })) }
}

test("what a reaction or an operator's repetition of it has changed is right, and what another command has is not", () => {
  expect(recounted([...others, rated])).toEqual([])
  expect(recounted([...others, as(rated, redoneId)])).toEqual([])
  expect(recounted([...others, as(rated, (id) => `x${id}`)])).toEqual([
    expect.stringMatching(/changed its reputation by \d+, the log says 0$/),
    expect.stringMatching(/its reputation lacks \d+,/)
  ])
})

test("a change that was made nowhere is lacking, unless it waits", () => {
  const [fault = ""] = recounted(others)
  const seq = / follows from sequence (\d+) of the log$/.exec(fault)?.[1] ?? "none"
  expect(recounted(others, [`${ratedPosts.name} ${seq}`])).toEqual([])
  expect(recounted(others, [`${ratedPosts.name} 1`])).toEqual([fault])
})
