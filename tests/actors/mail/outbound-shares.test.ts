/** One sender, or one destination that never answers, keeps no mail of others waiting. */
import { setImmediate as turn } from "node:timers/promises"
import { Clock, Deferred, Effect, Scope, Exit } from "effect"
import { expect, onTestFinished, test } from "vitest"
import { outboundWorker } from "../../../actors/mail/outbound/worker.ts"
import type { Transport } from "../../../actors/mail/outbound/transport.ts"
import type { Asking } from "../../../actors/kit/worker/asks.ts"
import type { Message } from "../../../actors/kit/worker/message.ts"
import { LIMITS } from "../../../schemas/limits.ts"
import { machineClock } from "../../../schemas/runtime/clock.ts"
import { standingClock, waitFor } from "../../harness/index.ts"

interface Mail {
  readonly id: string
  readonly agent: string
  readonly domain: string
}

const { mail } = LIMITS.service
const many = (count: number, of: (n: number) => Omit<Mail, "id">): ReadonlyArray<Mail> =>
  Array.from({ length: count }, (_, n) => ({ id: `${of(n).agent}-${of(n).domain}-${n}`, ...of(n) }))

/** A worker whose attempts at `slow.example` end when they are told to. */
const worked = async (all: ReadonlyArray<Mail>, clock: Clock.Clock = machineClock) => {
  const byId = new Map(all.map((one) => [one.id, one]))
  const begun: Array<string> = []
  const back: Array<string> = []
  const slow = new Map<string, Deferred.Deferred<void>>()
  const answers: Readonly<Record<string, (id: string) => unknown>> = {
    "mail_service.look": () => ({ paused_at: null }),
    "mail_sending.share": (id) => ({ agent: byId.get(id)?.agent, domain: byId.get(id)?.domain }),
    "mail_sending.take": () => ({ attempt: 1, lost: false }),
    "mail_sending.job": (id) => ({ mail: 1, to: `x@${byId.get(id)?.domain}`, blocked: null }),
    "mail_sending.settle": () => null
  }
  const asked: Array<string> = []
  const ask = ((_command: string, op: string, id: string) =>
    Effect.sync(() => {
      asked.push(op)
      return answers[op]?.(id)
    })) as unknown as Asking
  const transport: Transport = {
    name: "mx",
    signs: false,
    repeatable: false,
    send: ({ id }) =>
      Effect.gen(function* () {
        begun.push(id)
        if (byId.get(id)?.domain === "slow.example") {
          const answered = yield* Deferred.make<void>()
          slow.set(id, answered)
          yield* Deferred.await(answered)
        }
        return { type: "sent", provider_id: null, delivered: false } as const
      })
  }
  const messages = all.map(({ id }, seq): Message => ({
    seq,
    delivery: id,
    data: new TextEncoder().encode('{"events":[{"type":"mail_sending.queued","v":1}]}'),
    given: 1,
    ack: () => undefined,
    nak: () => void back.push(id),
    working: () => undefined
  }))
  const source = {
    fetch: (max: number, receive: (message: Message) => void) =>
      Effect.suspend(() => {
        const some = messages.splice(0, max)
        for (const one of some) receive(one)
        return some.length === 0 ? Effect.never : Effect.void
      })
  }
  const scope = await Effect.runPromise(Scope.make())
  onTestFinished(async () => {
    for (const answered of slow.values()) Effect.runSync(Deferred.succeed(answered, undefined))
    await Effect.runPromise(Scope.close(scope, Exit.void))
  })
  await Effect.runPromise(
    Scope.provide(
      Effect.provideService(
        outboundWorker({
          source,
          ask,
          route: () => Effect.succeed(transport),
          made: (id) => Effect.succeed({ id } as never),
          bounds: mail
        }),
        Clock.Clock,
        clock
      ),
      scope
    )
  )
  return { asked, begun, back, answer: (id: string) => Effect.runSync(Deferred.succeed(slow.get(id)!, undefined)) }
}

const slowly = (count: number, agent: (n: number) => string) =>
  many(count, (n) => ({ agent: agent(n), domain: "slow.example" }))

const isHonest = (id: string): boolean => id.startsWith("honest")

test("two senders at a server that never answers leave room for a third", async () => {
  const attack = slowly(18, (n) => `mallory${n % 2}`)
  const { begun } = await worked([...attack, ...many(20, () => ({ agent: "honest", domain: "well.example" }))])
  await waitFor(() => begun.filter(isHonest).length === 20, {
    describe: "all mail of the third sender has gone out"
  })
  expect(begun.filter((id) => !isHonest(id)).length).toBe(mail.sends_at_once_to_domain)
})

test("a sender holds its share, whatever the destinations, and its mail goes out in order", async () => {
  const attack = slowly(10, () => "mallory")
  const { begun, answer } = await worked([...attack, ...many(1, () => ({ agent: "honest", domain: "slow.example" }))])
  await waitFor(() => begun.some(isHonest), { describe: "the other's mail is sent" })
  const own = () => begun.filter((id) => !isHonest(id))
  expect(own()).toEqual(attack.slice(0, mail.sends_at_once_of_sender).map(({ id }) => id))
  answer(attack[0]!.id)
  await waitFor(() => own().length > mail.sends_at_once_of_sender, {
    describe: "the next of the sender is sent"
  })
  expect(own()).toEqual(attack.slice(0, mail.sends_at_once_of_sender + 1).map(({ id }) => id))
})

test("one sender's queue does not fill a process either: the rest is given back", async () => {
  const attack = slowly(mail.sends_held_max, () => "mallory")
  const { begun, back } = await worked([...attack, ...many(1, () => ({ agent: "honest", domain: "well.example" }))])
  await waitFor(() => begun.some(isHonest), { describe: "the other's mail is sent" })
  expect(back.length).toBe(mail.sends_held_max - mail.sends_held_of_sender)
})

test("a process that was frozen begins no attempt that waited meanwhile, since another process has it", async () => {
  const clock = standingClock()
  const attack = slowly(10, () => "mallory")
  const { asked, begun, back, answer } = await worked(attack, clock)
  const count = (op: string): number => asked.filter((one) => one === op).length
  await waitFor(() => begun.length === mail.sends_at_once_of_sender, { describe: "its share is under way" })
  clock.move(mail.send_ack_wait_ms)
  answer(attack[0]!.id)
  await waitFor(() => count("mail_sending.settle") === 1, { describe: "the first is settled" })
  for (let n = 0; n < 50; n++) await turn()
  expect(count("mail_sending.take")).toBe(mail.sends_at_once_of_sender)
  // Nothing is said of the others: the server gives them to whoever is there.
  expect([begun.length, back]).toEqual([mail.sends_at_once_of_sender, []])
})
