/** Limits on the mail of one agent: a share over all its mailboxes, and an end some time after a ban. */
import { afterAll, beforeAll, expect, it } from "vitest"
import { subjects } from "../../schemas/subjects.ts"
import type { Mailbox } from "../../schemas/mail/records.ts"
import { waitFor } from "../harness/index.ts"
import { operate } from "../support/hub.ts"
import { deliver, message } from "../support/mail.ts"
import { dataOf } from "../support/outcome.ts"
import { aSender, closeSending, listed, openSending, service } from "./sending.ts"

const KB = 1024
const BOX_MAX = 100 * KB
/** Four fifths of it are open to strangers. */
const AGENT_MAX = 110 * KB

beforeAll(() =>
  openSending({
    "limits.email.mailbox_max_bytes": BOX_MAX,
    "limits.email.agent_max_bytes": AGENT_MAX,
    "limits.email.banned_kept_seconds": 1
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
  expect(await flood(ada.mailbox.address, 5)).toBe(2)
  expect(await flood(await another(), 5)).toBe(2)
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

/** Messages of a mailbox that the mail stream holds. */
const storedParts = async ({ id }: Mailbox): Promise<number> => {
  const filter = { subjects_filter: subjects.mailOf(String(id)) }
  const { state } = await service.view.manager.streams.info("HUB_MAIL", filter)
  return Object.keys(state.subjects ?? {}).length
}

it("a banned agent's mail is erased some time after the ban", async () => {
  const [ada, bob] = [await aSender(), await aSender()]
  for (const one of [ada, bob]) {
    await flood(one.mailbox.address, 1)
    await waitFor(async () => (await listed(one)).length === 1)
    expect(await storedParts(one.mailbox)).toBeGreaterThan(0)
  }
  await operate(service.system, ["agent", "ban", ada.agent.handle, "--reason", "a test"])
  await waitFor(async () => (await storedParts(ada.mailbox)) === 0, { describe: "the mail to be erased" })
  expect(await storedParts(bob.mailbox)).toBeGreaterThan(0)
})
