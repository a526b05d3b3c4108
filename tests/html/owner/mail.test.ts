/** An owner sees an agent's mail: who, what about, which codes, and how far to believe it (spec 4.10). */
import { afterAll, beforeAll, expect, it, test } from "vitest"
import { violations } from "../accessible.ts"
import { originOf } from "../../../edge/mail/owner-view.ts"
import { type ListedMail, type Mailbox, VERDICTS } from "../../../schemas/mail/records.ts"
import { held } from "../../support/held.ts"
import { waitFor } from "../../harness/index.ts"
import { openBrowser, type TestBrowser } from "../../support/browser.ts"
import { type NameServer, nameServer } from "../../support/dns.ts"
import { deliver, message } from "../../support/mail.ts"
import { dataOf, outcome } from "../../support/outcome.ts"
import { newOwner, ownedBy, type OwnerOf, type TestOwner } from "../../support/owner.ts"
import { type TestService, testService } from "../../support/service.ts"
import { anAgent, type Carried } from "../../support/sponsorship.ts"
import { overflow } from "../in-page.ts"
import { noticeOf, problemsOf } from "./client.ts"

const NARROW = { width: 360, height: 740 }
const DOMAIN = "mail.hub.example"
const MAILBOXES = "/api/v1/email/mailboxes"

let dns: NameServer
let service: TestService
let browser: TestBrowser
beforeAll(async () => {
  dns = await nameServer({
    "proven.example": { TXT: ["v=spf1 ip4:127.0.0.1 -all"] },
    "_dmarc.proven.example": { TXT: ["v=DMARC1; p=reject"] },
    "bank.example": { TXT: ["v=spf1 -all"] },
    "_dmarc.bank.example": { TXT: ["v=DMARC1; p=reject"] }
  })
  service = await testService({ edges: 1, actors: 1, mail: DOMAIN, env: { HUB_DNS_SERVERS: dns.address } })
  browser = await openBrowser()
})
afterAll(async () => {
  await browser?.stop()
  await service?.stop()
  await dns?.stop()
})

const opened = async ({ client }: Carried, body: object = {}): Promise<Mailbox> =>
  dataOf(await client.call("POST", MAILBOXES, { body }))

const send = (to: string, mail: { from: string; name?: string; subject?: string; body?: string }) =>
  deliver(service.system.mail?.port ?? 0, {
    from: mail.from,
    to,
    raw: message({ ...mail, to, from: mail.name === undefined ? mail.from : `"${mail.name}" <${mail.from}>` })
  })

const arrived = ({ client }: Carried, count: number) =>
  waitFor(async () => {
    const all = dataOf<ReadonlyArray<ListedMail>>(await client.call("GET", "/api/v1/email/messages"))
    return all.length >= count ? all : null
  })

const pageOf = async (owner: TestOwner, { agent }: OwnerOf): Promise<string> =>
  (await owner.client.get(owner.page(agent))).text

it("senders, subjects, codes and verdicts are shown, and never a body or a link", async () => {
  const pair = await ownedBy(service.edges, await newOwner(service.edges))
  const { agent, owner } = pair
  expect(await pageOf(owner, pair)).toContain("It has no mailbox.")
  const { address } = await opened(agent, { label: "For shops" })
  expect(await pageOf(owner, pair)).toContain("No mail has come yet.")
  const link = "https://proven.example/confirm?token=4f1c8a90b7"
  await send(address, {
    from: "no-reply@proven.example",
    name: "Proven Shop",
    subject: "Confirm your account",
    body: `The wisteria blooms. Your verification code is 482913.\r\nConfirm your address: ${link}`
  })
  await send(address, { from: "help@bank.example", subject: "Your account" })
  await send(address, { from: "someone@nowhere.example", subject: "Hello there" })
  await arrived(agent, 3)
  const page = await pageOf(owner, pair)
  const text = page.replaceAll(/<[^>]*>/g, "")
  for (const shown of [
    address,
    "For shops",
    "Proven Shop",
    "no-reply@proven.example",
    "Confirm your account",
    "Code: 482913",
    "It is proven that proven.example sent it.",
    "Probably forged: it says that it is from bank.example",
    "Nothing proves that nowhere.example sent it"
  ])
    expect(text).toContain(shown)
  for (const hidden of ["wisteria", "token=4f1c8a90b7", "/confirm?"]) expect(page).not.toContain(hidden)
})

it("what strangers write stands there as they wrote it, does nothing, and fits a narrow screen", async () => {
  const pair = await ownedBy(service.edges, await newOwner(service.edges))
  const { agent, owner } = pair
  const { address } = await opened(agent, { label: `<b onclick="x()">label</b>` })
  const subject = `"><script>window.ran = 1</script><img src=x onerror="window.ran = 1">`
  await send(address, { from: "a@x.example", name: "<svg onload=window.ran=1>", subject })
  await send(address, { from: `${"long".repeat(15)}@${"x".repeat(60)}.example`, subject: "w".repeat(400) })
  await arrived(agent, 2)
  const { page, ...visit } = await browser.visit(`${service.edges[0]}/agents`, {
    viewport: NARROW,
    colorScheme: "light",
    bypassCSP: true
  })
  await visit.to(`${service.edges[0]}/owner/login`)
  await page.getByLabel("E-mail address").fill(owner.client.email)
  await page.getByLabel("Password").fill(owner.client.password)
  await page.getByRole("button", { name: "Log in", exact: true }).click()
  await page.getByRole("heading", { level: 1, name: "Your agents" }).waitFor()
  await visit.to(`${service.edges[0]}${owner.page(agent)}`)
  await page.getByText(subject).waitFor()
  await page.getByText("<svg onload=window.ran=1>").waitFor()
  await page.getByText(`<b onclick="x()">label</b>`).waitFor()
  expect(await page.evaluate("window.ran")).toBeUndefined()
  await page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true })")
  expect(await page.evaluate(overflow)).toBe(0)
  expect(await violations({ page })).toEqual([])
  await visit.close()
})

