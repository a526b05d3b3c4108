/** Mail to postmaster@ (RFC 5321 4.5.1; contract 22): forwarded to whom the operator names, kept where it is not. */
import { randomBytes } from "node:crypto"
import { afterAll, beforeAll, expect, it, vi } from "vitest"
import { waitFor } from "../harness/index.ts"
import { operate } from "../support/hub.ts"
import { deliver, message } from "../support/mail.ts"
import { foundIn } from "../support/planted.ts"
import { aSender, closeSending, DOMAIN, listed, openSending, service, world } from "./sending.ts"

const OPERATOR = "operator@world.example"
const FROM = "stranger@elsewhere.example"
const port = (): number => service.system.mail?.port ?? 0
const write = (to: string, body: string): Promise<unknown> =>
  deliver(port(), { from: FROM, to, raw: message({ from: FROM, to, body }) })
const status = async (): Promise<number> =>
  (JSON.parse(await operate(service.system, ["mail", "status", "--json"])) as { postmaster: number }).postmaster
const forwardOf = (part: string) =>
  waitFor(() => Promise.resolve(world.to(OPERATOR).find(({ raw }) => raw.includes(part)) ?? null), {
    describe: `a forward with ${part}`
  })

const HUB_MAIL_KEY = randomBytes(32).toString("base64")

beforeAll(async () => {
  // As an operator's shell has it.
  vi.stubEnv("HUB_MAIL_KEY", HUB_MAIL_KEY)
  await openSending(
    { "limits.email.postmaster.per_day": 9, "limits.email.postmaster.kept_max": 2 },
    { HUB_MAIL_POSTMASTER: OPERATOR, HUB_MAIL_KEY }
  )
})
afterAll(async () => {
  vi.unstubAllEnvs()
  await closeSending()
})

it("is forwarded as an attachment, with no return path, by any of its names", async () => {
  for (const [index, to] of [`postmaster@${DOMAIN}`, `PostMaster@${DOMAIN}`, "postmaster"].entries()) {
    await write(to, `forwarded-${index}`)
    const { raw, from } = await forwardOf(`forwarded-${index}`)
    expect(from).toBe("")
    expect(raw).toMatch(/^From: Postmaster <postmaster@mail\.hub\.example>/m)
    expect(raw).toMatch(/^Content-Type: message\/rfc822/m)
    expect(raw).toMatch(/^DKIM-Signature:/m)
  }
  expect(await status()).toBe(0)
})

it("goes once, however its name is spelled and however often the same bytes come", async () => {
  const to = ["postmaster", "POSTMASTER", "PostMaster"].map((local) => `${local}@${DOMAIN}`)
  const raw = message({ from: FROM, to: to[0] ?? "", body: "only-once" })
  for (let count = 0; count < 2; count++) await deliver(port(), { from: FROM, to, raw })
  await forwardOf("only-once")
  expect(world.to(OPERATOR).filter((one) => one.raw.includes("only-once"))).toHaveLength(1)
})

it("is no mail of any agent's, and a message for both is for both", async () => {
  const ada = await aSender()
  const raw = message({ from: FROM, to: ada.mailbox.address, body: "for-both" })
  await deliver(port(), { from: FROM, to: [`postmaster@${DOMAIN}`, ada.mailbox.address], raw })
  await forwardOf("for-both")
  await waitFor(async () => (await listed(ada)).length === 1)
})

it("is kept, sealed, where the forward is refused or comes back; a day and what is kept have bounds", async () => {
  world.refuses.set("operator", { at: "rcpt", code: 450, says: "4.2.1 later" })
  await expect(write(`postmaster@${DOMAIN}`, "again later")).rejects.toThrow(/451/)
  world.refuses.set("operator", { at: "rcpt", code: 550, says: "5.1.1 nobody of that name" })
  const raw = message({ from: FROM, to: OPERATOR, body: "planted words to the postmaster" })
  for (let count = 0; count < 2; count++) await deliver(port(), { from: FROM, to: `postmaster@${DOMAIN}`, raw })
  expect(await status()).toBe(1)
  const forward = world.to(OPERATOR)[0]?.raw ?? ""
  world.refuses.delete("operator")
  await deliver(port(), { from: "", to: `postmaster@${DOMAIN}`, raw: forward })
  expect(await status()).toBe(2)
  expect(await foundIn(service, ["planted words to the postmaster"])).toEqual([])
  const ids = (await operate(service.system, ["mail", "postmaster"]))
    .split("\n")
    .filter((id) => /^[0-9a-f]{64}$/.test(id))
  const texts = await Promise.all(ids.map((id) => operate(service.system, ["mail", "postmaster", id])))
  expect(texts.some((text) => text.includes("planted words to the postmaster"))).toBe(true)
  // A mark that somebody else made is none.
  const forged = message({
    from: FROM,
    to: OPERATOR,
    headers: [`X-Hub-Postmaster: ${"0".repeat(64)} ${"0".repeat(64)}`],
    body: "forged-mark"
  })
  await deliver(port(), { from: FROM, to: `postmaster@${DOMAIN}`, raw: forged })
  await forwardOf("forged-mark")
  await expect(write(`postmaster@${DOMAIN}`, "one too many of a day")).rejects.toThrow(/451/)
  await operate(service.system, ["mail", "forget", ids[0] ?? ""])
  expect(await status()).toBe(1)
  await operate(service.system, ["mail", "forget", "all"])
  expect(await status()).toBe(0)
})

it("that is too large is refused for good", async () => {
  await expect(write(`postmaster@${DOMAIN}`, `${"x".repeat(76)}\r\n`.repeat(14_000))).rejects.toThrow(/550/)
})
