/** A webhook that an operator pauses: deliveries wait through kills, and go out once afterwards (contract 4). */
import { afterAll, beforeAll, expect, test } from "vitest"
import type { Notification } from "../../schemas/notification/api.ts"
import type { Queued, Webhook, WebhookDelivery } from "../../schemas/webhook/api.ts"
import { headingOf, noticeOf } from "../html/owner/client.ts"
import { OperatorClient, startConsole, type TestConsole } from "../console/desk.ts"
import { waitFor } from "../harness/index.ts"
import { AgentClient } from "../support/client.ts"
import { hubEnded, operate } from "../support/hub.ts"
import { dataOf } from "../support/outcome.ts"
import { answering, healthy, type Receiver, startReceiver } from "../support/receiver.ts"
import { register, type Registered } from "../support/register.ts"
import { logOf, type TestService, testService } from "../support/service.ts"

const LIMITS = {
  "webhook.put_off_seconds": 0.3,
  "webhook.put_off_max_seconds": 0.6,
  "webhook.ack_wait_ms": 3000,
  "webhook.retry_seconds.1": 0.2,
  "rate_limits.webhook_test.requests": 50
}

let service: TestService
let desk: TestConsole
let receiver: Receiver
let client: AgentClient
let agent: Registered

beforeAll(async () => {
  receiver = await startReceiver({ behaviour: healthy })
  service = await testService({ processes: true, edges: 1, actors: 2, limits: LIMITS })
  desk = await startConsole(service)
  const edge = service.edges[0] ?? ""
  client = new AgentClient({ edge: () => edge })
  agent = await register(client, { edge, more: { webhook_url: `${receiver.url}/in` } })
})
afterAll(async () => {
  await desk?.stop()
  await receiver?.stop()
  await service?.stop()
})

const operator = (...words: ReadonlyArray<string>): Promise<string> => operate(service.system, words)
const queueTest = async (): Promise<number> =>
  dataOf<Queued>(await client.retrying("POST", "/api/v1/me/webhook/test")).delivery_id
const webhook = async (): Promise<Webhook> => dataOf<Webhook>(await client.retrying("GET", "/api/v1/me/webhook"))
const deliveries = async (): Promise<ReadonlyArray<WebhookDelivery>> =>
  dataOf<ReadonlyArray<WebhookDelivery>>(await client.retrying("GET", "/api/v1/me/webhook/deliveries?per_page=100"))
const allAre = (status: string) =>
  waitFor(
    async () => {
      const rows = await deliveries()
      return rows.length > 0 && rows.every((row) => row.status === status) ? rows : null
    },
    { describe: `all deliveries to be ${status}` }
  )
const timesPutOff = async (delivery: number): Promise<number> =>
  (await logOf(service.view, "delivery", String(delivery)))
    .flatMap(({ commit }) => commit.events)
    .filter(({ type }) => type === "delivery.put_off").length
const putOffAgain = async (delivery: number): Promise<void> => {
  const before = await timesPutOff(delivery)
  await waitFor(async () => (await timesPutOff(delivery)) >= before + 2, {
    describe: `${delivery} to be put off again`
  })
}
const came = (): ReadonlyArray<string> => receiver.received.map(({ id }) => id).toSorted()

