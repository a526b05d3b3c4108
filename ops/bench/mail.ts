/**
 * Measures mail. One figure is the cost of a message of 50 KB from SMTP to its notification, beside a loop that only
 * verifies and parses it (mail-loop.ts). The other is the time until a client that waits for a code has it.
 */
import { randomBytes } from "node:crypto"
import { setTimeout as delay } from "node:timers/promises"
import { Client } from "pg"
import { AgentClient } from "../../tests/support/client.ts"
import { nameServer } from "../../tests/support/dns.ts"
import { BYPASS_TOKEN, register } from "../../tests/support/register.ts"
import { cpuOf } from "./cpu.ts"
import { message, SENDER, ZONE } from "./mail/messages.ts"
import { SmtpLine } from "./mail/smtp.ts"
import { type BenchStack, type Measured, startBaseline, startService } from "./subjects-under-test.ts"
import { median, quantile } from "./webhooks/measure.ts"

type Say = (line: string) => void

const DOMAIN = "mail.bench.example"
const FROM = `bounces@${SENDER}`
const READERS = 16
const LINES = 8
const WARM = 200
const MESSAGES = 600
const ROUNDS = 3
const WAITERS = 200
const WARM_WAITERS = 20
/** The wait between a reader's request and the mail. The service holds the request by then. */
const HELD_MS = 60
const DEADLINE_MS = 120_000

/** The limits of mailboxes and clients are high enough not to end the measurement. */
const LIMITS = {
  "service.mail.connections_per_client_max": LINES + 1,
  "limits.email.inbound_per_day": 1_000_000,
  "limits.email.mailbox_max_bytes": 10_000_000_000,
  "service.mail.commands_max": 1_000_000
}

interface Reader {
  readonly client: AgentClient
  readonly address: string
}

const reader = async (edge: string): Promise<Reader> => {
  const client = new AgentClient({ edge: () => edge })
  await register(client, { edge })
  const opened = await client.call("POST", "/api/v1/email/mailboxes", { body: {} })
  if (opened.status !== 201) throw new Error(`no mailbox: ${opened.text}`)
  return { client, address: (opened.json.data as { readonly address: string }).address }
}

const cpuByKind = ({ processes }: Measured): ReadonlyMap<string, number> =>
  new Map(Object.entries(processes()).map(([kind, pids]) => [kind, cpuOf(pids)]))

interface MailPace {
  readonly perSecond: number
  /** Microseconds of CPU time for one message, by kind of process. */
  readonly parts: ReadonlyMap<string, number>
  readonly us: number
}

/** `done` resolves when all messages have their notifications. */
const run = async (
  subject: Measured,
  to: ReadonlyArray<string>,
  count: number,
  done: () => Promise<void>
): Promise<MailPace> => {
  const waiting = await Promise.all(
    Array.from({ length: count }, async (_, index) => {
      const address = to[index % to.length] ?? ""
      return { address, raw: await message(address, null) }
    })
  )
  const lines = await Promise.all(Array.from({ length: LINES }, () => SmtpLine.open(subject.ports[0] ?? 0)))
  const [before, began] = [cpuByKind(subject), performance.now()]
  await Promise.all(
    lines.map(async (line) => {
      for (let one = waiting.pop(); one !== undefined; one = waiting.pop()) await line.send(FROM, one.address, one.raw)
    })
  )
  await done()
  const seconds = (performance.now() - began) / 1000
  const parts = new Map([...cpuByKind(subject)].map(([kind, us]) => [kind, (us - (before.get(kind) ?? 0)) / count]))
  await Promise.all(lines.map((line) => line.close()))
  return { perSecond: count / seconds, parts, us: [...parts.values()].reduce((sum, us) => sum + us, 0) }
}

