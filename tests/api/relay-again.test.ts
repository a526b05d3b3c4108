/** A letter that could not be sent at first is sent again, whatever strangers cause meanwhile (spec 6; contract 10, 20). */
import { afterAll, beforeAll, expect, test } from "vitest"
import { waitFor } from "../harness/index.ts"
import { problemsOf } from "../html/owner/client.ts"
import { mailServer, type MailServerControl, refusal } from "../support/mail-server.ts"
import { dataOf } from "../support/outcome.ts"
import { newOwner, ownedBy } from "../support/owner.ts"
import { type TestService, testService } from "../support/service.ts"
import { anAgent } from "../support/sponsorship.ts"

/** In an hour, of each kind. */
const LETTERS = 2
const ASKED = "asks you something"

let service: TestService
let server: MailServerControl
let release: (() => void) | undefined
const released = new Promise<void>((resolve) => (release = resolve))
let deferred = 0

beforeAll(async () => {
  server = await mailServer({
    data: async (_nth, { text }) => {
      if (!text.includes(ASKED) || deferred > 0) return null
      deferred++
      await released
      return refusal(450, "come again")
    }
  })
  service = await testService({
    edges: 1,
    actors: 1,
    env: { HUB_LETTERS: "smtp", HUB_SMTP_URL: `smtp://127.0.0.1:${server.port}` },
    limits: { "limits.owner.relay_letters.requests": LETTERS, "service.letters.retry_seconds.1": 0.1 }
  })
})
afterAll(async () => {
  release?.()
  await service?.stop()
  await server?.stop()
})

const taken = (part: string): ReadonlyArray<string> =>
  server.taken
    .map(({ text }) => text.replaceAll(/=\r?\n/g, "").replaceAll("=3D", "="))
    .filter((text) => text.includes(part))

test("what an agent asks is told at the second try, though other news wait to be told together", async () => {
  const owner = await newOwner(service.edges)
  const letter = await waitFor(() => taken("/owner/verify?token=")[0])
  const token = /verify\?token=([\w-]+)/.exec(letter)?.[1]
  dataOf(await owner.person.call("POST", "/humans/verify-email", { token }))
  const { agent } = await ownedBy(service.edges, owner)
  const boxes = { "email:owner.asked": "on", "email:message.received": "on" }
  expect(problemsOf(await owner.client.change("choose_relay", boxes))).toEqual([])

  dataOf(await agent.client.call("POST", "/api/v1/me/owner/message", { body: { text: "May I?", kind: "question" } }))
  await waitFor(() => deferred === 1, { describe: "the first try" })
  const stranger = await anAgent(service.edges)
  for (let n = 0; n <= LETTERS; n++)
    dataOf(
      await stranger.client.call("POST", "/api/v1/messages", { body: { to: agent.agent.handle, body: `No ${n}` } })
    )
  await waitFor(() => taken("News of your agent").length === LETTERS, { describe: "as many letters as may be" })
  expect(taken(ASKED)).toEqual([])
  release?.()
  await waitFor(() => taken(ASKED).length === 1, { describe: "the second try" })
})
