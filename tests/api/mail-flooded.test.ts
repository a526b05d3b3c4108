/** A mailbox that strangers flood: what its rules drop, shares of domains, and what is kept for whom it knows (contract 22). */
import { afterAll, beforeAll, expect, it } from "vitest"
import type { ListedMail } from "../../schemas/mail/records.ts"
import { waitFor } from "../harness/index.ts"
import { deliver, message } from "../support/mail.ts"
import { dataOf } from "../support/outcome.ts"
import { told } from "../support/sponsorship.ts"
import { aSender, closeSending, listed, openSending, send, type Sender, service } from "./sending.ts"

const PER_DAY = 20
const DROPPED = 12

beforeAll(() => openSending({ "limits.email.inbound_per_day": PER_DAY, "limits.email.dropped_per_day": DROPPED }))
afterAll(closeSending)

/** How many of so many messages from one address are taken. */
const flood = async (to: Sender, from: string, count: number): Promise<number> => {
  let taken = 0
  for (let n = 0; n < count; n++) {
    const raw = message({ from, to: to.mailbox.address, subject: `${from} ${n}` })
    const came = await deliver(service.system.mail?.port ?? 0, { from, to: to.mailbox.address, raw }).then(
      () => true,
      (error: unknown) => {
        expect(String(error)).toMatch(/45[12] 4\./)
        return false
      }
    )
    if (came) taken++
  }
  return taken
}

const senders = async (to: Sender): Promise<ReadonlyArray<string>> =>
  (await listed<ListedMail>(to, "?per_page=50")).map(({ from }) => from.address)

it("what its own rules drop closes a mailbox for nobody", async () => {
  const [ada, bob] = [await aSender(), await aSender()]
  const rules = { block_senders: ["spam.example"] }
  dataOf(await ada.client.call("PATCH", `/api/v1/email/mailboxes/${ada.mailbox.id}`, { body: { rules } }))
  expect(await flood(ada, "a@spam.example", DROPPED + 2)).toBe(DROPPED)
  expect(await flood(ada, "a@shop.example", 1)).toBe(1)
  dataOf(await send(bob, { to: [ada.mailbox.address] }))
  await waitFor(async () => ((await senders(ada)).length === 2 ? true : null))
})

it("one domain takes half of its day, unproven strangers three fifths, new ones seven tenths, and whom it wrote to comes through", async () => {
  const [ada, bob, carl, dora] = [await aSender(), await aSender(), await aSender(), await aSender()]
  dataOf(await send(ada, { to: [bob.mailbox.address] }))
  expect(await flood(ada, "a@one.example", 11)).toBe(10)
  expect(await flood(ada, "a@other.example", 6)).toBe(2)
  expect(await flood(ada, "a@third.example", 1)).toBe(0)
  expect((await told(ada, "email.mailbox_full")).payload).toMatchObject({ mailbox: { id: ada.mailbox.id } })
  const statusOf = async (from: Sender): Promise<string> =>
    dataOf<{ readonly status: string }>(await send(from, { to: [ada.mailbox.address] })).status
  // Proven strangers that are new, until there is room for nobody but acquaintances.
  expect([await statusOf(carl), await statusOf(carl), await statusOf(dora)]).toEqual(["sent", "sent", "queued"])
  expect(await statusOf(bob)).toBe("sent")
  await waitFor(async () => ((await senders(ada)).includes(bob.mailbox.address) ? true : null))
  expect(await senders(ada)).not.toContain(dora.mailbox.address)
})

it("senders that it allows come through when strangers have used up theirs", async () => {
  const ada = await aSender()
  expect(await flood(ada, "a@one.example", 10)).toBe(10)
  expect(await flood(ada, "a@other.example", 4)).toBe(2)
  const rules = { allow_senders: ["friend.example"] }
  dataOf(await ada.client.call("PATCH", `/api/v1/email/mailboxes/${ada.mailbox.id}`, { body: { rules } }))
  expect(await flood(ada, "a@friend.example", 9)).toBe(8)
})
