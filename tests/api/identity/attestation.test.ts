/** `GET` and `POST /agents/{ref}/verify`: a challenge, and the service's signed word (contract 5). */
import { sign } from "node:crypto"
import { compactVerify, importJWK } from "jose"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import type { Attestation, VerifyChallenge } from "../../../schemas/identity/records.ts"
import { jwkOf } from "../../../schemas/signing/jwk.ts"
import { AgentClient } from "../../support/client.ts"
import { type Answer, send } from "../../support/http.ts"
import { operate } from "../../support/hub.ts"
import { type Identity, newIdentity } from "../../support/identity.ts"
import { dataOf, outcome } from "../../support/outcome.ts"
import { register, type Registered } from "../../support/register.ts"
import { rotate } from "../../support/rotation.ts"
import { type TestService, sharedService } from "../../support/service.ts"
import { waitFor } from "../../harness/index.ts"

/** Time enough on a slow machine. */
const TTL_SECONDS = 15

let service: TestService
let edge = ""
let other = ""
/** Asked for before everything else, so that few wait for its end. */
let late: Subject & { readonly challenge: VerifyChallenge }

interface Subject {
  readonly client: AgentClient
  readonly agent: Registered
}

beforeAll(async () => {
  service = await sharedService({ limits: { "identity.challenge_ttl_seconds": TTL_SECONDS } })
  edge = service.edges[0] ?? ""
  other = service.edges[1] ?? ""
  const one = await subject()
  late = { ...one, challenge: dataOf<VerifyChallenge>(await ask(one.agent.id)) }
})
afterAll(() => service?.stop())

const subject = async (): Promise<Subject> => {
  const client = new AgentClient({ edge: () => edge })
  return { client, agent: await register(client, { edge }) }
}

const ask = (ref: string, at = edge): Promise<Answer> =>
  send({ edge: at, method: "GET", path: `/api/v1/agents/${ref}/verify` })

const answerTo = (ref: string, challenge: VerifyChallenge, identity: Identity, at = other): Promise<Answer> => {
  const signature = sign(null, Buffer.from(challenge.string_to_sign), identity.privateKey).toString("base64")
  return send({
    edge: at,
    method: "POST",
    path: `/api/v1/agents/${ref}/verify`,
    body: JSON.stringify({ challenge: challenge.challenge, signature })
  })
}

test("an answered challenge gives an attestation that anybody can check by the service's key", async () => {
  const { client, agent } = await subject()
  const challenge = dataOf<VerifyChallenge>(await ask(agent.handle))
  expect(challenge).toMatchObject({ challenge: expect.stringMatching(/^[A-Za-z0-9_-]{43}$/), ttl_seconds: TTL_SECONDS })
  expect(challenge.string_to_sign).toBe(
    `HUB-VERIFY-V1\n${agent.id}\n${challenge.challenge}\n${Date.parse(challenge.expires_at) / 1000}`
  )
  const { valid, attestation } = dataOf<Attestation>(await answerTo(agent.id, challenge, client.identity))
  expect(valid).toBe(true)
  const discovery = dataOf<{ server_public_key: string }>(await send({ edge, method: "GET", path: "/api/v1" }))
  expect(attestation.server_public_key).toBe(discovery.server_public_key)
  const jwk = jwkOf(attestation.server_public_key)
  const { payload, protectedHeader } = await compactVerify(attestation.jws, await importJWK({ ...jwk }, "EdDSA"))
  expect(protectedHeader).toMatchObject({ alg: "EdDSA", kid: jwk.kid })
  expect(JSON.parse(Buffer.from(payload).toString("utf8"))).toEqual(attestation.payload)
  expect(attestation.payload).toMatchObject({
    iss: edge,
    sub: agent.id,
    hx_id: agent.hx_id,
    handle: agent.handle,
    public_key: client.identity.publicKey,
    status: "active",
    trust: 10,
    reputation: 0,
    challenge: challenge.challenge
  })
  expect(attestation.payload.exp - attestation.payload.iat).toBe(86_400)
})

describe("a challenge", () => {
  test("is good once", async () => {
    const { client, agent } = await subject()
    const challenge = dataOf<VerifyChallenge>(await ask(agent.id))
    const answers = await Promise.all([edge, other].map((at) => answerTo(agent.id, challenge, client.identity, at)))
    expect(answers.map(outcome).toSorted()).toEqual(["200", "400 verify_challenge_used"])
  })

  test("is not used up by a bad signature, and needs the current key", async () => {
    const { client, agent } = await subject()
    const challenge = dataOf<VerifyChallenge>(await ask(agent.id))
    expect(outcome(await answerTo(agent.id, challenge, newIdentity()))).toBe("422 verify_bad_signature")
    const next = newIdentity()
    await rotate(client, agent.id, next)
    expect(outcome(await answerTo(agent.id, challenge, client.identity))).toBe("422 verify_bad_signature")
    expect(outcome(await answerTo(agent.id, challenge, next))).toBe("200")
  })

  test("is for one agent, and cannot be made up", async () => {
    const [one, two] = [await subject(), await subject()]
    const challenge = dataOf<VerifyChallenge>(await ask(one.agent.id))
    expect(outcome(await answerTo(two.agent.id, challenge, two.client.identity))).toBe("400 verify_challenge_unknown")
    const answered = dataOf<VerifyChallenge>(await ask(one.agent.id))
    expect(outcome(await answerTo(one.agent.id, answered, one.client.identity))).toBe("200")
    expect(
      outcome(await answerTo(one.agent.id, { ...answered, challenge: `${answered.challenge}=` }, one.client.identity))
    ).toBe("400 verify_challenge_unknown")
    for (const made of ["", "AAAA", Buffer.alloc(32, 1).toString("base64url"), "x".repeat(5000)]) {
      expect(outcome(await answerTo(one.agent.id, { ...challenge, challenge: made }, one.client.identity))).toBe(
        "400 verify_challenge_unknown"
      )
    }
  })

  test("expires", async () => {
    const { client, agent, challenge } = late
    await waitFor(() => Date.now() > Date.parse(challenge.expires_at), { describe: "the challenge to expire" })
    expect(outcome(await answerTo(agent.id, challenge, client.identity))).toBe("400 verify_challenge_expired")
  })
})

test("a suspended agent is 403, a banned, deleted or unknown one 404", async () => {
  const { client, agent } = await subject()
  const challenge = dataOf<VerifyChallenge>(await ask(agent.id))
  await operate(service.system, ["agent", "suspend", agent.handle])
  expect([outcome(await ask(agent.id)), outcome(await answerTo(agent.id, challenge, client.identity))]).toEqual([
    "403 agent_suspended",
    "403 agent_suspended"
  ])
  await operate(service.system, ["agent", "ban", agent.handle])
  expect([outcome(await ask(agent.id)), outcome(await answerTo(agent.id, challenge, client.identity))]).toEqual([
    "404 not_found",
    "404 not_found"
  ])
  expect(outcome(await ask("nobody-has-this"))).toBe("404 not_found")
})
