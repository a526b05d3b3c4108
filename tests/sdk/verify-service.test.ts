/** The verifier beside the real service: in every mode it says of a request what the service itself would say. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { createVerifier, type Verdict, type Verifier, type VerifierOptions } from "../../edge/sdk/verify.ts"
import { AgentClient } from "../support/client.ts"
import { operate } from "../support/hub.ts"
import { type Identity, newIdentity } from "../support/identity.ts"
import { type Visit, type VisitOptions, unixNow, verdictAt, visit } from "../support/proof.ts"
import { register, type Registered } from "../support/register.ts"
import { rotate } from "../support/rotation.ts"
import { sharedService, type TestService } from "../support/service.ts"

interface Subject {
  readonly agent: Registered
  readonly key: Identity
  readonly client: AgentClient
}

let service: TestService
let edge = ""
const subjects: Record<"active" | "rotated" | "suspended" | "banned" | "deleted", Subject> = {} as never
let replaced: Identity
const verifiers: Array<Verifier> = []

const subject = async (): Promise<Subject> => {
  const client = new AgentClient({ edge: () => edge })
  return { client, key: client.identity, agent: await register(client, { edge }) }
}

const verifier = (options: Partial<VerifierOptions> = {}): Verifier => {
  const made = createVerifier({ hub: edge, hosts: ["shop.example"], ...options })
  verifiers.push(made)
  return made
}

beforeAll(async () => {
  service = await sharedService()
  edge = service.edges[0] ?? ""
  for (const name of ["active", "rotated", "suspended", "banned", "deleted"] as const) subjects[name] = await subject()
  const { rotated, suspended, banned, deleted } = subjects
  replaced = rotated.key
  const next = newIdentity()
  await rotate(rotated.client, rotated.agent.id, next)
  subjects.rotated = { ...rotated, key: next }
  await operate(service.system, ["agent", "suspend", suspended.agent.handle])
  await operate(service.system, ["agent", "ban", banned.agent.handle])
  await deleted.client.call("DELETE", "/api/v1/me", { body: { confirm: deleted.agent.handle } })
})
afterAll(async () => {
  for (const one of verifiers) one.close()
  await service?.stop()
})

type Case = readonly [name: string, expected: Verdict["reason"], visit: () => Visit]

const of = (name: keyof typeof subjects, options: VisitOptions = {}, key?: Identity): Visit =>
  visit(key ?? subjects[name].key, subjects[name].agent.hx_id, options)
const spoilt = (one: Visit, headers: Readonly<Record<string, string>>): Visit => ({
  ...one,
  headers: { ...one.headers, ...headers }
})
const announcing = (number: string): Visit => ({
  ...of("active"),
  headers: { "User-Agent": `HubAgent/1.0 (${number}; +https://hub.example/id/${number})` }
})

const CASES: ReadonlyArray<Case> = [
  ["a good proof", null, () => of("active")],
  ["a good proof after a rotation", null, () => of("rotated")],
  ["no headers", "headers_missing", () => ({ ...of("active"), headers: {} })],
  ["an announcement", "announced_only", () => announcing(subjects.active.agent.hx_id)],
  ["an announcement of nobody", "announced_only", () => announcing("HX-987654")],
  ["one header", "headers_incomplete", () => ({ ...of("active"), headers: { "Hub-Id": subjects.active.agent.hx_id } })],
  ["a number that is none", "id_malformed", () => spoilt(of("active"), { "Hub-Id": "HX-1" })],
  ["an empty number", "id_malformed", () => spoilt(of("active"), { "Hub-Id": "" })],
  ["a number that nobody has", "id_unknown", () => spoilt(of("active"), { "Hub-Id": "HX-987654" })],
  ["a deleted account", "agent_retired", () => of("deleted")],
  ["a time in words", "timestamp_invalid", () => of("active", { timestamp: "now" })],
  ["a time long ago", "timestamp_expired", () => of("active", { timestamp: String(unixNow() - 310) })],
  ["a short nonce", "nonce_invalid", () => of("active", { nonce: "short" })],
  ["another path", "bad_signature", () => ({ ...of("active"), path: "/other" })],
  ["another key", "bad_signature", () => of("active", {}, newIdentity())],
  ["a replaced key", "key_retired", () => of("rotated", {}, replaced)],
  ["a suspended agent", "agent_suspended", () => of("suspended")],
  ["a banned agent", "agent_banned", () => of("banned")]
]

describe.each(["directory", "lookup", "online"] as const)("mode %s", (mode) => {
  let one: Verifier

  beforeAll(() => {
    one = verifier({ mode })
  })

  it.each(CASES)("%s", async (_name, expected, visited) => {
    const ours = await one.check(visited())
    const theirs = await verdictAt(edge, visited())
    const comparable = ({ message: _, name, ...rest }: Partial<Verdict>) => ({
      ...rest,
      ...(mode === "directory" ? {} : { name })
    })
    expect(comparable(ours)).toEqual(comparable(theirs))
    expect(ours.reason).toBe(expected)
  })

  it("a request is good once", async () => {
    const visited = of("active")
    expect(await one.check(visited)).toMatchObject({ valid: true })
    expect(await one.check(visited)).toMatchObject({ reason: "replayed" })
  })
})

describe("what changes at the service", () => {
  it("is seen by a verifier when it asks again, and a 304 confirms what did not change", async () => {
    let ahead = 0
    const answers: Array<number> = []
    const noting: VerifierOptions["fetch"] = async (url, init) => {
      const response = await fetch(url, init)
      answers.push(response.status)
      return response as never
    }
    // Time passes for the verifier alone: it learns from the service's answers that its own clock is ahead.
    const one = verifier({ now: () => Date.now() + ahead, fetch: noting })
    const { client, agent, key } = await subject()
    expect(await one.check(visit(key, agent.hx_id))).toMatchObject({ valid: true })
    ahead += 301_000
    expect(await one.check(visit(key, agent.hx_id))).toMatchObject({ valid: true })
    expect(one.state().clock_ahead_ms).toBeLessThan(-299_000)
    const next = newIdentity()
    await rotate(client, agent.id, next)
    ahead += 61_000
    expect(await one.check(visit(next, agent.hx_id))).toMatchObject({ valid: true })
    expect(await one.check(visit(key, agent.hx_id))).toMatchObject({ reason: "key_retired" })
    expect(answers).toEqual([200, 304, 200])
  })
})
