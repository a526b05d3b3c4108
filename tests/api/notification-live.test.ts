/** Notifications as they come: the held list and the stream (spec 4.4). */
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest"
import type { Notification } from "../../schemas/notification/api.ts"
import { LIMITS } from "../../schemas/limits.ts"
import { waitFor } from "../harness/index.ts"
import type { Answer } from "../support/http.ts"
import { operate } from "../support/hub.ts"
import { newIdentity } from "../support/identity.ts"
import { dataOf, fieldOf, outcome } from "../support/outcome.ts"
import { rotate } from "../support/rotation.ts"
import {
  HEARTBEAT_MS,
  isHeld,
  JUDGE_MS,
  PER_AGENT,
  WAIT_SECONDS,
  clock,
  service,
  openLive,
  closeReaders,
  type Subject,
  subject,
  cause,
  list,
  idsOf,
  known,
  open,
  timed,
  held
} from "./live.ts"

/** A list that is held takes as long. One that is not held takes less, on a slow machine too. */
const TRIED_SECONDS = 20

beforeAll(openLive)
afterAll(() => service?.stop())
afterEach(closeReaders)

/** Whether the list was held. */
const waitedIn = ({ json }: Answer): unknown => (json.meta as { readonly waited?: boolean } | undefined)?.waited

describe("a list that waits", () => {
  test("is answered as soon as there is something, on either edge", async () => {
    const one = await subject()
    for (const edge of [0, 1]) {
      const last = (await known(one)).at(-1) ?? 0
      const waiting = timed(list(one, `?wait_seconds=${WAIT_SECONDS}&since_id=${last}`, edge))
      await held(one)
      await cause(one)
      const [answer, ms] = await waiting
      expect(outcome(answer)).toBe("200")
      expect(idsOf(answer)).toEqual((await known(one)).slice(-1))
      expect(answer.json.meta).toMatchObject({ page: 1, total: 1 })
      // Otherwise it would have been held for the whole time.
      expect(ms).toBeLessThan(WAIT_SECONDS * 1000)
      await held(one, false)
    }
  })

  test("is answered at once where there is something, and empty when the time is over", async () => {
    const one = await subject()
    await cause(one)
    const [full, soon] = await timed(list(one, `?wait_seconds=${WAIT_SECONDS}&unread=1`))
    expect([idsOf(full).length, soon < WAIT_SECONDS * 1000, waitedIn(full)]).toEqual([1, true, false])
    const waiting = list(one, `?wait_seconds=60&since_id=${idsOf(full)[0]}`)
    await held(one)
    clock.move(60_000)
    const empty = await waiting
    expect([outcome(empty), idsOf(empty)]).toEqual(["200", []])
    expect(empty.json.meta).toMatchObject({ total: 0 })
    for (const wait of ["-5", "abc", "0", ""])
      expect(idsOf(await list(one, `?wait_seconds=${wait}&since_id=${idsOf(full)[0]}`))).toEqual([])
  })

  test("waits for unread ones alone where it is asked to", async () => {
    const one = await subject()
    await cause(one)
    await one.client.call("POST", "/api/v1/me/notifications/read", { body: {} })
    const waiting = list(one, `?unread=1&wait_seconds=${WAIT_SECONDS}`)
    await held(one)
    await cause(one)
    expect(idsOf(await waiting)).toEqual((await known(one)).slice(-1))
  })

  test("is longer than other requests may be", async () => {
    const one = await subject()
    const waiting = list(one, "?wait_seconds=11")
    await held(one)
    clock.move(LIMITS.service.request_deadline_ms)
    await held(one)
    clock.move(1000)
    const answer = await waiting
    expect([outcome(answer), idsOf(answer)]).toEqual(["200", []])
  })

  test("beyond an agent's share is answered at once; whoever leaves makes room", async () => {
    const one = await subject()
    const streams = Array.from({ length: PER_AGENT }, () => list(one, `?wait_seconds=${WAIT_SECONDS}`))
    await held(one)
    await waitFor(
      async () => {
        const answer = await list(one, `?wait_seconds=${TRIED_SECONDS}`)
        expect(idsOf(answer)).toEqual([])
        return !waitedIn(answer)
      },
      { describe: "a list that is not held" }
    )
    await cause(one)
    for (const answer of await Promise.all(streams)) expect([idsOf(answer).length, waitedIn(answer)]).toEqual([1, true])
    const [, ms] = await timed(list(one, "?wait_seconds=1&since_id=999999999"))
    expect(ms).toBeGreaterThanOrEqual(1000)
  })

  test("draws on the agent's bucket once", async () => {
    const one = await subject()
    const remaining = (answer: Answer): number => Number(answer.headers["x-ratelimit-remaining"])
    const before = remaining(await list(one))
    await list(one, "?wait_seconds=1")
    expect(remaining(await list(one))).toBe(before - 2)
  })

  test("is given to nobody who may not read any more", async () => {
    const one = await subject()
    const waiting = list(one, `?wait_seconds=${WAIT_SECONDS}`)
    await held(one)
    await rotate(one.client, one.agent.id, newIdentity())
    expect(outcome(await waiting)).toBe("401 key_retired")
    const other = await subject()
    const banned = list(other, `?wait_seconds=${WAIT_SECONDS}`)
    await held(other)
    await operate(service.system, ["agent", "ban", other.agent.id])
    expect(outcome(await banned)).toBe("403 agent_banned")
  })
})

