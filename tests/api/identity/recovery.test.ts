/** The recovery key: off until set, three days of warning, and whoever has the current key can stop it. */
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import type { IdentityRecord, Recovery, RecoveryScheduled } from "../../../schemas/identity/records.ts"
import { waitFor } from "../../harness/index.ts"
import { AgentClient } from "../../support/client.ts"
import { type Answer, send } from "../../support/http.ts"
import { type Identity, newIdentity } from "../../support/identity.ts"
import { dataOf, fieldOf, outcome } from "../../support/outcome.ts"
import { register, type Registered } from "../../support/register.ts"
import { recoveryBody, rotate, rotationBody, setRecovery } from "../../support/rotation.ts"
import { logOf, type TestService, testService } from "../../support/service.ts"

/** Long enough to look at it, short enough to wait for. */
const DELAY_SECONDS = 6

let service: TestService
let edge = ""

beforeAll(async () => {
  service = await testService({
    processes: true,
    edges: 1,
    actors: 2,
    limits: { "identity.recovery_delay_seconds": DELAY_SECONDS, "rate_limits.recover.requests": 1_000_000 }
  })
  edge = service.edges[0] ?? ""
})
afterAll(() => service?.stop())

interface Subject {
  readonly client: AgentClient
  readonly agent: Registered
  readonly recovery: Identity
}

const clientOf = (identity?: Identity): AgentClient =>
  new AgentClient({ edge: () => edge, ...(identity === undefined ? {} : { identity }) })

const subject = async (): Promise<Subject> => {
  const client = clientOf()
  const agent = await register(client, { edge })
  const recovery = newIdentity()
  expect(outcome(await setRecovery(client, recovery))).toBe("200")
  return { client, agent, recovery }
}

const recover = ({ agent, client, recovery }: Subject, next: Identity, by: Identity = recovery): Promise<Answer> =>
  clientOf(by).call("POST", "/api/v1/recover", {
    body: { agent: agent.handle, ...rotationBody(agent.id, client.identity.publicKey, next) }
  })

const me = async (identity: Identity): Promise<string> => outcome(await clientOf(identity).call("GET", "/api/v1/me"))

const recoveryOf = async (client: AgentClient): Promise<Recovery> =>
  dataOf<Recovery>(await client.call("GET", "/api/v1/me/recovery"))

const eventsOf = async (agent: Registered): Promise<ReadonlyArray<string>> =>
  (await logOf(service.view, "agent", agent.id)).flatMap((entry) =>
    entry.commit.events.map((event) => ("about" in event ? `${event.type} ${String(event["about"])}` : event.type))
  )

test("is off until it is set, and can be switched off again", async () => {
  const client = clientOf()
  const agent = await register(client, { edge })
  const off = { recovery_public_key: null, set_at: null, delay_seconds: DELAY_SECONDS, pending: null }
  expect(await recoveryOf(client)).toEqual(off)
  const key = newIdentity()
  expect(outcome(await recover({ client, agent, recovery: key }, newIdentity()))).toBe("403 recovery_refused")
  expect(dataOf(await setRecovery(client, key))).toEqual({
    ...off,
    recovery_public_key: key.publicKey,
    set_at: expect.any(String)
  })
  expect(dataOf(await client.call("DELETE", "/api/v1/me/recovery"))).toEqual(off)
  expect(outcome(await recover({ client, agent, recovery: key }, newIdentity()))).toBe("403 recovery_refused")
})

