/** Mail to postmaster@ from many networks: no network fills the day, or what is kept, for the others (contract 22). */
import { randomBytes } from "node:crypto"
import { afterAll, beforeAll, expect, it, vi } from "vitest"
import { operate } from "../support/hub.ts"
import { deliver, message } from "../support/mail.ts"
import { closeSending, DOMAIN, openSending, service } from "./sending.ts"

const PER_DAY = 6
const KEPT_MAX = 4
const FROM = "stranger@elsewhere.example"

const HUB_MAIL_KEY = randomBytes(32).toString("base64")

beforeAll(async () => {
  // As an operator's shell has it.
  vi.stubEnv("HUB_MAIL_KEY", HUB_MAIL_KEY)
  await openSending(
    { "limits.email.postmaster.per_day": PER_DAY, "limits.email.postmaster.kept_max": KEPT_MAX },
    { HUB_MAIL_KEY }
  )
})
afterAll(async () => {
  vi.unstubAllEnvs()
  await closeSending()
})

const to = `postmaster@${DOMAIN}`
const write = (localAddress: string, body: string): Promise<boolean> =>
  deliver(service.system.mail?.port ?? 0, {
    from: FROM,
    to,
    raw: message({ from: FROM, to, body }),
    localAddress
  }).then(
    () => true,
    (error: unknown) => {
      expect(String(error)).toContain("451")
      return false
    }
  )
const kept = async (): Promise<ReadonlyArray<string>> => {
  const listed = JSON.parse(await operate(service.system, ["mail", "postmaster", "--json"])) as {
    readonly messages: ReadonlyArray<string>
  }
  return Promise.all(listed.messages.map((id) => operate(service.system, ["mail", "postmaster", id])))
}

it("a network that writes without end makes room for the others, oldest first, and gets no more itself", async () => {
  const flood: Array<boolean> = []
  for (let n = 0; n < PER_DAY + 2; n++) flood.push(await write("127.0.0.2", `flood ${n}.`))
  expect(flood).toEqual(flood.map((_, n) => n < KEPT_MAX))
  expect(await write("127.0.0.3", "honest one.")).toBe(true)
  expect(await write("127.0.0.4", "honest two.")).toBe(true)
  expect(await write("127.0.0.2", "flood again.")).toBe(false)
  const texts = await kept()
  expect(texts).toHaveLength(KEPT_MAX)
  const holds = (text: string): boolean => texts.some((one) => one.includes(text))
  expect(["honest one.", "honest two.", "flood 0.", "flood 1.", "flood 2.", "flood 3."].map(holds)).toEqual([
    true,
    true,
    false,
    false,
    true,
    true
  ])
})