describe("a stream", () => {
  test("begins with the oldest unread one, then tells each as it comes", async () => {
    const one = await subject()
    for (let turn = 0; turn < 7; turn++) await cause(one)
    const all = await known(one)
    await one.client.call("POST", "/api/v1/me/notifications/read", { body: { ids: [all[0], all[1], all[4]] } })
    const reader = open(one)
    await waitFor(() => reader.events.length === 5, { describe: "what is unread, and what came after it" })
    expect(reader.ids).toEqual(all.slice(2))
    expect([reader.status, reader.headers["content-type"], reader.headers["cache-control"]]).toEqual([
      200,
      "text/event-stream; charset=utf-8",
      "no-store"
    ])
    expect(reader.events.map(({ event, data }) => [event, data])).toEqual(
      dataOf<ReadonlyArray<Notification>>(await list(one))
        .slice(0, 5)
        .toReversed()
        .map((record) => ["agent.recovery_changed", record])
    )
    await cause(one)
    await waitFor(() => reader.events.length === 6, { describe: "the next one" })
    expect(reader.ids).toEqual((await known(one)).slice(2))
  })

  test("with nothing unread begins with the next; goes on behind an id, wherever it comes again", async () => {
    const one = await subject()
    for (let turn = 0; turn < 4; turn++) await cause(one)
    await one.client.call("POST", "/api/v1/me/notifications/read", { body: {} })
    const fresh = open(one)
    await waitFor(() => fresh.comments.length > 0, { describe: "a heartbeat" })
    await cause(one)
    await waitFor(() => fresh.events.length === 1, { describe: "the next one" })
    const all = await known(one)
    expect(fresh.ids).toEqual(all.slice(4))
    for (const [edge, options, ids] of [
      [0, { lastEventId: String(all[1]) }, all.slice(2)],
      [1, { lastEventId: String(all[2]), query: "?since_id=0" }, all.slice(3)],
      [1, { query: "?since_id=0" }, all]
    ] as const) {
      const reader = open(one, { edge: service.edges[edge] ?? "", ...options })
      await waitFor(() => reader.events.length >= ids.length, { describe: "the rest" })
      expect(reader.ids).toEqual(ids)
      reader.close()
    }
  })

  test("refuses what is no id, and a HEAD gets its head alone", async () => {
    const one = await subject()
    for (const lastEventId of ["abc", "-1", "1.5", "9".repeat(16)]) {
      const answer = await one.client.call("GET", "/api/v1/me/notifications/stream", {
        headers: { "last-event-id": lastEventId }
      })
      expect([outcome(answer), fieldOf(answer)]).toEqual(["422 validation_error", "Last-Event-ID"])
    }
    const head = await one.client.call("HEAD", "/api/v1/me/notifications/stream")
    expect([head.status, head.headers["content-type"], head.text]).toEqual([
      200,
      "text/event-stream; charset=utf-8",
      ""
    ])
  })

  test("says that it is alive, and ends when the client goes", async () => {
    const one = await subject()
    const reader = open(one)
    await waitFor(() => reader.comments.length >= 3, { describe: "heartbeats" })
    await held(one)
    reader.close()
    await held(one, false)
  })

  test("beyond an agent's share takes the place of its oldest", async () => {
    const one = await subject()
    const first = open(one)
    await waitFor(() => first.status === 200, { describe: "the first stream" })
    const others = Array.from({ length: PER_AGENT * 4 }, () => open(one))
    await first.end
    expect([first.events.length, first.comments.at(-1)]).toEqual([0, "come again"])
    await waitFor(() => others.filter((reader) => !reader.ended).length === PER_AGENT, {
      describe: "as many streams as an agent may have"
    })
    await cause(one)
    await waitFor(() => others.filter((reader) => reader.events.length === 1).length === PER_AGENT, {
      describe: "their event"
    })
    expect(others.filter((reader) => !reader.ended)).toHaveLength(PER_AGENT)
  })

  test.each([
    ["its key is rotated", "key_retired", (one: Subject) => rotate(one.client, one.agent.id, newIdentity())],
    ["its agent is banned", "agent_banned", (one: Subject) => operate(service.system, ["agent", "ban", one.agent.id])],
    [
      "its agent is deleted",
      "agent_deleted",
      (one: Subject) => one.client.call("DELETE", "/api/v1/me", { body: { confirm: one.agent.handle } })
    ]
  ] as const)("ends at once when %s", async (_when, code, act) => {
    const one = await subject()
    const reader = open(one, { edge: service.edges[1] ?? "" })
    await waitFor(() => reader.comments.length > 0, { describe: "a heartbeat" })
    await act(one)
    await reader.end
    expect(reader.comments.at(-1)).toBe(code)
  })

  test("of an agent that is suspended goes on", async () => {
    const one = await subject()
    const reader = open(one)
    await waitFor(() => reader.comments.length > 0, { describe: "a heartbeat" })
    await operate(service.system, ["agent", "suspend", one.agent.id])
    const heard = reader.comments.length
    clock.move(JUDGE_MS * 2)
    await waitFor(() => reader.ended || reader.comments.length >= heard + 2, { describe: "heartbeats after it" })
    expect(reader.ended).toBe(false)
  })
})