test("deliveries wait while an operator pauses them, through kills of their workers, and go out once", async () => {
  const first = await queueTest()
  await allAre("delivered")
  const told = await operator("webhook", "pause", agent.handle, "--why", "the receiver is being moved")
  expect(told).toBe(`deliveries to the webhook of ${agent.handle} wait until hub webhook resume`)
  expect(await operator("webhook", "pause", agent.handle, "--why", "again")).toContain("was paused already")

  const waiting = [await queueTest(), await queueTest(), await queueTest()]
  for (const id of waiting) await putOffAgain(id)
  for (const node of service.system.actors) {
    await node.kill()
    await node.restart()
    for (const id of waiting) await putOffAgain(id)
  }
  expect(came()).toEqual([`ntf_${first}`])
  expect((await webhook()).paused_at).toEqual(expect.any(String))
  const shown = (await deliveries()).filter(({ id }) => waiting.includes(id))
  expect(shown.map(({ status, attempts }) => [status, attempts])).toEqual(waiting.map(() => ["pending", 0]))

  await waitFor(async () =>
    (await operator("delivery", "list", agent.handle)).startsWith("paused by an operator since")
  )
  expect((await hubEnded(service.system, ["status"])).stdout).toContain(`the webhook of @${agent.handle} since`)
  expect(await operator("webhook", "resume", agent.handle, "--why", "it stands")).toContain("go out again")
  expect(await operator("webhook", "resume", agent.handle, "--why", "again")).toContain("was not paused")
  await allAre("delivered")
  // A later one comes after whatever could still have come of the others.
  const last = await queueTest()
  await allAre("delivered")
  expect(came()).toEqual([first, ...waiting, last].map((id) => `ntf_${id}`).toSorted())
  expect((await webhook()).paused_at).toBeNull()
  expect(await operator("delivery", "list", agent.handle)).not.toContain("paused")

  const commits = (await logOf(service.view, "agent", agent.id)).map(({ commit }) => commit)
  const acted = commits.filter(({ op }) => op === "webhook.pause" || op === "webhook.resume")
  expect(acted.map(({ op, why, events }) => [op, why, events.map(({ type }) => type)])).toEqual([
    ["webhook.pause", "the receiver is being moved", ["agent.webhook_paused"]],
    ["webhook.resume", "it stands", ["agent.webhook_resumed"]]
  ])
  for (const { id } of acted) expect(id).toMatch(/^operator-\w+-[0-9a-f]{24}$/)
})

test("the console says what it will do, does it once, and shows it", async () => {
  const operatorClient = new OperatorClient(desk.url)
  await operatorClient.enterBy(await desk.link("grace"))
  const path = `/actor/agent/${agent.id}`
  expect((await operatorClient.get(path)).text).toContain("Deliveries go out.")
  const pause = await operatorClient.form("/", "/act/pause-webhook")
  expect((await operatorClient.get("/")).text).toContain("until somebody resumes it")
  const silent = await operatorClient.post(pause.action, { ...pause.fields, agent: agent.handle, why: " " })
  expect([silent.status, headingOf(silent)]).toEqual([422, "Pause webhook"])
  const sent = { ...pause.fields, agent: agent.handle, why: "its owner asks" }
  const done = await operatorClient.post(pause.action, sent)
  expect([done.status, done.headers.location]).toEqual([303, path])
  expect(noticeOf(await operatorClient.get(path))).toBe("The webhook is paused.")
  expect((await operatorClient.post(pause.action, sent)).status).toBe(303)
  expect((await operatorClient.get(path)).text).toContain("An operator has paused it since")
  expect((await operatorClient.get("/")).text).toContain(`The webhook of @${agent.handle}`)

  const resume = await operatorClient.form(path, "/act/resume-webhook")
  expect((await operatorClient.post(resume.action, { ...resume.fields, why: "its owner is back" })).status).toBe(303)
  expect((await webhook()).paused_at).toBeNull()
  await waitFor(async () => !(await operatorClient.get("/")).text.includes(`The webhook of @${agent.handle}`))
  const commits = (await logOf(service.view, "agent", agent.id)).map(({ commit }) => commit)
  expect(commits.filter(({ op }) => op === "webhook.pause").map(({ why }) => why)).toEqual([
    "the receiver is being moved",
    "its owner asks"
  ])
})

test("a pause is no time of failure: whoever failed before it is not switched off for its length", async () => {
  receiver.behave(answering(500))
  await queueTest()
  await waitFor(async () => (await webhook()).failing_since !== null, { describe: "a failure" })
  await operator("webhook", "pause", agent.handle, "--why", "it fails")
  await operator("webhook", "resume", agent.handle, "--why", "it is mended")
  expect((await webhook()).failing_since).toBeNull()
  receiver.behave(healthy)
  await allAre("delivered")
  const notices = dataOf<ReadonlyArray<Notification>>(await client.retrying("GET", "/api/v1/me/notifications"))
  expect(notices.filter(({ type }) => type === "webhook.disabled")).toEqual([])
})

test.each([
  [["webhook", "pause", "nobody-of-this-name", "--why", "x"], "there is no agent nobody-of-this-name"],
  [["webhook", "pause", "ada"], "needs --why <text>"],
  [["webhook", "stop", "ada"], "webhook takes one of pause, resume"],
  [["webhook", "pause"], "usage"]
])("refuses %j", async (words, message) => {
  await expect(operator(...words)).rejects.toThrow(message)
})
