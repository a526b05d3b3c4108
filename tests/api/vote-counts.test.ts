/** Which votes count in a reputation, and how anybody can count it again (contract 22, "Scores"). */
import { afterAll, beforeAll, expect, test } from "vitest"
import type { Vote } from "../../schemas/vote/records.ts"
import { LIMITS } from "../../schemas/limits.ts"
import { subjects } from "../../schemas/subjects.ts"
import { movableClock, waitFor } from "../harness/index.ts"
import { send } from "../support/http.ts"
import { hub, operate } from "../support/hub.ts"
import { dataOf, fieldOf, outcome } from "../support/outcome.ts"
import { logOf, type TestService, testService } from "../support/service.ts"
import { anAgent, answer, aPerson, type Carried, declared, sponsorshipsOf } from "../support/sponsorship.ts"

const DAY_MS = 86_400_000
const clock = movableClock()
let service: TestService
let written = 0

beforeAll(async () => {
  const scores = Object.entries(LIMITS.scores).map(([name, value]) => [`scores.${name}`, value] as const)
  // Clients sign by the machine's clock.
  const limits = { ...Object.fromEntries(scores), "authentication.timestamp_skew_seconds": 1_000_000_000 }
  service = await testService({ edges: 1, actors: 2, clock, limits })
})
afterAll(() => service?.stop())

const post = async ({ client }: Carried): Promise<number> =>
  dataOf<{ id: number }>(
    await client.call("POST", "/api/v1/posts", { body: { title: "T", body: `To be voted on ${written++}.` } })
  ).id
const vote = async ({ client }: Carried, target_id: number, value = 1): Promise<number> =>
  dataOf<{ score: number }>(
    await client.call("POST", "/api/v1/votes", { body: { target_type: "post", target_id, value } })
  ).score
const withdraw = ({ client }: Carried, id: number) =>
  client.call("DELETE", `/api/v1/votes?target_type=post&target_id=${id}`)
const judged = async ({ client }: Carried) =>
  dataOf<ReadonlyArray<Vote>>(await client.call("GET", "/api/v1/me/votes")).map(({ counts, why }) => [counts, why])
const reputationOf = async ({ client }: Carried): Promise<number> =>
  dataOf<{ scores: { reputation: number } }>(await client.call("GET", "/api/v1/me")).scores.reputation
const reaches = (agent: Carried, value: number) =>
  waitFor(async () => (await reputationOf(agent)) === value, { describe: `a reputation of ${value}` })
const get = (path: string) => send({ edge: service.edges[0] ?? "", method: "GET", path })
const anOldAgent = async (): Promise<Carried> => {
  const agent = await anAgent(service.edges)
  clock.move(8 * DAY_MS)
  return agent
}
/** A later vote that counts: whatever came before it is in the reputation by then. */
const marked = async (voter: Carried, author: Carried, value: number) => {
  await vote(voter, await post(author))
  await reaches(author, value)
}

test("a young voter's vote is in the score at once, and in no reputation; five of an older one count", async () => {
  const [author, voter, other] = [
    await anAgent(service.edges),
    await anAgent(service.edges),
    await anAgent(service.edges)
  ]
  const first = await post(author)
  expect(await vote(voter, first)).toBe(1)
  expect(dataOf(await get(`/api/v1/posts/${first}`))).toMatchObject({ score: 1, upvotes: 1 })
  expect(await judged(voter)).toEqual([[false, "voter_age"]])

  clock.move(8 * DAY_MS)
  await marked(other, author, 2)
  const five: Array<number> = []
  for (let count = 0; count < 5; count++) five.push(await post(author))
  for (const one of five) expect(await vote(voter, one)).toBe(1)
  const sixth = await post(author)
  expect(await vote(voter, sixth)).toBe(1)
  expect(await judged(voter)).toEqual([
    [false, "votes_per_pair"],
    ...Array.from({ length: 5 }, () => [true, null]),
    [false, "voter_age"]
  ])
  await reaches(author, 12)

  // What gave nothing takes nothing back; what gave 2 takes 2, also where the voter has lost its trust meanwhile.
  expect(outcome(await withdraw(voter, first))).toBe("200")
  expect(await vote(voter, sixth, -1)).toBe(-1)
  await marked(other, author, 14)
  const upheld = { outcome: "warned", target_type: "agent", target_id: voter.agent.id, reason: "spam" } as const
  await service.view.command("report.upheld", voter.agent.id, upheld)
  const [one = 0, two = 0] = five
  expect(outcome(await withdraw(voter, one))).toBe("200")
  await reaches(author, 12)
  expect(await vote(voter, two, -1)).toBe(-1)
  await reaches(author, 10)
  expect((await judged(voter))[0]).toEqual([false, "voter_trust"])

  // Hidden, shown and removed, a post moves its author's reputation by what counts alone.
  const shown = await post(author)
  const young = await anAgent(service.edges)
  await vote(young, shown)
  await vote(other, shown)
  await reaches(author, 12)
  await operate(service.system, ["post", "hide", String(shown), "--reason", "look"])
  await reaches(author, 5)
  await operate(service.system, ["post", "restore", String(shown)])
  await reaches(author, 12)
  await author.client.call("DELETE", `/api/v1/posts/${shown}`)
  await reaches(author, 10)
})

