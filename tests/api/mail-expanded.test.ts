/** Small messages of which much is stored: a mailbox counts what the store holds of them. */
import { afterAll, beforeAll, expect, it } from "vitest"
import type { Mail } from "../../schemas/mail/records.ts"
import { waitFor } from "../harness/index.ts"
import { wideTable } from "../support/expanding.ts"
import { deliver, message } from "../support/mail.ts"
import { aSender, closeSending, listed, look, openSending, type Sender, service } from "./sending.ts"

const KB = 1024
const BOX_MAX = 200 * KB

beforeAll(() => openSending({ "limits.email.mailbox_max_bytes": BOX_MAX }))
afterAll(closeSending)

let sent = 0
/** Sends from a domain of its own. Resolves to the size of the message, or `null` if it was refused. */
const sentTo = async ({ mailbox }: Sender, body: string, type: string): Promise<number | null> => {
  const from = `a@d${++sent}.example`
  const raw = message({ from, to: mailbox.address, body, headers: [`Content-Type: ${type}`] })
  return deliver(service.system.mail?.port ?? 0, { from, to: mailbox.address, raw }).then(
    () => raw.length,
    (error: unknown) => {
      expect(String(error)).toMatch(/45[12] 4\./)
      return null
    }
  )
}

const inStore = async (): Promise<number> => (await service.view.manager.streams.info("HUB_MAIL")).state.bytes

const counted = async ({ mailbox }: Sender): Promise<number> =>
  Number(await service.view.command("mailbox.stored", String(mailbox.id), null))

const SMALL = 6 * KB

it.each<readonly [string, string, string]>([
  ["a table of which much text is made", wideTable(), "text/html"],
  ["control characters, which take six bytes each", `${"\x01".repeat(900)}\r\n`.repeat(SMALL / 900), "text/plain"],
  ["a few words", "Hi.", "text/plain"],
  [
    "many empty attachments",
    `${"--b\r\nContent-Disposition: attachment\r\n\r\n\r\n".repeat(10)}--b--`,
    "multipart/mixed; boundary=b"
  ]
])("%s: no more is stored than is counted", async (_name, body, type) => {
  const ada = await aSender()
  const before = await inStore()
  let [taken, bytes] = [0, 0]
  for (let n = 0; n < 4; n++) {
    const size = await sentTo(ada, body, type)
    if (size === null) continue
    taken++
    bytes += size
  }
  expect(taken).toBeGreaterThan(0)
  const charged = await counted(ada)
  expect(charged).toBeGreaterThanOrEqual(bytes)
  expect(charged).toBeGreaterThanOrEqual((await inStore()) - before)
  expect(charged).toBeLessThanOrEqual(BOX_MAX)
})

it("a small table fills its own mailbox only, and its text has a size like its own", async () => {
  const [mallory, bob] = [await aSender(), await aSender()]
  const before = await inStore()
  for (let n = 0; n < 40; n++) await sentTo(mallory, wideTable(), "text/html")
  expect((await inStore()) - before).toBeLessThanOrEqual(BOX_MAX)
  const first = await waitFor(async () => (await listed<{ readonly id: string }>(mallory))[0] ?? null)
  const { text } = await look<Mail>(mallory, first.id)
  expect(text).toContain("w".repeat(200))
  expect(text.length).toBeLessThan(2 * wideTable().length)
  expect(await sentTo(bob, "Hi.", "text/plain")).not.toBeNull()
})