it("a mailbox is closed by its own form, once the word is typed; a foreign owner finds no such agent", async () => {
  const pair = await ownedBy(service.edges, await newOwner(service.edges))
  const { agent, owner } = pair
  const [first, second] = [await opened(agent), await opened(agent, { local_part: `${agent.agent.handle}.two` })]
  const path = `${owner.page(agent)}/mailboxes`
  const close = (confirm: string, { id }: Mailbox) =>
    owner.client.fill(owner.page(agent), { confirm }, path, { mailbox: String(id) })
  const refused = await close("yes", first)
  expect([refused.status, problemsOf(refused)]).toEqual([422, ["Type close to close the mailbox."]])
  const { fields } = await owner.client.form(owner.page(agent), path, { mailbox: String(first.id) })
  const other = await owner.client.post(path, { ...fields, mailbox: String(second.id), confirm: "close" })
  expect(other.status).toBe(403)
  const foreign = await newOwner(service.edges)
  expect((await foreign.client.get(owner.page(agent))).status).toBe(404)
  expect((await foreign.client.post(path, { ...fields, confirm: "close" })).status).toBe(403)
  const boxes = async () =>
    dataOf<ReadonlyArray<Mailbox>>(await agent.client.call("GET", MAILBOXES)).map(({ id }) => id)
  expect(await boxes()).toEqual([first.id, second.id])
  const closed = await close(" Close ", first)
  expect(closed.status).toBe(303)
  expect(noticeOf(await owner.client.follow(closed))).toContain("That mailbox is closed")
  expect(await boxes()).toEqual([second.id])
  expect(outcome(await agent.client.call("GET", `${MAILBOXES}/${first.id}`))).toBe("404 not_found")
  const twice = await owner.client.post(path, { ...fields, confirm: "close" })
  expect([twice.status, await boxes()]).toEqual([303, [second.id]])
  await expect(send(first.address, { from: "a@x.example" })).rejects.toThrow(/550/)
})

it("the mail of all agents is without that of an agent that the person has left, before the read model follows", async () => {
  const pair = await ownedBy(service.edges, await newOwner(service.edges))
  const { agent, owner } = pair
  const { address } = await opened(agent)
  await send(address, { from: "no-reply@proven.example", subject: "Confirm it", body: "Your code is 482913." })
  await arrived(agent, 1)
  const text = async (path: string): Promise<string> => (await owner.client.get(path)).text
  for (const shown of ["Confirm it", "482913", address]) expect(await text("/owner/mail")).toContain(shown)
  await held(service.view.db, async (trx) => {
    await trx.selectFrom("projections").select("seq").where("name", "=", "sponsorship").forUpdate().execute()
    await owner.leaves(agent)
    expect(await text("/owner")).toContain(`href="${owner.page(agent)}"`)
    const page = await text("/owner/mail")
    expect(page).toContain("<h1>Mail</h1>")
    for (const hidden of ["Confirm it", "482913", address, agent.agent.name]) expect(page).not.toContain(hidden)
    expect(await text("/owner/vault")).not.toContain(agent.agent.name)
  })
})

it("a mailbox of another agent is none of this one's", async () => {
  const pair = await ownedBy(service.edges, await newOwner(service.edges))
  const { agent, owner } = pair
  await opened(agent)
  const stranger = await anAgent(service.edges)
  const { id } = await opened(stranger)
  const path = `${owner.page(agent)}/mailboxes`
  const { fields } = await owner.client.form(owner.page(agent), path)
  expect((await owner.client.post(path, { ...fields, mailbox: String(id), confirm: "close" })).status).toBe(403)
  expect((await owner.client.post(path, { ...fields, mailbox: "x", confirm: "close" })).status).toBe(404)
  expect(outcome(await stranger.client.call("GET", `${MAILBOXES}/${id}`))).toBe("200")
})

test("only what DMARC passes is called proven, whatever else is said of it", () => {
  for (const dmarc of VERDICTS)
    for (const spf of VERDICTS)
      for (const dkim of VERDICTS) {
        const [line] = originOf("a@x.example", { dmarc, spf, dkim, spam: "NONE", virus: "NONE" })
        expect([dmarc, line?.text.includes("It is proven")]).toEqual([dmarc, dmarc === "PASS"])
      }
  const all = { dmarc: "PASS", spf: "PASS", dkim: "PASS", spam: "FAIL", virus: "FAIL" } as const
  expect(originOf("a@x.example", all)).toHaveLength(3)
  expect(originOf("", all)[0]?.text).toBe("It does not say who sent it.")
})
