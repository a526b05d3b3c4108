/** Whoever gets no answer sends the same ask again: limits are drawn once for it, and a visit is counted once. */
import { randomBytes, sign } from "node:crypto"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { KINDS } from "../../../actors/process/kinds.ts"
import { registrationEvents } from "../../../actors/agent/profile/decide.ts"
import { JetStreamLog } from "../../../actors/log/event-log.ts"
import { Recent } from "../../../actors/engine/recent.ts"
import type { Ask, SignedBy } from "../../../schemas/bus/frames.ts"
import type { LimitGrant } from "../../../schemas/limit/operations.ts"
import { LIMITS } from "../../../schemas/limits.ts"
import { machineClock } from "../../../schemas/runtime/clock.ts"
import { identityString } from "../../../schemas/signing/identity.ts"
import { rotationString } from "../../../schemas/signing/rotation.ts"
import { streams, subjects } from "../../../schemas/subjects.ts"
import { identityOf } from "../../support/identity.ts"
import { type Client, dataOf, losingFirstReplies, startCluster, type TestCluster } from "./cluster.ts"

let cluster: TestCluster
let client: Client
const agent = identityOf(randomBytes(32))

beforeAll(async () => {
  cluster = await startCluster()
  await cluster.node(KINDS)
  client = await cluster.client("edge", losingFirstReplies)
  await cluster.settled(client.view, 1)
  const log = new JetStreamLog(machineClock, cluster.bus.nats, { batchMax: 10, queueMax: 10 })
  const events = registrationEvents({
    type: "agent.registered",
    v: 1,
    number: 1,
    public_key: agent.publicKey,
    handle: "ada",
    name: "Ada",
    description: "",
    transparency: "",
    links: [],
    webhook_url: null,
    webhook_secret: "sealed"
  })
  await log.append([
    {
      subject: subjects.event("agent", agent.hubId),
      expected: 0,
      commit: { v: 1, id: "registered", op: "test", at: Date.now(), events }
    }
  ])
})
afterAll(() => cluster?.stop())

const by = (): SignedBy => ({ key: agent.hubId, publicKey: agent.publicKey, nonce: randomBytes(12).toString("hex") })
const own = (op: string, input: unknown, more: Partial<Ask> = {}) =>
  client.ask({ kind: "agent", actor: agent.hubId, op, input, by: by(), ...more })

describe("sent again, each once", () => {
  test("as many writes as are allowed are all carried out, and one more is not", async () => {
    const { requests } = LIMITS.rate_limits.write
    const before = client.asker.retries
    const answers = await Promise.all(
      Array.from({ length: requests }, (_, index) =>
        own("agent.update", { description: `text ${index}` }, { draw: ["write"] })
      )
    )
    expect(client.asker.retries - before).toBeGreaterThanOrEqual(requests)
    expect(answers.map(({ head }) => head.refused)).toEqual(answers.map(() => undefined))
    expect((await own("agent.update", { description: "one more" }, { draw: ["write"] })).head.refused).toMatchObject({
      code: "rate_limited",
      details: { bucket: "write" }
    })
  })

  test("as many draws of a long window as it has are all granted", async () => {
    const { requests } = LIMITS.rate_limits.captcha_key
    const draw = () =>
      client.ask({
        kind: "limit",
        actor: "captcha_key.0123456789abcdef",
        op: "limit.draw",
        input: { bucket: "captcha_key", wanted: 1 }
      })
    const grants = await Promise.all(Array.from({ length: requests }, draw))
    expect(grants.map((grant) => dataOf<LimitGrant>(grant).granted)).toEqual(grants.map(() => 1))
    expect(dataOf<LimitGrant>(await draw()).granted).toBe(0)
  })

  test("a proof of identity is one visit", async () => {
    const signed = () => {
      const [timestamp, nonce] = [String(Math.floor(Date.now() / 1000)), randomBytes(8).toString("hex")]
      const string_to_sign = identityString({ method: "GET", host: "site.example", path: "/", timestamp, nonce })
      const signature = sign(null, Buffer.from(string_to_sign), agent.privateKey).toString("base64")
      return { scheme: "hub", proof: { timestamp, nonce, signature, string_to_sign, host: "site.example" } }
    }
    for (let visit = 0; visit < 2; visit++) {
      const verdict = await client.ask({ kind: "agent", actor: agent.hubId, op: "identity.verify", input: signed() })
      expect(dataOf<{ valid: boolean }>(verdict)).toMatchObject({ valid: true })
    }
    const hosts = await own("identity.hosts", { page: 1, per_page: 10 })
    expect(JSON.stringify(dataOf(hosts))).toContain('"count":2')
  })
})

/** Last of all: its account is gone afterwards. */
const endsItself = (): void => {
  const next = identityOf(randomBytes(32))
  const rotated = (as = agent) => {
    const text = rotationString({
      hubId: agent.hubId,
      currentPublicKey: as.publicKey,
      newPublicKey: next.publicKey
    })
    const request = { public_key: as.publicKey, string_to_sign: "asked", signature: "signed", body: "{}" }
    const proof = sign(null, Buffer.from(text), next.privateKey).toString("base64")
    return own("identity.rotate", { new_public_key: next.publicKey, proof, request })
  }

  test("a rotation hears of itself, though its key is retired by then; another by that key does not", async () => {
    expect(dataOf<object>(await rotated())).toMatchObject({ new_public_key: next.publicKey })
    expect((await rotated()).head.refused?.code).toBe("key_retired")
  })

  test("a deletion hears of itself, though there is no account by then", async () => {
    const by = (): SignedBy => ({ key: next.hubId, publicKey: next.publicKey, nonce: randomBytes(12).toString("hex") })
    const gone = () => own("agent.delete", { confirm: "ada" }, { by: by() })
    expect(dataOf(await gone())).toEqual({ deleted: true, id: agent.hubId })
    expect((await gone()).head.refused?.code).toBe("agent_deleted")
  })
}

describe("asked for its answer alone", () => {
  test("a command that nobody remembers writes nothing, and is answered from the state as it is", async () => {
    const { last_seq } = (await cluster.bus.manager.streams.info(streams.events)).state
    const answer = await own("agent.update", { description: "long ago" }, { again: true, command: "of yesterday" })
    expect(dataOf<{ description: string }>(answer).description).toMatch(/^text \d+$/)
    expect((await cluster.bus.manager.streams.info(streams.events)).state.last_seq).toBe(last_seq)
  })
})

describe("what ends who asks", endsItself)

describe("what is recent", () => {
  test("is known for its time, for twice as long at most, and no more of it than its bound twice", () => {
    const recent = new Recent<number>(100, 3)
    recent.set("a", 1, 0)
    expect([recent.get("a", 99), recent.get("a", 150), recent.get("a", 205)]).toEqual([1, 1, undefined])
    for (let index = 0; index < 50; index++) recent.set(`b${index}`, index, 300)
    expect([recent.size <= 6, recent.get("b49", 300), recent.get("b1", 300)]).toEqual([true, 49, undefined])
    recent.delete("b49")
    expect(recent.get("b49", 300)).toBeUndefined()
    recent.set("c", 2, 10_000)
    expect(recent.get("b48", 10_000)).toBeUndefined()
  })

  test("may be nothing, which is known as well and hides what was there before", () => {
    const recent = new Recent<number | null>(100, 3)
    recent.set("a", 1, 0)
    recent.set("b", null, 0)
    recent.set("a", null, 150)
    expect([recent.get("a", 150), recent.get("b", 150), recent.get("c", 150)]).toEqual([null, null, undefined])
  })
})
