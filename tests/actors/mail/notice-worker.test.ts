/** The worker that carries out what the provider told, between a log and actors that are played here. */
import { Effect } from "effect"
import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest"
import { asking } from "../../../actors/kit/worker/asks.ts"
import type { Message, Source } from "../../../actors/kit/worker/message.ts"
import { MailKeys } from "../../../actors/mail/keys.ts"
import { noticeWorker } from "../../../actors/mail/notice/worker.ts"
import type { Ask } from "../../../schemas/bus/frames.ts"
import { unavailable } from "../../../schemas/errors.ts"
import { type Limits, LIMITS } from "../../../schemas/limits.ts"
import type { NoticeOutcome } from "../../../schemas/mail/notice.ts"
import { answer, refusing } from "../../fanout/played.ts"
import { type EngineBus, startBus } from "../engine/bus.ts"
import { waitFor } from "../../harness/index.ts"
import { openScope } from "../../support/scope.ts"
import { machineClock } from "../../../schemas/runtime/clock.ts"

const BOUNDS: Limits["service"]["mail"] = {
  ...LIMITS.service.mail,
  notices_at_once: 2,
  notice_ack_wait_ms: 30,
  notice_again_ms: 7
}
const DONE: NoticeOutcome = { outcome: "done", reason: null }

let bus: EngineBus
let keys: MailKeys
beforeAll(async () => {
  bus = await startBus()
  keys = new MailKeys(bus.nats, new Uint8Array(32).fill(3))
})
afterAll(() => bus?.stop())

const scopes: Array<() => Promise<void>> = []
afterEach(async () => {
  for (const close of scopes.splice(0)) await close()
})

class Line implements Source {
  readonly told: Array<string> = []
  working = 0
  private readonly waiting: Array<Message> = []
  private wake: () => void = () => undefined

  give(id: string, events: ReadonlyArray<object>, { given = 1 } = {}): void {
    this.waiting.push({
      seq: Number(id),
      delivery: id,
      given,
      data: Buffer.from(JSON.stringify({ v: 1, id: "c", op: "mail_notice.take", at: Date.now(), events })),
      ack: () => void this.told.push(`ack ${id}`),
      nak: (ms) => void this.told.push(`nak ${id} ${ms}`),
      working: () => void this.working++
    })
    this.wake()
  }

  taken(id: string, message: string, more: { readonly given?: number; readonly as?: string } = {}): void {
    const { as = id, ...rest } = more
    this.give(id, [{ type: "mail_notice.taken", v: 1, sealed: keys.sealNotice(as, message) }], rest)
  }

  due(id: string, attempt: number): void {
    this.give(id, [{ type: "mail_notice.due", v: 1, attempt }])
  }

  readonly fetch: Source["fetch"] = (max, receive) =>
    Effect.gen({ self: this }, function* () {
      if (this.waiting.length === 0)
        yield* Effect.promise(() => new Promise<void>((resolve) => (this.wake = () => resolve())))
      for (const message of this.waiting.splice(0, max)) receive(message)
    })
}

type CarryOut = Parameters<typeof noticeWorker>[0]["carryOut"]

type Replies = (ask: Ask) => ReturnType<typeof answer>
const ANSWERS: Replies = ({ op }) => answer(op === "mail_notice.put_off" ? { given_up: false } : null)

const started = async (carryOut: CarryOut, more: Partial<typeof BOUNDS> = {}, replies: Replies = ANSWERS) => {
  const line = new Line()
  const asks: Array<Ask> = []
  const ask = asking(machineClock, (one) => {
    asks.push(one)
    return Promise.resolve(replies(one))
  })
  const scope = openScope()
  scopes.push(scope.close)
  await scope.make(noticeWorker({ source: line, ask, keys, carryOut, bounds: { ...BOUNDS, ...more } }))
  const told = (text: string) => waitFor(async () => line.told.includes(text))
  return { line, asks, told, settled: () => asks.map(({ actor, input }) => [actor, input]) }
}

test("a notification is opened, carried out, settled, and then acknowledged", async () => {
  const done: Array<string> = []
  const { line, told, asks, settled } = await started((id, message) =>
    Effect.sync(() => {
      done.push(`${id} ${message}`)
      return DONE
    })
  )
  line.taken("1", '{"a":1}')
  await told("ack 1")
  expect(done).toEqual(['1 {"a":1}'])
  expect(settled()).toEqual([["1", DONE]])
  expect(asks[0]).toMatchObject({ kind: "mail_notice", op: "mail_notice.settle", id: "settle-1" })
})

test("what says nothing to be done is acknowledged, and what a newer release wrote is left to it", async () => {
  const { line, told, asks } = await started(() => Effect.succeed(DONE))
  line.give("1", [{ type: "mail_notice.settled", v: 1, outcome: "done", reason: null }])
  line.give("2", [{ type: "mail_notice.taken", v: 2, what: 1 }])
  await told("ack 1")
  await told("nak 2 5000")
  expect(asks).toEqual([])
})

