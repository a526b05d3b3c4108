/**
 * A poller that asks with the highest id it saw misses no message: numbers are drawn before their commits, so a higher
 * one may be there first. The test plays the node that has drawn a number and is slow to commit it.
 */
import { randomUUID } from "node:crypto"
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest"
import type { AppendResult } from "../../actors/log/commit.ts"
import { lastNumber, nextNumber } from "../../actors/log/counters.ts"
import { conversationOf } from "../../actors/message/state.ts"
import type { Message } from "../../schemas/message/records.ts"
import { subjects } from "../../schemas/subjects.ts"
import { waitFor } from "../harness/index.ts"
import { ada, bob, bodies, list, newParties, openMessages, type Party, party, send, sent, service } from "./messages.ts"

const WRITERS = 12
const EACH = 4
const WITHIN_MS = 30_000
/** Writes of one agent beside its deletion. */
const TOGETHER = 6

beforeAll(openMessages)
afterAll(() => service?.stop())
beforeEach(newParties)

const draw = () => nextNumber(service.view.nats, "message")

/** The commit of a message whose number was drawn before; by the sender's node it would be one with the sender's own. */
const commitLate = (number: number, from: Party, to: Party, body: string): Promise<AppendResult> =>
  service.view.log.append([
    {
      subject: subjects.event("message", String(number)),
      expected: 0,
      commit: {
        v: 1,
        id: randomUUID(),
        op: "message.send",
        at: Date.now(),
        events: [
          {
            type: "message.sent",
            v: 1,
            from: from.agent.id,
            to: to.agent.id,
            conversation: conversationOf(1, 2),
            in_reply_to: null,
            body
          } as { type: string; v: number }
        ]
      }
    }
  ])

/** Polls as a client does: with the highest id of all answers before. */
const poller = (of: Party, query = "") => {
  let highest = 0
  const seen: Array<string> = []
  const poll = async (): Promise<ReadonlyArray<string>> => {
    const found = await list(of, `per_page=100&since_id=${highest}&${query}`)
    highest = Math.max(highest, ...found.map(({ id }) => id))
    seen.push(...found.map(({ body }) => body).toReversed())
    return seen
  }
  return { poll }
}

test.each(["box=inbox", "box=all"])("a lower number that is committed later is not missed: %s", async (query) => {
  const { poll } = poller(bob, query)
  const held = await draw()
  const later = await sent(ada, bob, "second")
  expect(later.id).toBeGreaterThan(held)
  const polled = poll()
  const late = await commitLate(held, ada, bob, "first")
  await polled
  // On a machine that stands still for a second the number is given up first, and no message has it.
  const expected = late.ok ? ["first", "second"] : ["second"]
  await waitFor(async () => (await poll()).length >= expected.length, {
    describe: "each message",
    deadlineMs: WITHIN_MS
  })
  expect([...(await poll())].toSorted()).toEqual(expected)
})

test("a number that is never committed holds nothing back for long, and cannot come any more", async () => {
  const { poll } = poller(bob)
  const held = await draw()
  await send(ada, bob, "second")
  await waitFor(async () => (await poll()).length === 1, { deadlineMs: WITHIN_MS })
  expect(await commitLate(held, ada, bob, "first")).toMatchObject({ ok: false, reason: "conflict" })
  expect(await poll()).toEqual(["second"])
})

test("a writer sees its own message in its next answer, whatever is held", async () => {
  await draw()
  const own = await sent(bob, ada, "own")
  expect((await list(bob, `box=all&since_id=${own.id - 1}`)).map(({ id }) => id)).toEqual([own.id])
  expect(await bodies(bob, "box=sent")).toEqual(["own"])
})

test("a message whose number was given up gets another", async () => {
  const first = await draw()
  await send(ada, bob, "makes the gap known")
  await waitFor(async () => (await bodies(bob)).length === 1, { deadlineMs: WITHIN_MS })
  expect(await commitLate(first, ada, bob, "late")).toMatchObject({ ok: false })
  const next = (await draw()) + 1
  expect(await commitLate(next, ada, bob, "taken")).toMatchObject({ ok: true })
  const answer = await sent(ada, bob, "another number")
  expect(answer.id).toBeGreaterThan(next)
})

test("one reader of many writers gets each message once", async () => {
  const { poll } = poller(bob)
  const writers = await Promise.all(Array.from({ length: WRITERS }, party))
  const texts = writers.flatMap((_, writer) => Array.from({ length: EACH }, (__, turn) => `${writer} ${turn}`))
  const state = { writing: true }
  const written = Promise.all(
    writers.map(async (writer, index) => {
      for (let turn = 0; turn < EACH; turn++) expect((await send(writer, bob, `${index} ${turn}`)).status).toBe(201)
    })
  ).finally(() => (state.writing = false))
  while (state.writing) await poll()
  await written
  const all: ReadonlyArray<Message> = await list(bob, "per_page=100")
  expect(all).toHaveLength(texts.length)
  expect([...(await poll())].toSorted()).toEqual(texts.toSorted())
})

test("an agent that is deleted while it writes draws no numbers for what is refused", async () => {
  const before = await lastNumber(service.view.nats, "message")
  const sending = Promise.all(Array.from({ length: TOGETHER }, (_, turn) => send(ada, bob, `${turn}`)))
  const deleted = await ada.client.call("DELETE", "/api/v1/me", { body: { confirm: ada.agent.handle } })
  expect(deleted.status).toBe(200)
  const taken = (await sending).filter(({ status }) => status === 201)
  expect((await lastNumber(service.view.nats, "message")) - before).toBe(taken.length)
})
