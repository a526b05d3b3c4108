/** Letters on the whole engine, over real servers: from the commit that they follow from to whoever takes them. */
import { existsSync } from "node:fs"
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { Effect, Schema } from "effect"
import { afterAll, afterEach, beforeAll, expect, test } from "vitest"
import { write } from "../../../actors/engine/definition.ts"
import { event } from "../../../actors/engine/events.ts"
import { ScheduledTimers } from "../../../actors/engine/timers.ts"
import { AccountKeys } from "../../../actors/kit/account-keys.ts"
import { type ActorOf, kind } from "../../../actors/kit/kind.ts"
import { letterKind } from "../../../actors/letter/actor.ts"
import { type PostedLetter, letterCommit } from "../../../actors/letter/posting.ts"
import type { EventShape } from "../../../actors/log/commit.ts"
import { JetStreamLog } from "../../../actors/log/event-log.ts"
import { Nothing, op } from "../../../schemas/operation.ts"
import { machineClock } from "../../../schemas/runtime/clock.ts"
import { subjects } from "../../../schemas/subjects.ts"
import { waitFor } from "../../harness/index.ts"
import { type Behaviour, mailServer, type MailServerControl, refusal } from "../../support/mail-server.ts"
import { type Client, dataOf, startCluster, type TestCluster } from "../engine/cluster.ts"
import { NAME, sealedLetter, TO, TOKEN } from "./letters.ts"

const Posted = Schema.Struct({
  id: Schema.String,
  human: Schema.String,
  template: Schema.Literal("verify_address"),
  sealed: Schema.String
})
type Caused = EventShape & { readonly type: "cause.happened" }
const declared = { "cause.happen": op({ input: Posted, output: Nothing, askedBy: [] }) }

/** What letters follow from. */
const causeKind = kind<ActorOf<number, Caused>, typeof declared>(
  {
    kind: "cause",
    state: Schema.Int,
    initial: 0,
    events: Schema.Union([event("cause.happened", 1)]),
    evolve: (state) => state + 1
  },
  declared,
  () => ({
    operations: {
      "cause.happen": write({
        decide: (_state, letter, { at }) => ({
          events: [{ type: "cause.happened", v: 1 }],
          ...letterCommit(letter, at)
        }),
        answer: () => null
      })
    }
  })
)

let cluster: TestCluster
let client: Client
let accounts: AccountKeys
let log: JetStreamLog
beforeAll(async () => {
  cluster = await startCluster()
  client = await cluster.client("actors")
  accounts = new AccountKeys(cluster.bus.nats, new Uint8Array(32))
  log = new JetStreamLog(machineClock, cluster.bus.nats, { batchMax: 100, queueMax: 100, replicated: false })
})
afterAll(() => cluster.stop())

const ends: Array<() => Promise<void>> = []
afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end()
})

const node = async (env: Readonly<Record<string, string>> = {}, limits: Readonly<Record<string, number>> = {}) => {
  const running = await cluster.node([causeKind, letterKind], limits, [], env)
  ends.push(running.stop)
  return running
}
const posted = async (behaviour: Behaviour, limits: Readonly<Record<string, number>> = {}) => {
  const server = await mailServer(behaviour)
  ends.push(server.stop)
  const env = { HUB_LETTERS: "smtp", HUB_SMTP_URL: `smtp://127.0.0.1:${server.port}` }
  return { server, env, running: await node(env, limits) }
}
const happen = async (letter: PostedLetter): Promise<void> => {
  dataOf(await client.ask({ kind: "cause", actor: letter.human, op: "cause.happen", input: letter }))
}
const typesOf = async ({ id }: PostedLetter): Promise<ReadonlyArray<string>> => {
  const { entries } = await log.read(subjects.event("letter", id), 0, 100)
  return entries.flatMap(({ commit }) => commit.events.map(({ type }) => type))
}
const ended = (letter: PostedLetter, last: string): Promise<unknown> =>
  waitFor(async () => (await typesOf(letter)).at(-1) === last, { describe: last })
const fileOf = ({ id }: PostedLetter): string => join(cluster.bus.servers.folder, "outbox", `${id}.eml`)
const tokensOf = ({ taken }: MailServerControl): ReadonlyArray<string> =>
  taken.map(({ text }) => /token=3D(t\d+)/.exec(text)?.[1] ?? "").toSorted()

/** Everything that any stream holds, headers and all. */
const everything = async (): Promise<string> => {
  const { manager } = cluster.bus
  const all: Array<string> = []
  for await (const { config, state } of manager.streams.list()) {
    for (let seq = state.first_seq; seq <= state.last_seq; seq++) {
      const message = await manager.streams.getMessage(config.name, { seq }).catch(() => null)
      if (message !== null)
        all.push(`${message.subject} ${String(message.header)} ${Buffer.from(message.data).toString("utf8")}`)
    }
  }
  return all.join("\n")
}