test("what cannot be done now is put off, and acknowledged at once: it holds up nothing else", async () => {
  const { line, told, asks, settled } = await started((_id, message) =>
    message === "ok" ? Effect.succeed(DONE) : Effect.fail(unavailable("The bucket is away."))
  )
  const many = Array.from({ length: 3 * LIMITS.service.mail.notice_pending_max }, (_, index) => String(index + 1))
  for (const id of many) line.taken(id, "{}")
  line.taken("1000", "ok")
  await told("ack 1000")
  expect(line.told.filter((one) => one.startsWith("nak"))).toEqual([])
  expect(settled()).toEqual([...many.map((id) => [id, { attempt: 1, reason: "The bucket is away." }]), ["1000", DONE]])
  expect(asks[0]).toMatchObject({ kind: "mail_notice", op: "mail_notice.put_off", id: "put-off-1-1" })
})

test("what is called for again is read from the log, and carried out as its next attempt", async () => {
  const done: Array<string> = []
  const carryOut: CarryOut = (id, message) =>
    Effect.suspend(() => {
      done.push(`${id} ${message}`)
      return Effect.fail(unavailable("Still away."))
    })
  const { line, told, asks } = await started(carryOut, {}, (ask) =>
    ask.op === "mail_notice.message" ? answer({ sealed: keys.sealNotice("1", "again") }) : ANSWERS(ask)
  )
  line.due("1", 3)
  await told("ack 1")
  expect(done).toEqual(["1 again"])
  expect(asks.map(({ op, input }) => [op, input])).toEqual([
    ["mail_notice.message", null],
    ["mail_notice.put_off", { attempt: 3, reason: "Still away." }]
  ])
})

test("what is given up, or forgotten by the log, is told", async () => {
  const away = () => Effect.fail(unavailable("away"))
  const lines = vi.spyOn(process.stderr, "write").mockReturnValue(true)
  try {
    const over = await started(away, {}, () => answer({ given_up: true }))
    over.line.taken("1", "{}")
    await over.told("ack 1")
    const forgotten = await started(away, {}, () => refusing("not_found"))
    forgotten.line.due("2", 2)
    await forgotten.told("ack 2")
    const told = lines.mock.calls.map(([line]) => String(line)).join("")
    expect(told).toContain('"notice":"1","given_up":"away"')
    expect(told).toContain('"notice":"2","forgotten":')
  } finally {
    lines.mockRestore()
  }
})

test("a fault, or another's box, is put off too, and says nothing of what it holds", async () => {
  const { line, told, settled } = await started((_id, message) =>
    Effect.sync(() => {
      throw new TypeError(`secret ${message}`)
    })
  )
  line.taken("1", "{}")
  line.taken("2", "{}", { as: "1" })
  await told("ack 1")
  await told("ack 2")
  expect(settled()).toEqual([
    ["1", { attempt: 1, reason: "TypeError" }],
    ["2", { attempt: 1, reason: expect.stringMatching(/^\w+$/) }]
  ])
})

test("one that does not end is interrupted in its time", async () => {
  const { line, told, settled } = await started(() => Effect.never, { notice_try_ms: 20 })
  line.taken("1", "{}")
  await told("ack 1")
  expect(settled()).toEqual([["1", { attempt: 1, reason: "TimeoutError" }]])
})

test("what its actor cannot be asked to put off is given back, each time for longer", async () => {
  const { line, told } = await started(
    () => Effect.fail(unavailable("away")),
    {},
    () => refusing("unavailable")
  )
  line.taken("1", "{}")
  line.taken("2", "{}", { given: 4 })
  await told("nak 1 7")
  await told("nak 2 56")
})

test("so many at once, which it says to be working on; the rest waits", async () => {
  const ends: Array<() => void> = []
  const { line, told } = await started(() =>
    Effect.promise(() => new Promise<NoticeOutcome>((resolve) => ends.push(() => resolve(DONE))))
  )
  for (const id of ["1", "2", "3"]) line.taken(id, "{}")
  await waitFor(async () => ends.length === 2 && line.working > 3)
  ends.splice(0).forEach((end) => end())
  await told("ack 2")
  await waitFor(async () => ends.length === 1)
  ends[0]?.()
  await told("ack 3")
})

test("whose outcome nobody takes comes again; one that the log has forgotten does not", async () => {
  const away = await started(
    () => Effect.succeed(DONE),
    {},
    () => refusing("unavailable")
  )
  away.line.taken("1", "{}")
  await away.told("nak 1 7")
  const forgotten = await started(
    () => Effect.succeed(DONE),
    {},
    () => refusing("not_found")
  )
  forgotten.line.taken("1", "{}")
  await forgotten.told("ack 1")
})
