/**
 * Registration while things break. It is one commit over four subjects: whoever looks afterwards finds an agent with
 * its key and its handle, or nothing at all.
 */
import { setTimeout as delay } from "node:timers/promises"
import { afterAll, beforeAll, expect, test } from "vitest"
import { type ProcessControl, waitFor } from "../harness/index.ts"
import { AgentClient } from "../support/client.ts"
import type { Answer } from "../support/http.ts"
import { send } from "../support/http.ts"
import { outcome } from "../support/outcome.ts"
import { identityOf } from "../support/identity.ts"
import { challengeId, registrationForm } from "../support/register.ts"
import { rounds } from "../support/rounds.ts"
import { type SeededRandom, seeded } from "../support/seed.ts"
import { logOf, type TestService, testService } from "../support/service.ts"
import { homeOf, isSettled, sessionOf } from "../chaos/verdict.ts"

const ACTORS = 3
const RACES = 5
const REQUEST_DEADLINE_MS = 4000
const KILLS = rounds(2)
/** Registrations under way at a kill. */
const AT_ONCE = 6
/** A registration takes some 50 ms among others: the kill falls before, into and behind it. */
const STEPS_WITHIN_MS = 20
const KILL_WITHIN_MS = 120

let service: TestService
let random: SeededRandom

beforeAll(async () => {
  random = seeded("registration under faults")
  service = await testService({
    processes: true,
    edges: 2,
    actors: ACTORS,
    limits: { "service.request_deadline_ms": REQUEST_DEADLINE_MS }
  })
  await waitFor(() => isSettled(service.view, ACTORS), { describe: "three actor nodes with shards" })
})
afterAll(() => service?.stop())

const newClient = () =>
  new AgentClient({ edge: () => random.pick(service.edges), identity: identityOf(random.bytes(32)) })

/** Where the edge died under the first try, that try counts as under way until its deadline has passed. */
async function stepThree(client: AgentClient, handle: string, challenge: string): Promise<Answer> {
  return waitFor(
    async () => {
      const answer = await client.retrying("POST", "/api/v1/register", {
        body: registrationForm(challenge, { handle }),
        idempotencyKey: `register ${challenge}`
      })
      return answer.code === "idempotency_in_flight" && Number(answer.headers["retry-after"]) >= 1 ? null : answer
    },
    { describe: "the end of the first try" }
  )
}

async function shownUnder(handle: string): Promise<Answer> {
  return send({ edge: random.pick(service.edges), method: "GET", path: `/api/v1/agents/${handle}` })
}

test("two agents that race for one handle: one has it, the other hears so", async () => {
  for (let race = 0; race < RACES; race++) {
    const handle = random.word(12)
    const rivals = [newClient(), newClient()]
    const challenges = await Promise.all(rivals.map((rival) => challengeId(rival, random.pick(service.edges))))
    const answers = await Promise.all(rivals.map((rival, index) => stepThree(rival, handle, challenges[index] ?? "")))
    expect(answers.map(outcome).toSorted()).toEqual(["201", "409 handle_taken"])
    const winner = rivals[answers.findIndex((answer) => answer.status === 201)]
    expect((await shownUnder(handle)).json.data).toMatchObject({ id: winner?.hubId, handle })
  }
})

test("one key that registers twice at once, under two handles: it has one of them, the other stays free", async () => {
  for (let race = 0; race < RACES; race++) {
    const client = newClient()
    const twin = new AgentClient({ edge: () => random.pick(service.edges), identity: client.identity })
    const handles = [random.word(12), random.word(12)]
    const challenges = await Promise.all([
      challengeId(client, service.edges[0] ?? ""),
      challengeId(twin, service.edges[1] ?? "")
    ])
    const answers = await Promise.all(
      [client, twin].map((one, index) => stepThree(one, handles[index] ?? "", challenges[index] ?? ""))
    )
    expect(answers.map(outcome).toSorted()).toEqual(["201", "409 key_already_registered"])
    const lost = handles[answers.findIndex((answer) => answer.status === 409)] ?? ""
    expect((await shownUnder(lost)).status).toBe(404)
    const another = newClient()
    expect(outcome(await stepThree(another, lost, await challengeId(another, service.edges[0] ?? "")))).toBe("201")
  }
})

