/**
 * Whoever dies meanwhile, and however often all of it comes again: a message is told of once, and what is unread is
 * counted right. And what the log makes of messages is what is served.
 */
import { afterAll, beforeAll, expect, test } from "vitest"
import { keepMark, readMark } from "../../actors/reactions/marks.ts"
import type { Message } from "../../schemas/message/records.ts"
import type { Notification } from "../../schemas/notification/api.ts"
import { waitFor } from "../harness/index.ts"
import { AgentClient } from "../support/client.ts"
import { operate } from "../support/hub.ts"
import { dataOf, outcome } from "../support/outcome.ts"
import { register } from "../support/register.ts"
import { logOf, type TestService, testService } from "../support/service.ts"

const MESSAGES = "/api/v1/messages"
const EACH = 12
/** After so many the first process is killed, and after twice as many the other. */
const KILL_AFTER = 10
const PLENTY = 1_000_000

let service: TestService
let recipient: AgentClient
let handle = ""

const anAgent = async (): Promise<readonly [AgentClient, string]> => {
  const client = new AgentClient({ edge: () => service.edges[0] ?? "", losesConnections: true })
  return [client, (await register(client, { edge: service.edges[0] ?? "" })).handle]
}

beforeAll(async () => {
  service = await testService({
    processes: true,
    edges: 1,
    actors: 2,
    limits: { "rate_limits.message.requests": PLENTY }
  })
  const [client, name] = await anAgent()
  recipient = client
  handle = name
})
afterAll(() => service?.stop())

const told = async (): Promise<ReadonlyArray<number>> =>
  dataOf<ReadonlyArray<Notification>>(await recipient.retrying("GET", "/api/v1/me/notifications?per_page=100"))
    .filter(({ type }) => type === "message.received")
    .map(({ payload }) => Number(payload["message_id"]))
    .toSorted((one, other) => one - other)
const unread = async (): Promise<number> =>
  dataOf<{ unread_messages: number }>(await recipient.retrying("GET", "/api/v1/me")).unread_messages

/** With one message more: the reactor goes to keep its mark, finds it moved, and does everything anew. */
const again = async (send: () => Promise<number>): Promise<number> => {
  const { nats } = service.view
  const mark = () => readMark(nats, "message_told")
  await waitFor(async () => keepMark(nats, "message_told", { seq: 0, revision: (await mark()).revision }))
  const id = await send()
  const [commit] = await logOf(service.view, "message", String(id))
  await waitFor(async () => (await mark()).seq >= (commit?.seq ?? Infinity), { describe: "all of it, done again" })
  return id
}

test("each is told of once", async () => {
  const sent: Array<number> = []
  const senders = await Promise.all([anAgent(), anAgent(), anAgent(), anAgent()])
  const sending = Promise.all(
    senders.map(async ([client, name]) => {
      for (let turn = 0; turn < EACH; turn++) {
        const body = { to: handle, body: `${name} says ${turn}.` }
        const answer = await client.retrying("POST", MESSAGES, { body, idempotencyKey: `turn ${turn}` })
        sent.push(dataOf<Message>(answer).id)
      }
    })
  )
  for (const [index, victim] of service.system.actors.entries()) {
    await waitFor(() => sent.length >= KILL_AFTER * (index + 1), { describe: "messages before the kill" })
    await victim.kill()
    await waitFor(async () => outcome(await recipient.retrying("GET", MESSAGES)) === "200")
    await victim.restart()
  }
  await sending
  const ids = sent.toSorted((one, other) => one - other)
  expect(new Set(ids).size).toBe(senders.length * EACH)
  await waitFor(async () => (await told()).length >= ids.length, { describe: "all of them to be told of" })
  expect(await told()).toEqual(ids)
  expect(await unread()).toBe(ids.length)

  const some = ids.slice(0, 5)
  expect(outcome(await recipient.retrying("POST", `${MESSAGES}/read`, { body: { ids: some } }))).toBe("200")
  await waitFor(async () => (await unread()) === ids.length - some.length)
  const [[sender]] = senders
  const last = await again(async () => {
    const body = { to: handle, body: "One more." }
    return dataOf<Message>(await sender.retrying("POST", MESSAGES, { body, idempotencyKey: "one more" })).id
  })
  ids.push(last)
  await waitFor(async () => (await told()).includes(last), { describe: "the last one to be told of" })
  expect(await told()).toEqual(ids)
  expect(await unread()).toBe(ids.length - some.length)

  const listed = async () => dataOf<ReadonlyArray<Message>>(await recipient.call("GET", `${MESSAGES}?per_page=100`))
  const before = await listed()
  expect(before.map(({ id }) => id).toSorted((one, other) => one - other)).toEqual(ids)
  expect(await operate(service.system, ["verify", "--kind", "message"])).toMatch(
    new RegExp(`messages: ${ids.length} of ${ids.length} rows equal what the log makes`)
  )
  expect(await operate(service.system, ["rebuild", "message"])).toMatch(/^message rebuilt: /)
  expect(await listed()).toEqual(before)
})
