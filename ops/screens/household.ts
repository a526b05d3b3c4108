/** Gives a person some of the sample agents, with questions, mail, vaults and compartments. */
import type { Compartment } from "../../schemas/compartment/records.ts"
import type { ListedMail, Mailbox } from "../../schemas/mail/records.ts"
import type { VaultEntry } from "../../schemas/vault/records.ts"
import { waitFor } from "../../tests/harness/index.ts"
import { OwnerClient } from "../../tests/html/owner/client.ts"
import { captchaBody } from "../../tests/support/captcha.ts"
import { deliver, message } from "../../tests/support/mail.ts"
import { dataOf } from "../../tests/support/outcome.ts"
import { TestOwner } from "../../tests/support/owner.ts"
import { tokensTo } from "../../tests/support/outbox.ts"
import { PersonClient } from "../../tests/support/person.ts"
import type { PlayedHost } from "../../tests/support/played-host.ts"
import type { TestService } from "../../tests/support/service.ts"
import type { Carried } from "../../tests/support/sponsorship.ts"
import { asHolder, issueToken, openVault, sealedEntry, VAULT, type Wanted } from "../../tests/support/vault.ts"
import type { Agents } from "./community.ts"

const MINUTE_MS = 60_000
const READINGS = 60
/** The overview shows all of these once the read models are up to date. */
const WAITING = ["A fill waits", "A captcha waits", "It asks you", "another owner", "Read 1 message"]
const WAITS_MS = 60_000

const CAPTCHA = { kind: "text", context: "The sign-up of an archive asks for it.", origin: "https://archive.example" }

const aPerson = async (service: TestService, name: string, email: string): Promise<TestOwner> => {
  const edge = (): string => service.edges[0] ?? ""
  const client = Object.assign(new OwnerClient(edge), { name, email })
  const person = new PersonClient({ edge, name, email, password: client.password })
  dataOf(await person.signUp())
  dataOf(await person.logIn())
  const [token] = await tokensTo(service, email, "/owner/verify")
  dataOf(await person.call("POST", "/humans/verify-email", { token }))
  await client.logIn()
  return new TestOwner(client, person)
}

const post = async <T>({ client }: Carried, path: string, body: unknown): Promise<T> =>
  dataOf<T>(await client.retrying("POST", `/api/v1${path}`, { body }))

interface Incoming {
  readonly from: string
  readonly name: string
  readonly subject: string
  readonly body?: string
}

const MAIL: ReadonlyArray<Incoming> = [
  { from: "help@bank.example", name: "Your Bank", subject: "Your account will be closed" },
  { from: "editors@standards.example", name: "Standards Office", subject: "Re: Page 41 contradicts page 12" },
  {
    from: "no-reply@archive.example",
    name: "The Archive",
    subject: "Confirm your account",
    body: "Your verification code is 482913."
  }
]

/** DNS records of senders that can be verified, and of known forgeries. */
export const ZONE = Object.fromEntries(
  [
    ["archive.example", "v=spf1 ip4:127.0.0.1 -all"],
    ["standards.example", "v=spf1 ip4:127.0.0.1 -all"],
    ["bank.example", "v=spf1 -all"]
  ].flatMap(([domain, spf]) => [
    [domain, { TXT: [spf] }],
    [`_dmarc.${domain}`, { TXT: ["v=DMARC1; p=reject"] }]
  ])
)

const withMail = async (service: TestService, agent: Carried): Promise<void> => {
  const { address } = await post<Mailbox>(agent, "/email/mailboxes", { label: "For archives" })
  for (const { from, name, ...rest } of MAIL) {
    const raw = message({ ...rest, to: address, from: `"${name}" <${from}>` })
    await deliver(service.system.mail?.port ?? 0, { from, to: address, raw })
  }
  await waitFor(
    async () => {
      const found = dataOf<ReadonlyArray<ListedMail>>(await agent.client.call("GET", "/api/v1/email/messages"))
      return found.length === MAIL.length
    },
    { describe: "the mail" }
  )
}

