/** Mail that waited at the backup and was sent afterwards is not sent a second time after the restore. */
import { randomBytes } from "node:crypto"
import { join } from "node:path"
import { afterAll, beforeAll, expect, test } from "vitest"
import { sendingId } from "../../actors/mail/sending/id.ts"
import { LIMITS } from "../../schemas/limits.ts"
import { archiveOf, waitFor } from "../harness/index.ts"
import { type NameServer, nameServer } from "../support/dns.ts"
import { type MailHost, mailHost } from "../support/mail-host.ts"
import { type Desk, operated } from "../support/operator.ts"
import { dataOf } from "../support/outcome.ts"
import { logOf, type TestService, testService } from "../support/service.ts"
import { anAgent } from "../support/sponsorship.ts"

interface Recipient {
  readonly detail: string | null
  readonly unknown: boolean
}

const DOMAIN = "mail.hub.example"
/** Each wait is as long as all before it. So attempts go on after a backup, however long it took. */
const retrySeconds = (retry: number): number => 2 ** retry

let service: TestService
let world: MailHost
let names: NameServer
let desk: Desk

beforeAll(async () => {
  const serverKey = randomBytes(32).toString("base64")
  world = await mailHost()
  names = await nameServer({ "world.example": { MX: ["mx.world.example"] }, "mx.world.example": { A: ["127.0.0.1"] } })
  const retries = Object.keys(LIMITS.limits.email.queue_retry_seconds)
  service = await testService({
    processes: true,
    edges: 1,
    actors: 1,
    mail: DOMAIN,
    env: { HUB_SERVER_KEY: serverKey, HUB_DNS_SERVERS: names.address, HUB_MAIL_ABUSE_CONTACT: "abuse@hub.example" },
    limits: {
      "service.mail.mx_port": world.port,
      ...Object.fromEntries(
        retries.map((retry, index) => [`limits.email.queue_retry_seconds.${retry}`, retrySeconds(index)])
      )
    }
  })
  desk = {
    natsUrl: service.system.nats.url,
    databaseUrl: service.system.postgres.url,
    serverKey,
    archive: archiveOf(service.system)
  }
})
afterAll(async () => {
  await service?.stop()
  await world?.stop()
  await names?.stop()
})

/** Ends every node, as a restore requires, and starts them again behind it. */
const restored = async (folder: string): Promise<void> => {
  const nodes = [...service.system.actors, service.system.mail, ...service.system.edges]
  for (const node of nodes) await node?.kill()
  expect(await operated(desk, ["restore", folder, "--replace", "--gap", "0"])).toContain("mail that waited")
  for (const node of nodes) await node?.restart()
}

/** An agent with a mailbox, and a letter of it to somebody else. */
const sent = async (local: string) => {
  const { client, agent } = await anAgent(service.edges)
  dataOf(await client.call("POST", "/api/v1/email/mailboxes", { body: {} }))
  const letter = {
    from: `${agent.handle}@${DOMAIN}`,
    to: [`${local}@world.example`],
    subject: "Once",
    text: "Only once."
  }
  const { id } = dataOf<{ id: string }>(await client.call("POST", "/api/v1/email/send", { body: letter }))
  const look = async () => {
    const answer = await client.call("GET", `/api/v1/email/messages/${id}`)
    return dataOf<{ recipients: ReadonlyArray<Recipient> }>(answer).recipients[0]
  }
  const isNotKnown = async (): Promise<true> => {
    const recipient = await look()
    if (recipient?.unknown === true) return true
    const log = await logOf(service.view, "mail_sending", sendingId(Number(/\d+/.exec(id)?.[0]), 1))
    throw new Error(JSON.stringify({ recipient, log: log.map(({ seq, commit }) => ({ seq, ...commit })) }))
  }
  const notKnown = () => waitFor(isNotKnown, { describe: "the message to be told as not known" })
  return { client, letter, look, notKnown }
}

const subjectsTaken = () => world.taken.map(({ raw }) => /^subject: ([^\r\n]+)/im.exec(raw)?.[1])

test("what waited then is told as not known, and its sender may send it again", async () => {
  world.refuses.set("somebody", { at: "rcpt", code: 450, says: "later" })
  const { client, letter, look, notKnown } = await sent("somebody")
  await waitFor(async () => typeof (await look())?.detail === "string", { describe: "the first attempt" })
  const folder = join(service.system.folder, "backups", "first")
  await operated(desk, ["backup", folder])
  world.refuses.clear()
  await waitFor(() => world.taken.length > 0, { describe: "the message to be taken" })
  await restored(folder)
  await notKnown()
  expect((await look())?.detail).toContain("restored from a backup")
  dataOf(await client.call("POST", "/api/v1/email/send", { body: { ...letter, subject: "Again" } }))
  await waitFor(() => world.taken.length > 1, { describe: "the second message" })
  expect(subjectsTaken()).toEqual(["Once", "Again"])
})

test("an attempt that was under way then is not made a second time", async () => {
  world.taken.length = 0
  world.silent.add("silent")
  const { look, notKnown } = await sent("silent")
  await waitFor(() => world.taken.length > 0, { describe: "the message to be taken" })
  const folder = join(service.system.folder, "backups", "second")
  await operated(desk, ["backup", folder])
  world.silent.clear()
  await restored(folder)
  await notKnown()
  expect((await look())?.detail).toContain("not known whether it was sent")
  expect(subjectsTaken()).toEqual(["Once"])
})