test("a letter that follows from a commit is written, and nothing of it stands in the clear anywhere", async () => {
  await node()
  const letter = await sealedLetter(accounts)
  await happen(letter)
  await ended(letter, "letter.sent")
  expect(await typesOf(letter)).toEqual(["letter.written", "letter.attempted", "letter.sent"])
  const text = await readFile(fileOf(letter), "latin1")
  expect([text.includes(TO), text.includes(NAME), text.includes(TOKEN)]).toEqual([true, true, true])
  const stored = await everything()
  expect(stored).toContain(letter.id)
  for (const planted of [TO, NAME, TOKEN, "people.example"]) expect(stored).not.toContain(planted)
})

test("one whose account is erased is dropped", async () => {
  const letter = await sealedLetter(accounts)
  await Effect.runPromise(accounts.erase(letter.human))
  await node()
  await happen(letter)
  await ended(letter, "letter.dropped")
  expect(await typesOf(letter)).toEqual(["letter.written", "letter.dropped"])
  expect(existsSync(fileOf(letter))).toBe(false)
})

test("one that cannot be opened is given up", async () => {
  await node()
  const [letter, other] = [await sealedLetter(accounts), await sealedLetter(accounts)]
  const strange = { ...letter, sealed: other.sealed }
  await happen(strange)
  await ended(strange, "letter.given_up")
  expect(existsSync(fileOf(letter))).toBe(false)
})

test("a timer that comes before its commit comes again", async () => {
  await node()
  const letter = await sealedLetter(accounts)
  const { companions, timers } = letterCommit(letter, Date.now())
  await new ScheduledTimers(cluster.bus.nats).set("letter", letter.id, timers[0].name, timers[0].at)
  const asked = () => client.ask({ kind: "letter", actor: letter.id, op: "letter.send", input: timers[0] })
  expect((await asked()).head.refused?.code).toBe("unavailable")
  const commit = { v: 1, id: "c1", op: "cause.happen", at: timers[0].at, events: companions[0].events } as const
  const appended = await log.append([{ subject: subjects.event("letter", letter.id), expected: 0, commit }])
  expect(appended.ok).toBe(true)
  await client.ask({ kind: "letter", actor: letter.id, op: "engine.refresh", input: null })
  await ended(letter, "letter.sent")
})

test("a passing refusal is met by another attempt, a final one is the end", async () => {
  const again = { "service.letters.retry_seconds.1": 0.05 }
  const { server } = await posted(
    { data: (nth) => (nth === 1 ? refusal(451, TO) : nth === 3 ? refusal(550, TO) : null) },
    again
  )
  const [first, second] = [await sealedLetter(accounts, "t1"), await sealedLetter(accounts, "t2")]
  await happen(first)
  await ended(first, "letter.sent")
  expect((await typesOf(first)).slice(1)).toEqual([
    "letter.attempted",
    "letter.failed",
    "letter.attempted",
    "letter.sent"
  ])
  await happen(second)
  await ended(second, "letter.given_up")
  expect(tokensOf(server)).toEqual(["t1"])
  expect(await everything()).not.toContain("people.example")
})

test("a node has so many under way, and the rest wait their turn", async () => {
  let [underWay, most] = [0, 0]
  const { server } = await posted({
    data: async (nth) => {
      most = Math.max(most, ++underWay)
      // The first ones wait for each other: so many are sent at once.
      if (nth <= 4) await waitFor(() => most >= 4)
      underWay--
      return null
    }
  })
  const letters = await Promise.all(Array.from({ length: 12 }, (_, nth) => sealedLetter(accounts, `t${nth + 10}`)))
  await Promise.all(letters.map(happen))
  for (const letter of letters) await ended(letter, "letter.sent")
  expect(most).toBe(4)
  expect(tokensOf(server)).toEqual(letters.map((_, nth) => `t${nth + 10}`))
})

test("a node that ends waits for what is under way, and what never ends is known to be unknown", async () => {
  const asked = new Set<string>()
  let answer: (() => void) | undefined
  const { server, env, running } = await posted({
    data: async (_nth, { text }) => {
      const token = /token=3D(t\d)/.exec(text)?.[1] ?? ""
      asked.add(token)
      await new Promise<void>((resolve) => {
        if (token === "t1") answer = resolve
      })
      return null
    }
  })
  const [prompt, silent] = [await sealedLetter(accounts, "t1"), await sealedLetter(accounts, "t2")]
  await Promise.all([happen(prompt), happen(silent)])
  await waitFor(() => asked.size === 2)
  const stopped = running.stop()
  answer?.()
  await stopped
  expect((await typesOf(prompt)).at(-1)).toBe("letter.sent")
  expect((await typesOf(silent)).at(-1)).toBe("letter.unknown")
  await node(env)
  const last = await sealedLetter(accounts, "t3")
  await happen(last)
  await waitFor(() => asked.has("t3"))
  expect(tokensOf(server)).toEqual(["t1"])
  expect(await typesOf(silent)).toEqual(["letter.written", "letter.attempted", "letter.unknown"])
})
