/**
 * An actor process dies in the middle of sending letters: none is sent twice, and each comes to an end, which is
 * `unknown` only for those that were on the wire.
 */
import { randomBytes } from "node:crypto"
import { Effect } from "effect"
import { afterAll, beforeAll, expect, test } from "vitest"
import { ScheduledTimers } from "../../actors/engine/timers.ts"
import { AccountKeys } from "../../actors/kit/account-keys.ts"
import { newLetterId, type PostedLetter, letterCommit, sealLetter } from "../../actors/letter/posting.ts"
import { subjects } from "../../schemas/subjects.ts"
import { waitFor } from "../harness/index.ts"
import { mailServer, type MailServerControl } from "../support/mail-server.ts"
import { logOf, TEST_SERVER_KEY, type TestService, testService } from "../support/service.ts"

const LETTERS = 24
/** Letters after which the kill comes. */
const BEFORE = 6
/** On the wire of one process. */
const AT_ONCE = 4
const DOMAIN = "planted.example"

let service: TestService
let server: MailServerControl
/** Of a message that the server has whole: it is answered when this resolves. */
let answered: () => Promise<void> = () => Promise.resolve()
let holding = 0

beforeAll(async () => {
  server = await mailServer({
    data: async () => {
      holding++
      await answered()
      holding--
      return null
    }
  })
  service = await testService({
    processes: true,
    actors: 2,
    env: { HUB_LETTERS: "smtp", HUB_SMTP_URL: `smtp://127.0.0.1:${server.port}` },
    limits: {
      "service.letters.letters_at_once": AT_ONCE,
      "service.letters.letter_timeout_ms": 15_000,
      "service.letters.outcome_ms": 2000
    }
  })
})
afterAll(async () => {
  await service?.stop()
  await server?.stop()
})

const ended = new Set(["letter.sent", "letter.unknown", "letter.given_up", "letter.dropped"])
const idOf = (text: string): string => /^Message-ID: <([a-z2-7]{26})@/m.exec(text)?.[1] ?? ""

/** As the commit of a registration would. */
const post = async (accounts: AccountKeys, timers: ScheduledTimers): Promise<PostedLetter> => {
  const [id, human] = [newLetterId(), `hum_${randomBytes(8).toString("hex")}`]
  const sealer = await Effect.runPromise(accounts.make(human))
  const content = { to: `${id}@${DOMAIN}`, name: "Ada", values: { path: `/owner/verify?token=planted-${id}` } }
  const letter: PostedLetter = { id, human, template: "verify_address", sealed: sealLetter(sealer, id, content) }
  const { companions, timers: set } = letterCommit(letter, Date.now())
  await timers.set("letter", id, set[0].name, set[0].at)
  const commit = { v: 1, id: `post-${id}`, op: "human.register", at: set[0].at, events: companions[0].events } as const
  const result = await service.view.log.append([{ subject: subjects.event("letter", id), expected: 0, commit }])
  expect(result.ok).toBe(true)
  return letter
}

test("a killed actor process loses no letter and sends none twice", async () => {
  const { view, system } = service
  const accounts = new AccountKeys(view.nats, Buffer.from(TEST_SERVER_KEY, "base64"))
  const timers = new ScheduledTimers(view.nats)
  const posted = await Promise.all(Array.from({ length: BEFORE }, () => post(accounts, timers)))
  await waitFor(() => server.taken.length === BEFORE, { describe: "the letters before the kill" })

  let release: (() => void) | undefined
  const released = new Promise<void>((resolve) => (release = resolve))
  answered = () => released
  posted.push(...(await Promise.all(Array.from({ length: LETTERS }, () => post(accounts, timers)))))
  // Each process has as many on the wire as it may.
  await waitFor(() => holding === 2 * AT_ONCE, { describe: "letters on the wire of both processes" })
  await system.actors[0]?.kill()
  answered = () => Promise.resolve()
  release?.()

  const lastOf = async ({ id }: PostedLetter) =>
    (await logOf(view, "letter", id)).at(-1)?.commit.events.at(-1)?.type ?? ""
  await waitFor(async () => (await Promise.all(posted.map(lastOf))).every((last) => ended.has(last)), {
    describe: "the end of every letter"
  })
  await system.actors[0]?.restart()
  const ends = new Map(await Promise.all(posted.map(async (letter) => [letter.id, await lastOf(letter)] as const)))
  const taken = server.taken.map(({ text }) => idOf(text))
  expect(taken.length, "none twice").toBe(new Set(taken).size)
  const unknown = [...ends].filter(([, last]) => last === "letter.unknown").map(([id]) => id)
  // What was on the wire of the killed process, and no other.
  expect(unknown.length).toBeGreaterThan(0)
  expect(unknown.length).toBeLessThanOrEqual(AT_ONCE)
  for (const { id } of posted)
    if (!unknown.includes(id)) expect([ends.get(id), taken.includes(id)]).toEqual(["letter.sent", true])

  const said = system.logs.text()
  expect(said).toContain('"status":"unknown"')
  expect(said).not.toMatch(new RegExp(`${DOMAIN}|planted-`))
})