test("replaces the key after its delay, on every node, even if all of them died meanwhile", async () => {
  const it = await subject()
  const next = newIdentity()
  const answer = await recover(it, next)
  expect(answer.status).toBe(202)
  const scheduled = dataOf<RecoveryScheduled>(answer)
  expect(scheduled).toMatchObject({ id: it.agent.hx_id, hub_id: it.agent.id, new_public_key: next.publicKey })
  expect(Date.parse(scheduled.effective_at) - Date.parse(scheduled.requested_at)).toBe(DELAY_SECONDS * 1000)
  expect([await me(it.client.identity), await me(next)]).toEqual(["200", "401 key_unknown"])
  expect((await recoveryOf(it.client)).pending).toMatchObject({
    new_public_key: next.publicKey,
    effective_at: scheduled.effective_at
  })
  for (const actor of service.system.actors) await actor.kill()
  for (const actor of service.system.actors) await actor.restart()
  await waitFor(async () => (await me(next)) === "200", { describe: "the recovered key" })
  expect(Date.now()).toBeGreaterThanOrEqual(Date.parse(scheduled.effective_at))
  expect(await me(it.client.identity)).toBe("401 key_retired")
  expect((await recoveryOf(clientOf(next))).pending).toBeNull()
  const record = dataOf<IdentityRecord>(await send({ edge, method: "GET", path: `/api/v1/id/${it.agent.hx_id}` }))
  expect(record.keys.at(-1)).toMatchObject({
    public_key: next.publicKey,
    status: "current",
    proof: { kind: "recovery", request: { public_key: it.recovery.publicKey } }
  })
  // The recovery key's own authority is published with it: the agent's key named it.
  const authority = record.keys.at(-1)?.proof?.authorised_by ?? expect.fail("nothing authorised the recovery key")
  expect(authority.public_key).toBe(it.client.identity.publicKey)
  expect(authority.string_to_sign.split("\n").slice(1, 4)).toEqual(["PUT", new URL(edge).host, "/api/v1/me/recovery"])
  expect(JSON.parse(authority.body)).toEqual(recoveryBody(it.agent.id, it.client.identity.publicKey, it.recovery))
  expect((await eventsOf(it.agent)).slice(-2)).toEqual(["agent.key_rotated", "agent.notified agent.key_rotated"])
  expect(await eventsOf(it.agent)).toContain("agent.notified agent.recovery_scheduled")
})

describe("is cancelled", () => {
  const cancels: ReadonlyArray<readonly [string, (it: Subject) => Promise<Answer>]> = [
    ["by the current key", ({ client }) => client.call("POST", "/api/v1/me/recovery/cancel")],
    ["by switching recovery off", ({ client }) => client.call("DELETE", "/api/v1/me/recovery")],
    ["by another recovery key", ({ client }) => setRecovery(client, newIdentity())]
  ]
  // Each waits for the delay: all of them wait at once.
  test.concurrent.each(cancels)("%s, and nothing happens when it would have been due", async (_name, cancel) => {
    const it = await subject()
    const next = newIdentity()
    expect((await recover(it, next)).status).toBe(202)
    expect(outcome(await cancel(it))).toBe("200")
    expect((await recoveryOf(it.client)).pending).toBeNull()
    // Another agent's recovery, asked for later, is due later: by then this one's timer has fired.
    const witness = await subject()
    const later = newIdentity()
    await recover(witness, later)
    await waitFor(async () => (await me(later)) === "200", { describe: "a later recovery" })
    expect([await me(it.client.identity), await me(next)]).toEqual(["200", "401 key_unknown"])
  })

  test("by a rotation, which its proof does not know of", async () => {
    const it = await subject()
    await recover(it, newIdentity())
    const rotated = newIdentity()
    expect(outcome(await rotate(it.client, it.agent.id, rotated))).toBe("200")
    expect(await recoveryOf(clientOf(rotated))).toMatchObject({
      recovery_public_key: it.recovery.publicKey,
      pending: null
    })
    expect((await eventsOf(it.agent)).slice(-4)).toEqual([
      "agent.recovery_cancelled",
      "agent.notified agent.recovery_cancelled",
      "agent.key_rotated",
      "agent.notified agent.key_rotated"
    ])
  })

  test("only while one is under way", async () => {
    const it = await subject()
    expect(outcome(await it.client.call("POST", "/api/v1/me/recovery/cancel"))).toBe("409 recovery_not_pending")
  })
})