interface Attempt {
  readonly client: AgentClient
  readonly handle: string
  readonly challenge: string
  /** `null`: no answer came. */
  readonly first: Answer | null
}

/** One round: third steps are under way when a process on their way is killed, at a moment drawn by lot. */
async function registerWhileKilling(
  edge: number,
  victim: ProcessControl,
  challengeFor: (client: AgentClient) => Promise<string>
): Promise<ReadonlyArray<Attempt>> {
  const applicants = await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      const client = newClient()
      return { client, handle: random.word(12), challenge: await challengeFor(client) }
    })
  )
  const steps = applicants.map(async ({ client, handle, challenge }) => {
    await delay(random.next() * STEPS_WITHIN_MS)
    return client
      .call("POST", "/api/v1/register", {
        body: registrationForm(challenge, { handle }),
        idempotencyKey: `register ${challenge}`,
        edge: service.edges[edge] ?? ""
      })
      .catch(() => null)
  })
  await delay(random.next() * KILL_WITHIN_MS)
  await victim.kill()
  const firsts = await Promise.all(steps)
  await victim.restart()
  await waitFor(() => isSettled(service.view, ACTORS), { describe: "three actor nodes with shards" })
  return applicants.map((applicant, index) => ({ ...applicant, first: firsts[index] ?? null }))
}

async function expectWholeOrNothing(round: () => Promise<ReadonlyArray<Attempt>>): Promise<void> {
  const seen = new Map<string, number>()
  for (let kill = 0; kill < KILLS; kill++) {
    for (const { client, handle, challenge, first } of await round()) {
      const answered = first === null ? "no answer" : outcome(first)
      const claims = await logOf(service.view, "handle", handle)
      const agents = await logOf(service.view, "agent", client.hubId)
      const what = `${answered}, ${agents.length === 0 ? "nothing" : "registered"}`
      seen.set(what, (seen.get(what) ?? 0) + 1)
      expect(["no answer", "201", "503 unavailable"]).toContain(answered)
      expect(claims.length, "claims and agents are made together").toBe(agents.length)
      if (first?.status === 201) expect(agents.length, "an acknowledged registration").toBe(1)
      await expectOpenTo(client, handle, challenge, agents.length)
    }
  }
  console.log(`what was seen while a process died: ${JSON.stringify(Object.fromEntries(seen))}`)
}

/** Whoever came away with nothing has taken nothing: every second time, another gets the handle. */
async function expectOpenTo(client: AgentClient, handle: string, challenge: string, registered: number): Promise<void> {
  const another = registered === 0 && random.chance(0.5) ? newClient() : client
  const answer = await stepThree(
    another,
    handle,
    another === client ? challenge : await challengeId(another, random.pick(service.edges))
  )
  expect(outcome(answer), "the handle is its own, or free").toBe("201")
  const shown = await shownUnder(handle)
  expect(shown.json, `the agent under its handle: ${shown.status}`).toMatchObject({
    ok: true,
    data: { id: another.hubId, handle }
  })
  expect((await logOf(service.view, "agent", another.hubId)).length).toBe(1)
}

test("an actor killed during the third step leaves a whole registration or none", async () => {
  const { view, system, edges } = service
  await expectWholeOrNothing(async () => {
    const victim = random.pick(system.actors)
    const session = await sessionOf(view, victim.pid)
    // Challenges at home with the victim: about one in three.
    const challengeFor = (client: AgentClient) =>
      waitFor(
        async () => {
          const challenge = await challengeId(client, random.pick(edges))
          return homeOf(view, challenge) === session ? challenge : ""
        },
        { describe: "a challenge at home with the victim" }
      )
    return registerWhileKilling(random.below(edges.length), victim, challengeFor)
  })
})

test("so does an edge", async () => {
  const { system, edges } = service
  await expectWholeOrNothing(() => {
    const edge = random.below(edges.length)
    const victim = system.edges[edge]
    if (victim === undefined) throw new Error(`no edge ${edge}`)
    return registerWhileKilling(edge, victim, (client) => challengeId(client, edges[edge] ?? ""))
  })
})
