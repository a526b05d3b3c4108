/** Signatures from before a restore: their nonces may have been used since the backup, so they hold no more. */
import { randomBytes, sign } from "node:crypto"
import { afterAll, beforeAll, expect, test } from "vitest"
import { registrationEvents } from "../../../actors/agent/profile/decide.ts"
import { JetStreamLog } from "../../../actors/log/event-log.ts"
import { RESTORE_RECORD } from "../../../actors/log/last-restore.ts"
import { KINDS } from "../../../actors/process/kinds.ts"
import type { SignedBy } from "../../../schemas/bus/frames.ts"
import { machineClock } from "../../../schemas/runtime/clock.ts"
import { identityString } from "../../../schemas/signing/identity.ts"
import { subjects } from "../../../schemas/subjects.ts"
import { identityOf } from "../../support/identity.ts"
import { type Client, dataOf, startCluster, type TestCluster } from "./cluster.ts"

let cluster: TestCluster
let client: Client
const agent = identityOf(randomBytes(32))
/** Unix seconds. A minute ahead: what this test signs now was signed before. */
const RESTORED_AT = Math.floor(Date.now() / 1000) + 60

beforeAll(async () => {
  cluster = await startCluster()
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
  const at = RESTORED_AT * 1000
  const written = [
    [subjects.event("agent", agent.hubId), { v: 1, id: "registered", op: "test", at, events }],
    [
      subjects.event(RESTORE_RECORD.kind, RESTORE_RECORD.id),
      { v: 1, id: "restored", op: "hub.restore", at, events: [] }
    ]
  ] as const
  // The node makes the streams; the one behind it finds the restore in them.
  const first = await cluster.node(KINDS)
  for (const [subject, commit] of written) await log.append([{ subject, expected: 0, commit }])
  await first.stop()
  await cluster.node(KINDS)
  client = await cluster.client("edge")
  await cluster.settled(client.view, 1)
})
afterAll(() => cluster?.stop())

const signedAt = (at?: number): SignedBy => ({
  key: agent.hubId,
  publicKey: agent.publicKey,
  nonce: randomBytes(12).toString("hex"),
  ...(at === undefined ? {} : { at })
})
const asked = async (op: string, by?: SignedBy, input: unknown = null) =>
  client.ask({ kind: "agent", actor: agent.hubId, op, input, ...(by === undefined ? {} : { by }) })

test("a request that was signed before it is refused like one that is too old, and says why", async () => {
  for (const at of [RESTORED_AT - 60, RESTORED_AT]) {
    const { refused } = (await asked("agent.authenticate", signedAt(at))).head
    expect(refused).toMatchObject({
      code: "auth_timestamp_skew",
      message: expect.stringContaining("restored"),
      details: { server_time: expect.any(Number), timestamp: at, restored_at: RESTORED_AT }
    })
  }
  for (const at of [RESTORED_AT + 1, undefined])
    expect((await asked("agent.authenticate", signedAt(at))).head.refused).toBeUndefined()
})

test("nor does it prove an identity to a website, nor answer a challenge", async () => {
  const proofAt = (at: number) => {
    const [timestamp, nonce] = [String(at), randomBytes(8).toString("hex")]
    const string_to_sign = identityString({ method: "GET", host: "site.example", path: "/", timestamp, nonce })
    const signature = sign(null, Buffer.from(string_to_sign), agent.privateKey).toString("base64")
    return { scheme: "hub", proof: { timestamp, nonce, signature, string_to_sign, host: "site.example" } }
  }
  const verdictAt = async (at: number) =>
    dataOf<{ valid: boolean; reason: string | null }>(await asked("identity.verify", undefined, proofAt(at)))
  expect(await verdictAt(RESTORED_AT)).toMatchObject({ valid: false, reason: "timestamp_expired" })
  expect(await verdictAt(RESTORED_AT + 1)).toMatchObject({ valid: true })

  const { challenge, string_to_sign } = dataOf<{ challenge: string; string_to_sign: string }>(
    await asked("identity.challenge")
  )
  const signature = sign(null, Buffer.from(string_to_sign), agent.privateKey).toString("base64")
  const answered = await asked("identity.attest", undefined, { challenge, signature })
  expect(answered.head.refused?.code).toBe("verify_challenge_expired")
})
