/**
 * Edges and actors die while agents wait for captchas, which two owners answer at once: one of both answers counts, the
 * agent gets it, and nothing happens twice (spec 3.7, 4.10).
 */
import { afterAll, beforeAll, expect, test } from "vitest"
import type { Captcha } from "../../schemas/captcha/records.ts"
import type { Home } from "../../schemas/home/records.ts"
import type { Notification } from "../../schemas/notification/api.ts"
import { waitFor } from "../harness/index.ts"
import { AgentClient } from "../support/client.ts"
import type { Answer } from "../support/http.ts"
import { dataOf } from "../support/outcome.ts"
import { newOwner, type TestOwner } from "../support/owner.ts"
import { png } from "../support/pictures.ts"
import { register } from "../support/register.ts"
import { rounds } from "../support/rounds.ts"
import { seeded } from "../support/seed.ts"
import { logOf, type TestService, testService } from "../support/service.ts"
import type { Carried } from "../support/sponsorship.ts"

const AGENTS = 4
const ROUNDS = rounds(2)
const WAIT_SECONDS = 25
const PATH = "/api/v1/me/captcha"

let service: TestService

beforeAll(async () => {
  const limits = { "rate_limits.message.requests": 1_000_000, "rate_limits.sponsorship.requests": 1000 }
  service = await testService({ processes: true, edges: 2, actors: 2, limits })
})
afterAll(() => service?.stop())

const anAgent = async (owners: ReadonlyArray<TestOwner>): Promise<Carried> => {
  let turn = 0
  const edge = (): string => service.edges[turn++ % service.edges.length] ?? ""
  const client = new AgentClient({ edge, losesConnections: true })
  const agent = { client, agent: await register(client, { edge: edge() }) }
  for (const owner of owners) await owner.carries(agent)
  return agent
}

/** What a person does whose page did not load: the same again. */
const persistently = (act: () => Promise<Answer>): Promise<Answer> =>
  waitFor(
    async () => {
      const answer = await act().catch(() => null)
      return answer === null || answer.status >= 500 ? null : answer
    },
    { describe: "an edge that answers the owner" }
  )

const send = async ({ client }: Carried, image_base64: string): Promise<Captcha> =>
  dataOf(
    await client.retrying("POST", PATH, {
      body: { image_base64, kind: "text", wait_seconds: WAIT_SECONDS },
      idempotencyKey: crypto.randomUUID()
    })
  )

/** A request that was made anew may have met itself, which was held still: then it is asked for. */
const awaited = async (agent: Carried, image: string): Promise<Captcha> => {
  let captcha = await send(agent, image)
  await waitFor(
    async () => {
      if (captcha.state !== "pending") return true
      captcha = dataOf(await agent.client.retrying("GET", `${PATH}/${captcha.id}?wait_seconds=${WAIT_SECONDS}`))
      return captcha.state !== "pending"
    },
    { describe: "the answer at the agent's" }
  )
  return captcha
}

const waitingAt = (owner: TestOwner, { agent }: Carried): Promise<string> =>
  waitFor(
    async () => {
      const page = await owner.client.get(owner.page({ agent })).catch(() => null)
      return /href="(\/owner\/captcha\/\d+)"/.exec(page?.text ?? "")?.[1] ?? null
    },
    { describe: "the captcha at its owner's" }
  )

test("each captcha has one answer, which its agent gets, whoever dies in between", async () => {
  const random = seeded("captchas under kills")
  const owners = [await newOwner(service.edges), await newOwner(service.edges)]
  const agents: Array<Carried> = []
  while (agents.length < AGENTS) agents.push(await anAgent(owners))
  const victims = [...service.system.actors, ...service.system.edges]
  const image = (await png(60, 30)).toString("base64")
  const got = new Map<Carried, Array<Captcha>>(agents.map((agent) => [agent, []]))
  for (let round = 0; round < ROUNDS; round++) {
    const held = agents.map((agent) => awaited(agent, image))
    const pages = await Promise.all(agents.map((agent) => waitingAt(owners[0] as TestOwner, agent)))
    const forms = await Promise.all(owners.map((owner) => Promise.all(pages.map((page) => owner.client.form(page)))))
    const victim = random.pick(victims)
    const dying = victim.kill()
    const answered = owners.flatMap((owner, by) =>
      pages.map(async (page, index) => {
        const fields = { ...forms[by]?.[index]?.fields, text: `${page} by ${owner.id}` }
        expect((await persistently(() => owner.client.post(page, fields))).status).toBe(303)
      })
    )
    await Promise.all([dying, ...answered])
    await victim.restart()
    for (const [index, captcha] of (await Promise.all(held)).entries()) {
      const agent = agents[index]
      if (agent !== undefined) got.get(agent)?.push(captcha)
      expect(`/owner/captcha/${captcha.id}`).toBe(pages[index])
      expect(captcha.state).toBe("answered")
      expect(owners.map(({ id }) => id)).toContain(captcha.answered_by)
      expect(captcha.answer).toEqual({ text: `${pages[index]} by ${captcha.answered_by}` })
    }
  }
  for (const [{ client }, captchas] of got) {
    expect(new Set(captchas.map(({ id }) => id)).size).toBe(ROUNDS)
    for (const { id, answer, answered_by, answered_at } of captchas) {
      // What it was told then, it stays.
      const now = dataOf<Captcha>(await client.retrying("GET", `${PATH}/${id}`))
      expect(now).toMatchObject({ state: "answered", answer, answered_by, answered_at })
      const events = (await logOf(service.view, "captcha", String(id))).flatMap(({ commit }) => commit.events)
      expect(events.map(({ type }) => type)).toEqual(["captcha.asked", "captcha.answered"])
    }
    const notices = await waitFor(
      async () => {
        const all = dataOf<ReadonlyArray<Notification>>(
          await client.retrying("GET", "/api/v1/me/notifications?per_page=100")
        ).filter(({ type }) => type === "captcha.answered")
        return all.length >= ROUNDS ? all : null
      },
      { describe: "that the agent was told" }
    )
    expect(notices.map(({ payload }) => payload["captcha_id"]).toSorted()).toEqual(
      captchas.map(({ id }) => id).toSorted()
    )
    // None was made beside those.
    expect(dataOf<Home>(await client.retrying("GET", "/api/v1/me/home")).captchas).toBe(0)
  }
})
