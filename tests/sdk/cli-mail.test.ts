/** Mail that agents send and answer by `hub-agent`, to each other. */
import { afterAll, beforeAll, expect, test } from "vitest"
import type { ListedMail } from "../../schemas/mail/records.ts"
import type { ListedSent } from "../../schemas/mail/sent.ts"
import { waitFor } from "../harness/index.ts"
import { agent, closeCliService, openCliService } from "./support/cli-agents.ts"

type Agent = Awaited<ReturnType<typeof agent>>

let ada: Agent
let bob: Agent

beforeAll(async () => {
  await openCliService({ mail: "mail.hub.example" })
  ada = await agent()
  bob = await agent()
  for (const one of [ada, bob]) await json(one, ["mail", "open"])
})
afterAll(closeCliService)

const json = async <Found>({ run }: Agent, args: ReadonlyArray<string>): Promise<Found> => {
  const { status, out, errors } = await run([...args, "--json"])
  expect([status, errors]).toEqual([0, ""])
  return JSON.parse(out) as Found
}

const addressOf = ({ me }: Agent): string => `${me.handle}@mail.hub.example`

const came = (one: Agent, subject: string): Promise<ListedMail> =>
  waitFor(async () => {
    const { data } = await json<{ readonly data: ReadonlyArray<ListedMail> }>(one, ["mail", "list"])
    return data.find((mail) => mail.subject === subject)
  })

test("an answer goes to the sender, in the thread of what it answers", async () => {
  await json(ada, ["mail", "send", addressOf(bob), "How are you?", "--subject", "A question"])
  const { id } = await came(bob, "A question")
  const sent = await json<ListedSent>(bob, ["mail", "reply", id, "Well."])
  expect(sent).toMatchObject({ to: [addressOf(ada)], subject: "Re: A question", in_reply_to: id })
  const { id: answer } = await came(ada, "Re: A question")
  const again = await json<ListedSent>(ada, ["mail", "reply", answer, "Good.", "--all", "--html", "<p>Good.</p>"])
  expect(again).toMatchObject({ to: [addressOf(bob)], subject: "Re: A question", in_reply_to: answer })
})

test("an answer may have another subject", async () => {
  await json(ada, ["mail", "send", addressOf(bob), "And you?", "--subject", "Another question"])
  const { id } = await came(bob, "Another question")
  const sent = await json<ListedSent>(bob, ["mail", "reply", id, "Fine.", "--subject", "Something else"])
  expect(sent).toMatchObject({ to: [addressOf(ada)], subject: "Something else", in_reply_to: id })
  const refused = await bob.run(["mail", "reply", id, "Fine.", "--subject", "Something else", "--all"])
  expect([refused.status, refused.errors]).toEqual([2, expect.stringContaining("--all")])
})
