/** The worker that carries out what the provider told, between a log and actors that are played here. */
import { Effect } from "effect"
import { afterAll, afterEach, beforeAll, expect, test } from "vitest"
import { asking } from "../../../actors/fanout/asks.ts"
import type { Message, Source } from "../../../actors/fanout/message.ts"
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

const BOUNDS: Limits["service"]["mail"] = {
  ...LIMITS.service.mail,
  notices_at_once: 2,
  notice_ack_wait_ms: 30,
  notice_again_ms: 7
}
const DONE: NoticeOutcome = { outcome: "done", reason: null }
const DAY_MS = 86_400_000

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

  give(id: string, events: ReadonlyArray<object>, { given = 1, at = Date.now() } = {}): void {
    this.waiting.push({
      seq: Number(id),
      delivery: id,
      given,
      data: Buffer.from(JSON.stringify({ v: 1, id: "c", op: "mail_notice.take", at, events })),
      ack: () => void this.told.push(`ack ${id}`),
      nak: (ms) => void this.told.push(`nak ${id} ${ms}`),
      working: () => void this.working++
    })
    this.wake()
  }

  taken(
    id: string,
    message: string,
    more: { readonly given?: number; readonly at?: number; readonly as?: string } = {}
  ): void {
    const { as = id, ...rest } = more
    this.give(id, [{ type: "mail_notice.taken", v: 1, sealed: keys.sealNotice(as, message) }], rest)
  }

  readonly fetch: Source["fetch"] = (max, receive) =>
    Effect.gen({ self: this }, function* () {
      if (this.waiting.length === 0)
        yield* Effect.promise(() => new Promise<void>((resolve) => (this.wake = () => resolve())))
      for (const message of this.waiting.splice(0, max)) receive(message)
    })
}

type CarryOut = Parameters<typeof noticeWorker>[0]["carryOut"]

const started = async (carryOut: CarryOut, more: Partial<typeof BOUNDS> = {}, settles = () => answer(null)) => {
  const line = new Line()
  const asks: Array<Ask> = []
  const ask = asking((one) => {
    asks.push(one)
    return Promise.resolve(settles())
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

test("what cannot be done now comes again, each time later; when it is too old it is given up", async () => {
  const { line, told, settled } = await started(() => Effect.fail(unavailable("The bucket is away.")))
  line.taken("1", "{}")
  line.taken("2", "{}", { given: 4 })
  await told("nak 1 7")
  await told("nak 2 56")
  expect(settled()).toEqual([])
  line.taken("3", "{}", { at: Date.now() - 2 * DAY_MS - 1000 })
  await told("ack 3")
  expect(settled()).toEqual([["3", { outcome: "given_up", reason: "The bucket is away." }]])
})

test("a fault, or another's box, comes again too, and says nothing of what it holds", async () => {
  const { line, told, settled } = await started((_id, message) =>
    Effect.sync(() => {
      throw new TypeError(`secret ${message}`)
    })
  )
  line.taken("1", "{}")
  line.taken("2", "{}", { as: "1" })
  await told("nak 1 7")
  await told("nak 2 7")
  line.taken("3", "{}", { at: Date.now() - 3 * DAY_MS })
  await told("ack 3")
  expect(settled()).toEqual([["3", { outcome: "given_up", reason: "TypeError" }]])
})

test("one that does not end is interrupted in its time", async () => {
  const { line, told } = await started(() => Effect.never, { notice_try_ms: 20 })
  line.taken("1", "{}")
  await told("nak 1 7")
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