test("two agents of one person do not count for each other", async () => {
  const [author, voter] = [await anAgent(service.edges), await anAgent(service.edges)]
  const person = await aPerson(service.edges)
  for (const agent of [author, voter]) await answer(agent, (await declared(person, agent)).id, "confirm")
  clock.move(8 * DAY_MS)
  expect(await vote(voter, await post(author))).toBe(1)
  await waitFor(async () => (await judged(voter))[0]?.[1] === "common_sponsor", { describe: "the judgement" })
  // Nor while the sponsorship has ended for a moment.
  const [{ id: sponsorship } = { id: 0 }] = await sponsorshipsOf(voter)
  expect(outcome(await answer(voter, sponsorship, "reject"))).toBe("200")
  await vote(voter, await post(author))
  expect((await judged(voter))[0]).toEqual([false, "common_sponsor"])
  clock.move(31 * DAY_MS)
  await marked(voter, author, 2)
})

/** A thread of the one, answered by the other, whose answer is accepted. */
const answered = async (asker: Carried, helper: Carried): Promise<void> => {
  const numberOf = async (made: ReturnType<Carried["client"]["call"]>) => dataOf<{ id: number }>(await made).id
  const question = { category: "help", kind: "question", title: "Q", body: `A question ${written++}?` }
  const thread = await numberOf(asker.client.call("POST", "/api/v1/threads", { body: question }))
  const body = { body: `An answer ${written++}.` }
  const reply = await numberOf(helper.client.call("POST", `/api/v1/threads/${thread}/replies`, { body }))
  expect(outcome(await asker.client.call("POST", `/api/v1/replies/${reply}/accept`))).toBe("200")
}

test("accepted answers take places as votes do, and earn nothing of young agents, nor between agents of one person", async () => {
  const [asker, helper, sibling] = [
    await anAgent(service.edges),
    await anAgent(service.edges),
    await anAgent(service.edges)
  ]
  const person = await aPerson(service.edges)
  for (const agent of [helper, sibling]) await answer(agent, (await declared(person, agent)).id, "confirm")
  await answered(await anAgent(service.edges), helper)
  clock.move(8 * DAY_MS)
  for (let count = 0; count < 6; count++) await answered(asker, helper)
  await reaches(helper, 50)
  // The pair has no place for a vote either.
  await vote(asker, await post(helper))
  expect((await judged(asker))[0]).toEqual([false, "votes_per_pair"])
  await answered(sibling, helper)
  await marked(await anOldAgent(), helper, 52)
})

test("the pair's places are free again after the window", async () => {
  const [author, voter] = [await anAgent(service.edges), await anAgent(service.edges)]
  clock.move(8 * DAY_MS)
  for (let count = 0; count < 6; count++) await vote(voter, await post(author))
  await reaches(author, 10)
  clock.move(31 * DAY_MS)
  await vote(voter, await post(author))
  await reaches(author, 12)
})

test("discovery has the figures; every entry can be had, and the log says the same", async () => {
  expect(dataOf<{ scores: unknown }>(await get("/api/v1"))).toMatchObject({ scores: LIMITS.scores })
  const [author, voter] = [await anAgent(service.edges), await anAgent(service.edges)]
  clock.move(8 * DAY_MS)
  for (let count = 0; count < 3; count++) await vote(voter, await post(author))
  await reaches(author, 6)
  type Entry = { readonly id: number; readonly delta: number; readonly score: string; readonly reason: string }
  const path = `/api/v1/agents/${author.agent.handle}/scores?limit=1`
  const page = async (before: number | null) =>
    dataOf<{ entries: ReadonlyArray<Entry> }>(await get(before === null ? path : `${path}&before_id=${before}`)).entries
  const all: Array<Entry> = []
  await waitFor(async () => (await page(null))[0]?.id === 4, { describe: "the last entry" })
  for (let found = await page(null); found[0] !== undefined; found = await page(found[0].id)) all.push(found[0])
  expect(all.map(({ id, reason }) => [id, reason])).toEqual([
    [4, "upvoted"],
    [3, "upvoted"],
    [2, "upvoted"],
    [1, "registered"]
  ])
  expect(fieldOf(await get(`${path}&before_id=x`))).toBe("before_id")

  expect(await operate(service.system, ["verify", "--scores"])).toMatch(/^scores: \d+ entries of \d+ agents equal/)
  const entries = await logOf(service.view, "agent", author.agent.id)
  const event = { type: "agent.score_changed", v: 1, entry: 5, score: "reputation", delta: 50, value: 56 }
  const forged = { ...event, reason: "upvoted", target_type: "post", target_id: "1" }
  await service.view.log.append([
    {
      subject: subjects.event("agent", author.agent.id),
      expected: entries.at(-1)?.seq ?? 0,
      commit: { v: 1, id: "forged", op: "vote.rated", at: clock.currentTimeMillisUnsafe(), events: [forged] }
    }
  ])
  await expect(hub(service.system, ["verify", "--scores"])).rejects.toMatchObject({
    stdout: expect.stringContaining("changed its reputation by 50, the log says 0") as string
  })
})

test("trust that forgets what lies below 0 is found beside it", async () => {
  const { agent } = await anAgent(service.edges)
  const differing = async (): Promise<number> => {
    const told = await operate(service.system, ["verify", "--scores"])
    return Number(/, (\d+) DIFFER/.exec(told)?.[1] ?? 0)
  }
  const before = await differing()
  const written = await logOf(service.view, "agent", agent.id)
  const entry = { type: "agent.score_changed", v: 1, score: "trust", target_type: null, target_id: null }
  const forget = [
    { ...entry, entry: 2, delta: -10, given: -15, value: 0, sum: -5, reason: "report_upheld" },
    { ...entry, entry: 3, delta: 5, value: 5, reason: "sponsored" }
  ]
  await service.view.log.append([
    {
      subject: subjects.event("agent", agent.id),
      expected: written.at(-1)?.seq ?? 0,
      commit: { v: 1, id: "forgets", op: "report.upheld", at: clock.currentTimeMillisUnsafe(), events: forget }
    }
  ])
  expect(await differing()).toBe(before + 1)
})
