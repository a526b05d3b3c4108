/**
 * `npm run fixture`: lives through the history of tests/upgrade, and packs what a service of this release has then, for
 * later releases to start on. Takes some minutes. See ops/docs/testing.md.
 */
import { randomBytes } from "node:crypto"
import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import { KINDS } from "../../actors/process/kinds.ts"
import { VERSION } from "../../schemas/version.ts"
import { MARKING, type World, WRITES } from "../api/writes.ts"
import setup from "../harness/global-setup.ts"
import { testFolder, waitFor } from "../harness/index.ts"
import { endTenants } from "../harness/tenants.ts"
import { nameServer } from "../support/dns.ts"
import { operate } from "../support/hub.ts"
import { mailHost as openMailHost } from "../support/mail-host.ts"
import { PlayedHost } from "../support/played-host.ts"
import { PushService } from "../support/push-service.ts"
import { startReceiver } from "../support/receiver.ts"
import { TEST_SERVER_KEY, testService } from "../support/service.ts"
import { anAgent } from "../support/sponsorship.ts"
import { Telegram } from "../support/telegram.ts"
import { ABSENT } from "./absent.ts"
import { allEntries, LOG_FILE, logText, TABLES_FILE } from "./log.ts"
import { MORE, type WiderWorld } from "./more.ts"
import { packed } from "./pack.ts"
import { liveStars } from "./stars.ts"
import { migrationsOf, rowsOf } from "./tables.ts"

const MAIL = "mail.hub.example"
/** What follows by timers comes until then, the withdrawal of a banned agent's votes last. */
const FOLLOWS_WITHIN_MS = 240_000
/** Longer than any fixture is kept: what the test reads does not grow old. */
const FOR_GOOD_SECONDS = 3_000_000_000

const key = (): string => randomBytes(32).toString("base64")

const say = (text: string): void => void process.stderr.write(`${text}\n`)

const limits = (mailPort: number) => ({
  "rate_limits.sponsorship.requests": 1000,
  "rate_limits.recover.requests": 1000,
  ...Object.fromEntries(Array.from({ length: 9 }, (_, index) => [`webhook.retry_seconds.${index + 1}`, 0.6])),
  "webhook.warn_after_seconds": 0.5,
  "webhook.disable_after_seconds": 4,
  "webhook.put_off_seconds": 1,
  "scores.votes_per_pair": 5,
  "scores.pair_window_seconds": 2_592_000,
  "service.mail.mx_port": mailPort,
  "service.snapshot_every_commits": 8,
  "service.blob_grace_seconds": 5,
  "limits.email.service_per_day": 100_000,
  "limits.email.pause_recipients_min": 100_000,
  "limits.email.queue_retry_seconds.1": 1,
  "limits.email.queue_retry_seconds.2": 1,
  "limits.email.retention_seconds": FOR_GOOD_SECONDS,
  "limits.owner.captcha_image_seconds": 1,
  "limits.owner.session_seconds": FOR_GOOD_SECONDS,
  "limits.owner.relay_letters.requests": 1,
  "limits.owner.relay_letters.window_seconds": 10,
  "vault.fill_pending_seconds": 10
})

const TYPES = KINDS.flatMap(({ fold }) => Object.keys(fold.events))

const write = async (): Promise<void> => {
  const zone = { "world.example": { MX: ["mx.world.example"] }, "mx.world.example": { A: ["127.0.0.1"] } }
  const [dns, telegram, mailHost, receiver, push] = await Promise.all([
    nameServer(zone),
    Telegram.open(),
    openMailHost(),
    startReceiver(),
    PushService.open()
  ])
  const keys = { HUB_SERVER_KEY: TEST_SERVER_KEY, HUB_MAIL_KEY: key(), HUB_VAULT_KEY: key() }
  const vapid = { HUB_VAPID_KEY: Buffer.alloc(32, 1).toString("base64url") }
  const service = await testService({
    edges: 1,
    actors: 1,
    keeper: true,
    mail: MAIL,
    env: {
      HUB_DNS_SERVERS: dns.address,
      HUB_MAIL_ABUSE_CONTACT: "abuse@hub.example",
      ...telegram.env,
      ...vapid,
      ...keys
    },
    limits: limits(mailHost.port)
  })
  const host = await PlayedHost.start(service, 100)
  try {
    const operator = await anAgent(service.edges)
    await operate(service.system, ["agent", "grant", operator.agent.handle, "operator"])
    const world: WiderWorld & World = { service, operator, zone, host, receiver, telegram, mailHost, push }
    const told = await liveStars(world)
    for (const [name, flow] of Object.entries({ ...WRITES, ...MARKING, ...MORE })) {
      say(name)
      await flow(world)
    }
    const seen = new Set<string>()
    let after = 0
    /** Events of which nobody has said that they are absent. */
    const lacking = async (): Promise<ReadonlyArray<string>> => {
      for (const { seq, commit } of await allEntries(service.view, after)) {
        for (const { type } of commit.events) seen.add(type)
        after = seq
      }
      return TYPES.filter((type) => !seen.has(type) && !Object.hasOwn(ABSENT, type))
    }
    say(`what follows by timers: ${(await lacking()).join(", ")}`)
    await waitFor(async () => (await lacking()).length === 0, {
      deadlineMs: FOLLOWS_WITHIN_MS,
      describe: "every event"
    }).catch(async () => {
      throw new Error(`these events did not come: ${(await lacking()).join(", ")}`)
    })
    const surplus = Object.keys(ABSENT).filter((type) => seen.has(type) || !TYPES.includes(type))
    if (surplus.length > 0) say(`absent.ts can do without ${surplus.join(", ")}, if they come each time`)
    const stars = await told()
    host.stop()
    for (const node of [...service.system.edges, service.system.mail, service.system.keeper, ...service.system.actors])
      await node?.stop()
    const folder = join(await testFolder("fixture"), VERSION)
    process.env["HUB_SERVER_KEY"] = keys.HUB_SERVER_KEY
    say(await operate(service.system, ["backup", folder]))
    await writeFile(join(folder, LOG_FILE), logText(await allEntries(service.view)))
    await writeFile(join(folder, TABLES_FILE), JSON.stringify(await rowsOf(service.view.db)))
    const bytes = await packed(VERSION, folder, {
      release: VERSION,
      keys,
      mail: MAIL,
      events: KINDS.flatMap(({ fold }) => Object.entries(fold.events).map(([type, v]) => `${type}@${v}`)),
      migrations: await migrationsOf(service.view.db),
      ...stars
    })
    say(`${VERSION}: ${bytes} bytes`)
  } finally {
    host.stop()
    await service.stop()
    await Promise.all([dns.stop(), telegram.stop(), mailHost.stop(), receiver.stop(), push.stop()])
  }
}

const end = await setup()
try {
  await write()
} finally {
  await endTenants()
  await end()
}
