/**
 * Registration while things break. It is one commit over four subjects: whoever looks afterwards finds an agent with its
 * key and its handle, or nothing at all.
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
import { type SeededRandom, seeded } from "../support/seed.ts"
import { logOf, type TestService, testService } from "../support/service.ts"
import { homeOf, isSettled, sessionOf } from "./verdict.ts"

const ACTORS = 3
const RACES = 5
const KILL_ROUNDS = 10
/** A registration takes some 20 ms: the kill falls before, into and behind it. */
const KILL_WITHIN_MS = 40

let service: TestService
let random: SeededRandom

beforeAll(async () => {
  random = seeded("registration under faults")
  service = await testService({ edges: 2, actors: ACTORS })
  await waitFor(() => isSettled(service.view, ACTORS), { describe: "three actor nodes with shards" })
})
afterAll(() => service?.stop())

const newClient = () => new AgentClient({ edge: () => random.pick(service.edges), identity: identityOf(random.bytes(32)) })

async function stepThree(client: AgentClient, handle: string, challenge: string): Promise<Answer> {
  return client.retrying("POST", "/api/v1/register", { body: registrationForm(challenge, { handle }), idempotencyKey: `register ${challenge}` })
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
    const challenges = await Promise.all([challengeId(client, service.edges[0] ?? ""), challengeId(twin, service.edges[1] ?? "")])
    const answers = await Promise.all([client, twin].map((one, index) => stepThree(one, handles[index] ?? "", challenges[index] ?? "")))
    expect(answers.map(outcome).toSorted()).toEqual(["201", "409 key_already_registered"])
    const lost = handles[answers.findIndex((answer) => answer.status === 409)] ?? ""
    expect((await shownUnder(lost)).status).toBe(404)
    const another = newClient()
    expect(outcome(await stepThree(another, lost, await challengeId(another, service.edges[0] ?? "")))).toBe("201")
  }
})

/** One round: the third step is under way when a process on its way is killed, at a moment drawn by lot. `null`: no answer came. */
async function registerWhileKilling(client: AgentClient, handle: string, victimOf: (challenge: string, edge: number) => Promise<ProcessControl>) {
  const edge = random.below(service.edges.length)
  const challenge = await challengeId(client, service.edges[edge] ?? "")
  const victim = await victimOf(challenge, edge)
  const answer = client
    .call("POST", "/api/v1/register", { body: registrationForm(challenge, { handle }), idempotencyKey: `register ${challenge}`, edge: service.edges[edge] ?? "" })
    .catch(() => null)
  await delay(random.next() * KILL_WITHIN_MS)
  await victim.kill()
  const first = await answer
  await victim.restart()
  await waitFor(() => isSettled(service.view, ACTORS), { describe: "three actor nodes with shards" })
  return { first, challenge }
}

async function expectWholeOrNothing(victimOf: (challenge: string, edge: number) => Promise<ProcessControl>): Promise<void> {
  const seen: Array<string> = []
  for (let round = 0; round < KILL_ROUNDS; round++) {
    const client = newClient()
    const handle = random.word(12)
    const { first, challenge } = await registerWhileKilling(client, handle, victimOf)
    const claims = await logOf(service.view, "handle", handle)
    const agents = await logOf(service.view, "agent", client.hubId)
    seen.push(`${first === null ? "no answer" : outcome(first)}, ${agents.length === 0 ? "nothing" : "registered"}`)
    expect(["no answer", "201", "503 unavailable"]).toContain(first === null ? "no answer" : outcome(first))
    expect(claims.length, "claims and agents are made together").toBe(agents.length)
    if (first?.status === 201) expect(agents.length, "an acknowledged registration").toBe(1)
    await expectOpenTo(client, handle, challenge, agents.length)
  }
  console.log(`what was seen while a process died: ${seen.join("; ")}`)
}

/** Whoever came away with nothing has taken nothing: every second time, another gets the handle. */
async function expectOpenTo(client: AgentClient, handle: string, challenge: string, registered: number): Promise<void> {
  const another = registered === 0 && random.chance(0.5) ? newClient() : client
  const answer = await stepThree(another, handle, another === client ? challenge : await challengeId(another, random.pick(service.edges)))
  expect(outcome(answer), "the handle is its own, or free").toBe("201")
  const shown = await shownUnder(handle)
  expect(shown.json, `the agent under its handle: ${shown.status}`).toMatchObject({ ok: true, data: { id: another.hubId, handle } })
  expect((await logOf(service.view, "agent", another.hubId)).length).toBe(1)
}

test("an actor killed during the third step leaves a whole registration or none", () =>
  expectWholeOrNothing(async (challenge) => {
    const home = homeOf(service.view, challenge)
    const sessions = await Promise.all(service.system.actors.map((actor) => sessionOf(service.view, actor.pid)))
    const victim = service.system.actors[sessions.indexOf(home)]
    if (victim === undefined) throw new Error(`no process has the session ${home}`)
    return victim
  }), 40_000)

test("so does an edge", () =>
  expectWholeOrNothing((_challenge, edge) => {
    const victim = service.system.edges[edge]
    return victim === undefined ? Promise.reject(new Error(`no edge ${edge}`)) : Promise.resolve(victim)
  }), 40_000)