const CARD = { currency: "EUR", per_payment: "50.00", per_day: "80.00", fills_per_day: 3 }
const LOGIN: Wanted = { label: "The Archive", origins: ["https://archive.example"] }
const ENTRIES: ReadonlyArray<readonly [Wanted, consent: unknown]> = [
  [{ label: "Mirror of the gauges", origins: ["https://gauges.example"] }, null],
  [
    {
      kind: "card",
      label: "Card for archives",
      origins: ["https://shop.example"],
      limits: CARD,
      fields: { number: "4111111111111111", exp_month: 5, exp_year: 2031, cvc: "123", holder: "M. Okonkwo" }
    },
    { above: "20.00", currency: "EUR" }
  ],
  [LOGIN, "owner"]
]

/** Opens a vault with entries, and requests a fill of the last one, which waits for the owner. */
const withVault = async (service: TestService, agent: Carried): Promise<void> => {
  const of = await openVault(agent)
  let last: VaultEntry | undefined
  for (const [wanted, consent] of ENTRIES)
    last = await post<VaultEntry>(agent, "/vault/entries", { ...(await sealedEntry(of, wanted)), consent })
  const ask = asHolder(service, await issueToken(service, agent.agent.id))
  const [origin] = LOGIN.origins ?? []
  dataOf(await ask("POST", `${VAULT}/service/fill`, { entry_id: last?.id, action: "login", origin }))
}

const LINES = [
  "tidewatch 2.4.0 starts with 312 gauges",
  "fetched 309 of 312, 3 are silent",
  "wrote 309 daily means",
  "published post, next run in 24 h"
]

const readings = (now: number) =>
  Array.from({ length: READINGS }, (_, minute) => ({
    at: new Date(now - (READINGS - minute) * MINUTE_MS).toISOString(),
    cpu_percent: 12 + 8 * Math.sin(minute / 5) + (minute % 9 === 0 ? 14 : 0),
    memory_mb: 310 + minute
  }))

const withCompartment = async (service: TestService, host: PlayedHost, agent: Carried): Promise<string> => {
  const body = { name: "gauges", command: "node gauges.js --every 24h", accept_terms: true }
  const { id } = await post<Compartment>(agent, "/compartments", body)
  const { run } = await service.view.command("compartment.desired", id, { host: host.id })
  const now = Date.now()
  const at = new Date(now).toISOString()
  await host.tells(id, { type: "running", run, at: now })
  host.says = {
    lines: LINES.map((line, index) => ({ id: index + 1, at, stream: "stdout", line })),
    stats: {
      at,
      cpu_percent: 18.5,
      memory_mb: 371,
      disk_mb: 940,
      pids: 14,
      rx_bytes: 48_200_000,
      tx_bytes: 2_100_000,
      uptime_seconds: 93_600
    },
    disk_mb: 940,
    history: readings(now)
  }
  return id
}

const ask = (agent: Carried, text: string, kind: string, options?: ReadonlyArray<string>): Promise<unknown> =>
  post(agent, "/me/owner/message", { text, kind, ...(options === undefined ? {} : { options }) })

export interface Household {
  readonly owner: TestOwner
  readonly compartment: string
}

export const openHousehold = async (service: TestService, host: PlayedHost, agents: Agents): Promise<Household> => {
  const { marginalia, tidewatch, lintel, kepler } = agents
  const owner = await aPerson(service, "Mira Okonkwo", "mira@example.com")
  for (const agent of [marginalia, tidewatch, lintel]) await owner.carries(agent)
  await owner.asked(kepler)
  await (await aPerson(service, "Jonas Weber", "jonas@example.com")).carries(marginalia)
  await withMail(service, marginalia)
  await withVault(service, marginalia)
  const compartment = await withCompartment(service, host, tidewatch)
  await ask(lintel, "The review of the signing client is published.", "alert")
  await owner.write(tidewatch, "Please mark silent gauges as gaps from now on.")
  await ask(tidewatch, "Three gauges have been silent for a week. May I drop them from the series?", "question", [
    "Drop them",
    "Keep them as gaps"
  ])
  await post(marginalia, "/me/captcha", await captchaBody(CAPTCHA))
  await waitFor(
    async () => {
      const { text } = await owner.client.get("/owner")
      return WAITING.every((part) => text.includes(part))
    },
    { deadlineMs: WAITS_MS, describe: "the overview with all that waits" }
  )
  return { owner, compartment }
}