/** More than all the buffers between the two hold. */
const LARGE = { count: 1500, chars: 20_000 }

test("a reader that takes nothing is let go; whoever comes again goes on", async () => {
  const one = await subject()
  const created_at = new Date().toISOString()
  const rows = Array.from({ length: LARGE.count }, (_, index) => ({
    id: 1_000_000_000 + index,
    agent: one.agent.id,
    type: "webhook.test",
    payload: JSON.stringify({ text: "x".repeat(LARGE.chars) }),
    created_at,
    read_at: null
  }))
  for (let from = 0; from < rows.length; from += 100)
    await service.view.db
      .insertInto("notifications")
      .values(rows.slice(from, from + 100))
      .execute()
  const slow = open(one)
  await waitFor(() => slow.events.length > 0, { describe: "the first of them" })
  slow.pause()
  await held(one)
  await waitFor(
    async () => {
      clock.move(HEARTBEAT_MS)
      return !(await isHeld(one))
    },
    { describe: "a reader that takes nothing to be let go of" }
  )
  const last = slow.ids.at(-1)
  const taken = slow.ids.slice(0, slow.ids.indexOf(last ?? 0) + 1)
  let again = open(one, { lastEventId: String(last) })
  await waitFor(
    () => {
      if (again.ids.at(-1) === rows.at(-1)?.id) return true
      // On a slow machine this reader may take nothing for as long, and be let go as well.
      if (again.ended) {
        taken.push(...again.ids)
        again = open(one, { lastEventId: String(taken.at(-1)) })
      }
      return false
    },
    { describe: "the last of them" }
  )
  expect([...taken, ...again.ids]).toEqual(rows.map(({ id }) => id))
})

test("an edge that stops answers what it holds, and ends", async () => {
  const one = await subject()
  const edge = service.system.edges[1]
  if (edge?.pid == null) throw new Error("the edge does not run")
  const reader = open(one, { edge: edge.url })
  await waitFor(() => reader.comments.length > 0, { describe: "a heartbeat" })
  const waiting = list(one, `?wait_seconds=${WAIT_SECONDS}`, 1)
  // By the time that a list which waits a second on the other edge is answered, this one is long held.
  await waitFor(async () => (await list(one, "?wait_seconds=1", 0)).status === 200, {
    describe: "an answer of the other edge"
  })
  const ended = edge.stop()
  const answer = await waiting
  await reader.end
  await ended
  expect([outcome(answer), idsOf(answer), reader.comments.at(-1)]).toEqual(["200", [], "come again"])
  await edge.restart()
})
