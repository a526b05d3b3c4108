/** Codes that are asked for by their sender, over two edges and real SMTP (contract 20). */
import { afterAll, beforeAll, expect, it } from "vitest"
import type { MailCodes } from "../../schemas/mail/records.ts"
import { deliver, message } from "../support/mail.ts"
import { dataOf } from "../support/outcome.ts"
import { waitFor } from "../harness/index.ts"
import { aSender, closeSending, DOMAIN, openSending, send, service } from "./sending.ts"

beforeAll(() => openSending())
afterAll(closeSending)

/** One more than an answer has. */
const FLOOD = 51

it("are found behind those of strangers, however many", async () => {
  const [ada, bob] = [await aSender(), await aSender()]
  const to = ada.mailbox.address
  const codes = async (query: string) =>
    dataOf<ReadonlyArray<MailCodes>>(await ada.client.call("GET", `/api/v1/email/codes${query}`))
  await send(bob, { to: [to], subject: "Your code", text: "Your verification code is 482913." })
  await waitFor(async () => ((await codes(`?from=${DOMAIN}`)).length === 1 ? true : null))
  for (let n = 0; n < FLOOD; n++) {
    const body = `Your verification code is ${700_000 + n}.`
    await deliver(service.system.mail?.port ?? 0, { to, raw: message({ to, subject: "Your code", body }) })
  }
  await waitFor(async () => ((await codes("")).some((one) => one.codes[0]?.code === "700050") ? true : null))
  const found = await codes(`?from=${DOMAIN}`)
  expect(found.map((one) => one.codes[0]?.code)).toEqual(["482913"])
})