describe("is refused", () => {
  test("to any other key, to strangers, and for agents that are not there", async () => {
    const it = await subject()
    expect(outcome(await recover(it, newIdentity(), newIdentity()))).toBe("403 recovery_refused")
    expect(outcome(await recover(it, newIdentity(), it.client.identity))).toBe("403 recovery_refused")
    const nobody = { ...it, agent: { ...it.agent, handle: "nobody-has-this" } }
    expect(outcome(await recover(nobody, newIdentity()))).toBe("404 not_found")
    expect(outcome(await send({ edge, method: "POST", path: "/api/v1/recover", body: "{}" }))).toBe(
      "401 authentication_required"
    )
  })

  test("a second time while one is under way", async () => {
    const it = await subject()
    await recover(it, newIdentity())
    expect(outcome(await recover(it, newIdentity()))).toBe("409 recovery_pending")
  })

  test("with a proof that does not hold, with keys in use, and its nonce counts all the same", async () => {
    const it = await subject()
    const body = { agent: it.agent.id, new_public_key: newIdentity().publicKey, proof: "AAAA" }
    const signed = clientOf(it.recovery).signed("POST", "/api/v1/recover", { body })
    expect(outcome(await send(signed))).toBe("422 rotation_proof_invalid")
    expect(outcome(await send(signed))).toBe("401 auth_nonce_reused")
    expect(outcome(await recover(it, it.client.identity))).toBe("409 key_unavailable")
    expect(outcome(await recover(it, (await subject()).client.identity))).toBe("409 key_unavailable")
    expect(outcome(await recover(it, it.recovery))).toBe("409 key_unavailable")
  })

  test("a recovery key that is another agent's, was another's recovery key, or a body that says more", async () => {
    const [{ client }, other] = [await subject(), await subject()]
    for (const key of [other.client.identity, other.recovery])
      expect(outcome(await setRecovery(client, key))).toBe("409 key_unavailable")
    const fresh = newIdentity().publicKey
    const more = await client.call("PUT", "/api/v1/me/recovery", {
      body: { recovery_public_key: fresh, proof: "AAAA", note: "read me" }
    })
    expect([outcome(more), fieldOf(more)]).toEqual(["422 validation_error", "body"])
    const twice = await client.call("PUT", "/api/v1/me/recovery", {
      body: `{"recovery_public_key":"${newIdentity().publicKey}","recovery_public_key":"${fresh}","proof":"AAAA"}`
    })
    expect([outcome(twice), fieldOf(twice)]).toEqual(["422 validation_error", "recovery_public_key"])
  })

  test("a key that did not sign for it: nobody's key is taken without its consent", async () => {
    const { client, agent } = await subject()
    const stranger = newIdentity()
    const { proof } = recoveryBody(agent.id, client.identity.publicKey, newIdentity())
    for (const wrong of [
      proof,
      "AAAA",
      recoveryBody((await subject()).agent.id, client.identity.publicKey, stranger).proof
    ]) {
      const answer = await client.call("PUT", "/api/v1/me/recovery", {
        body: { recovery_public_key: stranger.publicKey, proof: wrong }
      })
      expect([outcome(answer), fieldOf(answer)]).toEqual(["422 recovery_proof_invalid", "proof"])
      const text = ["HUB-RECOVERY-V1", agent.id, client.identity.publicKey, stranger.publicKey].join("\n")
      expect(answer.json.error?.details["string_to_sign"]).toBe(text)
    }
    const missing = await client.call("PUT", "/api/v1/me/recovery", {
      body: { recovery_public_key: stranger.publicKey }
    })
    expect([outcome(missing), fieldOf(missing)]).toEqual(["422 validation_error", "proof"])
    expect((await register(clientOf(stranger), { edge })).id).toBe(stranger.hubId)
  })

  test("to become the signing key: a recovery key proves one thing only", async () => {
    const { client, agent, recovery } = await subject()
    expect(outcome(await rotate(client, agent.id, recovery))).toBe("409 key_unavailable")
    expect(
      outcome(
        await send({
          edge,
          method: "POST",
          path: "/api/v1/register/challenge",
          body: JSON.stringify({ public_key: recovery.publicKey })
        })
      )
    ).toBe("409 key_already_registered")
    expect(await me(recovery)).toBe("401 key_unknown")
  })

  test("a recovery key that is one of the agent's own, or no key", async () => {
    const { client } = await subject()
    const own = await setRecovery(client, client.identity)
    expect([outcome(own), fieldOf(own)]).toEqual(["422 validation_error", "recovery_public_key"])
    const none = await client.call("PUT", "/api/v1/me/recovery", {
      body: { recovery_public_key: "AAAA", proof: "AAAA" }
    })
    expect([outcome(none), fieldOf(none)]).toEqual(["422 validation_error", "recovery_public_key"])
  })

  test("of a banned agent, also when it was asked for before", async () => {
    const it = await subject()
    const next = newIdentity()
    await recover(it, next)
    // At the actor itself: the operator's command takes longer to start than a recovery here to be due.
    await service.view.command("agent.ban", it.agent.id, { reason: "a test" })
    await waitFor(async () => (await eventsOf(it.agent)).includes("agent.recovery_cancelled"), {
      describe: "the due recovery to be dropped"
    })
    expect(await me(next)).toBe("401 key_unknown")
  })
})

test("of a deleted agent is refused by its hub id, and its old handle names nobody", async () => {
  const it = await subject()
  await it.client.call("DELETE", "/api/v1/me", { body: { confirm: it.agent.handle } })
  const by = async (agent: string): Promise<string> =>
    outcome(
      await clientOf(it.recovery).call("POST", "/api/v1/recover", {
        body: { agent, ...rotationBody(it.agent.id, it.client.identity.publicKey, newIdentity()) }
      })
    )
  expect(await by(it.agent.id)).toBe("403 agent_deleted")
  expect(await by(it.agent.handle)).toBe("404 not_found")
})
