/** Mail of all mailboxes together: when the store is nearly full, large mailboxes leave the rest of it to small ones. */
import { afterAll, beforeAll, expect, it } from "vitest"
import { boxMaxOf } from "../../actors/mail/inbound/store.ts"
import { LIMITS } from "../../schemas/limits.ts"
import { waitFor } from "../harness/index.ts"
import { deliver, message } from "../support/mail.ts"
import { aSender, closeSending, listed, openSending, service } from "./sending.ts"

const KB = 1024
const STORED_MAX = 92 * KB

beforeAll(() =>
  openSending({
    "limits.email.stored_max_bytes": STORED_MAX,
    "limits.email.mailbox_max_bytes": 100 * KB,
    "limits.email.agent_max_bytes": 100 * KB
  })
)
afterAll(closeSending)

let sent = 0
/** `null` if the message was taken, or the words of the refusal. */
const sentTo = async (to: string, kb: number): Promise<string | null> => {
  const from = `a@d${++sent}.example`
  const raw = message({ from, to, body: `${"x".repeat(62)}\r\n`.repeat(kb * 16) })
  return deliver(service.system.mail?.port ?? 0, { from, to, raw }).then(
    () => null,
    (error: unknown) => String(error)
  )
}

it("mailboxes that hold much are refused more, one that holds nothing is not", async () => {
  const [large, other, small] = [await aSender(), await aSender(), await aSender()]
  for (const { mailbox } of [large, other]) for (let n = 0; n < 4; n++) await sentTo(mailbox.address, 20)
  const { state } = await service.view.manager.streams.info("HUB_MAIL")
  expect(state.bytes).toBeGreaterThan(0.75 * STORED_MAX)
  expect(state.bytes).toBeLessThan(STORED_MAX)
  // The size is looked at every few seconds. A message of this size is refused before that too, for other words.
  await waitFor(async () => (await sentTo(large.mailbox.address, 20))?.includes("452 4.3.1") === true, {
    describe: "a mailbox that holds too much"
  })
  expect(await sentTo(small.mailbox.address, 1)).toBeNull()
  await waitFor(async () => (await listed(small)).length === 1, { describe: "its mail" })
})

it("however many large mailboxes there are, they leave room", () => {
  const { stored_max_bytes: maxBytes, mailbox_max_bytes: mailboxBytes } = LIMITS.limits.email
  const boxMax = (stored: number): number => boxMaxOf(stored, { maxBytes, mailboxBytes })
  expect(boxMax(0.75 * maxBytes)).toBe(mailboxBytes)
  expect([boxMax(maxBytes), boxMax(2 * maxBytes)]).toEqual([0, 0])
  let [stored, mailboxes] = [0, 0]
  for (; mailboxes < 1000 && boxMax(stored) > 64 * KB; mailboxes++) stored += boxMax(stored)
  // Without the bound twenty fill the store.
  expect(mailboxes).toBeGreaterThan(200)
})
