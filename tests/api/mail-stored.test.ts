/** What one agent's mail may take of the server: a share over all its mailboxes. */
import { afterAll, beforeAll, expect, it } from "vitest"
import type { Mailbox } from "../../schemas/mail/records.ts"
import { deliver, message } from "../support/mail.ts"
import { dataOf } from "../support/outcome.ts"
import { aSender, closeSending, openSending, service } from "./sending.ts"

const KB = 1024
const BOX_MAX = 100 * KB
const AGENT_MAX = 130 * KB

beforeAll(() =>
  openSending({
    "limits.email.mailbox_max_bytes": BOX_MAX,
    "limits.email.agent_max_bytes": AGENT_MAX
  })
)
afterAll(closeSending)

/** How many messages of 20 KB, each from a domain of its own, are taken. */
const flood = async (to: string, count: number): Promise<number> => {
  let taken = 0
  for (let n = 0; n < count; n++) {
    const from = `a@d${n}.example`
    const raw = message({ from, to, body: `${"x".repeat(70)}\r\n`.repeat(285) })
    const came = deliver(service.system.mail?.port ?? 0, { from, to, raw })
    taken += await came.then(
      () => 1,
      (error: unknown) => {
        expect(String(error)).toMatch(/45[12] 4\./)
        return 0
      }
    )
  }
  return taken
}

it("all mailboxes of an agent together hold no more than its share", async () => {
  const [ada, bob] = [await aSender(), await aSender()]
  const another = async (): Promise<string> =>
    dataOf<Mailbox>(
      await ada.client.call("POST", "/api/v1/email/mailboxes", { body: { local_part: `${ada.agent.handle}.two` } })
    ).address
  expect(await flood(ada.mailbox.address, 5)).toBe(3)
  expect(await flood(await another(), 5)).toBe(3)
  const third = dataOf<Mailbox>(
    await ada.client.call("POST", "/api/v1/email/mailboxes", { body: { local_part: `${ada.agent.handle}.three` } })
  )
  expect(await flood(third.address, 3)).toBe(0)
  expect(await flood(bob.mailbox.address, 1)).toBe(1)
  // What is closed is erased: its bytes are to be had again.
  const closing = { body: { confirm: "delete" } }
  dataOf(await ada.client.call("DELETE", `/api/v1/email/mailboxes/${ada.mailbox.id}`, closing))
  expect(await flood(third.address, 1)).toBe(1)
})