const throughput = async (service: BenchStack, port: number, dns: string, say: Say): Promise<void> => {
  const tables = new Client({ connectionString: service.stack.postgres.url })
  await tables.connect()
  const readers: Array<Reader> = []
  for (let n = 0; n < READERS; n++) readers.push(await reader(service.baseUrl))
  const to = readers.map(({ address }) => address)
  const told = async (): Promise<number> => {
    const { rows } = await tables.query<{ readonly n: string }>(
      "select count(*) as n from notifications where type = 'email.received'"
    )
    return Number(rows[0]?.n)
  }
  const hub: Measured = { ...service.measured, ports: [port] }
  let expected = 0
  const toHub = (count: number): Promise<MailPace> => {
    expected += count
    return run(hub, to, count, async () => {
      const late = performance.now() + DEADLINE_MS
      while ((await told()) < expected) {
        if (performance.now() > late) throw new Error("not all were told of")
        await delay(100)
      }
    })
  }
  const baseline = await startBaseline("mail-loop", { BENCH_DNS: dns }, {})
  const toLoop = (count: number): Promise<MailPace> => run(baseline.measured, to, count, () => Promise.resolve())
  await toHub(WARM)
  await toLoop(WARM)
  const ratios: Array<number> = []
  for (let round = 0; round < ROUNDS; round++) {
    const [bare, whole] = [await toLoop(MESSAGES), await toHub(MESSAGES)]
    ratios.push(whole.us / bare.us)
    const parts = [...whole.parts].map(([kind, us]) => `${kind} ${(us / 1000).toFixed(2)}`).join(", ")
    say(
      `  round ${round + 1}: hub ${whole.perSecond.toFixed(0)} messages/s, ${(whole.us / 1000).toFixed(2)} ms of CPU ` +
        `each (${parts}); bare loop ${bare.perSecond.toFixed(0)} messages/s, ${(bare.us / 1000).toFixed(2)} ms; ` +
        `ratio ${(whole.us / bare.us).toFixed(2)}`
    )
  }
  say(`  CPU of all processes beside the bare loop: ${median(ratios).toFixed(2)} times at the median`)
  await baseline.stop()
  await tables.end()
}

const waited = async ({ client, address }: Reader, port: number): Promise<number> => {
  const code = String(100_000 + (randomBytes(4).readUInt32BE() % 900_000))
  const raw = await message(address, code)
  const line = await SmtpLine.open(port)
  const held = client
    .call("GET", "/api/v1/email/codes?wait_seconds=25")
    .then((answer) => ({ answer, at: performance.now() }))
  await delay(HELD_MS)
  const ended = await line.send(FROM, address, raw)
  const { answer, at } = await held
  if (!answer.text.includes(code)) throw new Error(`no code: ${answer.text}`)
  await line.close()
  return at - ended
}

const latency = async (service: BenchStack, port: number, say: Say): Promise<void> => {
  const took: Array<number> = []
  // Each reader waits only once, because a reader that has a code already would be answered at once.
  for (let n = 0; n < WARM_WAITERS + WAITERS; n++) {
    const ms = await waited(await reader(service.baseUrl), port)
    if (n >= WARM_WAITERS) took.push(ms)
  }
  say(
    `  from the end of DATA to the answer of a held GET /email/codes: p50 ${quantile(took, 0.5).toFixed(1)} ms, ` +
      `p99 ${quantile(took, 0.99).toFixed(1)} ms, over ${WAITERS}`
  )
}

/** If `filter` is not empty, only cases whose name contains it are run. */
export const mailCases = async (say: Say, filter: string): Promise<void> => {
  const dns = await nameServer(ZONE)
  const env = {
    HUB_MAIL_PROVIDER: "smtp",
    HUB_MAIL_DOMAIN: DOMAIN,
    HUB_MAIL_KEY: randomBytes(32).toString("base64"),
    HUB_DNS_SERVERS: dns.address,
    HUB_CAPTCHA_BYPASS: BYPASS_TOKEN
  }
  const service = await startService(1, 1, { env, limits: LIMITS, mail: true })
  const port = service.stack.mail?.port ?? 0
  try {
    for (const [name, measured] of [
      ["throughput", () => throughput(service, port, dns.address, say)],
      ["latency", () => latency(service, port, say)]
    ] as const) {
      if (!name.includes(filter)) continue
      say(`\nmail, ${name}`)
      await measured()
    }
  } finally {
    await service.stop()
    await dns.stop()
  }
}
