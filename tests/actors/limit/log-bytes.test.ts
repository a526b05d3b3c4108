/** What an agent may put into the log in a day, over whatever restarts between. */
import { randomBytes } from "node:crypto"
import { afterAll, beforeAll, expect, test } from "vitest"
import { KINDS } from "../../../actors/process/kinds.ts"
import { JetStreamLog } from "../../../actors/log/event-log.ts"
import { machineClock } from "../../../schemas/runtime/clock.ts"
import { streams, subjects } from "../../../schemas/subjects.ts"
import { identityOf } from "../../support/identity.ts"
import { type Client, dataOf, startCluster, type TestCluster } from "../engine/cluster.ts"
import { registered } from "../../support/registered.ts"

const BUDGET = 60_000
const LIMITS = { "limits.log_bytes_per_day": BUDGET, "rate_limits.agent.requests": 100_000 }

let cluster: TestCluster
let client: Client
let log: JetStreamLog
const agent = identityOf(randomBytes(32))
const subject = subjects.event("agent", agent.hubId)

beforeAll(async () => {
  cluster = await startCluster()
  log = new JetStreamLog(machineClock, cluster.bus.nats, { batchMax: 10, queueMax: 10 })
  client = await cluster.client("edge")
  const events = registered({ public_key: agent.publicKey })
  await log.append([{ subject, expected: 0, commit: { v: 1, id: "registered", op: "test", at: Date.now(), events } }])
})
afterAll(() => cluster?.stop())

const update = (change: object, more: object = {}) =>
  client.ask({
    kind: "agent",
    actor: agent.hubId,
    op: "agent.update",
    input: change,
    by: { key: agent.hubId, publicKey: agent.publicKey, nonce: randomBytes(12).toString("hex") },
    ...more
  })

/** Bytes of the agent's own commits, as they stand in the log. */
const written = async (): Promise<number> => {
  const { entries } = await log.read(subject, 0, 1000)
  return entries
    .filter(({ commit }) => commit.by !== undefined)
    .reduce((sum, { commit }) => sum + Buffer.byteLength(JSON.stringify(commit)), 0)
}

const lastSeq = async (): Promise<number> => (await cluster.bus.manager.streams.info(streams.events)).state.last_seq

test("a change to what stands already is answered like any other, and written nowhere", async () => {
  const first = await cluster.node(KINDS, LIMITS)
  const same = {
    name: "Ada",
    description: "the same",
    transparency: "t".repeat(1000),
    links: [{ label: "l", url: "https://l.example/" }],
    webhook_url: null
  }
  dataOf(await update(same))
  const before = await lastSeq()
  for (let time = 0; time < 3; time++) {
    for (const change of [same, { name: "Ada" }, { links: same.links }])
      expect(dataOf(await update(change))).toMatchObject({ id: agent.hubId, description: "the same" })
  }
  expect(await lastSeq()).toBe(before)
  // Beside what does change, the rest is left out.
  dataOf(await update({ ...same, description: "another" }))
  const { entries } = await log.read(subject, before, 10)
  expect(entries.map(({ commit }) => commit.events)).toEqual([
    [{ type: "agent.profile_changed", v: 1, description: "another" }]
  ])
  await first.stop()
})

test("the day's bytes are spent once, whatever restarts between, and told of when they are", async () => {
  let stopped = false
  let said = 0
  for (let restart = 0; restart < 4 && !stopped; restart++) {
    const node = await cluster.node(KINDS, LIMITS)
    for (let write = 0; write < 3; write++) {
      const { head } = await update({ transparency: `${restart} ${write} `.padEnd(8000, "x") })
      if (head.refused === undefined) continue
      expect(head.refused).toMatchObject({
        code: "rate_limited",
        details: { bucket: "log_bytes", limit: BUDGET, window_seconds: 86_400, retry_after: expect.any(Number) }
      })
      expect(head.refused.retryAfter).toBeGreaterThan(86_000)
      stopped = true
      said++
    }
    // What writes nothing costs nothing; and the service's own writes are not the agent's.
    if (stopped) {
      expect((await update({ name: "Ada" })).head.refused).toBeUndefined()
      const operator = await cluster.client("operator")
      expect(
        (await operator.ask({ kind: "agent", actor: agent.hubId, op: "agent.system", input: { is_system: true } })).head
          .refused
      ).toBeUndefined()
      expect((await update({ description: `small ${"y".repeat(8000)}` })).head.refused?.code).toBe("rate_limited")
    }
    await node.stop()
  }
  expect([stopped, said > 0]).toEqual([true, true])
  const sum = await written()
  expect(sum).toBeLessThanOrEqual(BUDGET)
  // A slice that a stopped node had left is lost, and no more than that.
  expect(sum).toBeGreaterThan(BUDGET / 3)
})
