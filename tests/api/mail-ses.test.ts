/** Mail that Amazon SES receives for the service: told at an edge, carried out by the mail process (contract 20). */
import { getCACertificates, setDefaultCACertificates } from "node:tls"
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest"
import { noticeId } from "../../edge/mail/notices.ts"
import { LIMITS } from "../../schemas/limits.ts"
import type { ListedMail, Mail, MailCodes, MailEvent } from "../../schemas/mail/records.ts"
import { waitFor } from "../harness/index.ts"
import { send } from "../support/http.ts"
import { deliver, message } from "../support/mail.ts"
import { dataOf, outcome } from "../support/outcome.ts"
import { foundIn } from "../support/planted.ts"
import { Provider, serving, type Told, TOPIC } from "../support/provider.ts"
import { logOf, type TestService, testService } from "../support/service.ts"
import { anAgent, type Carried, told } from "../support/sponsorship.ts"

const DOMAIN = "mail.hub.example"
const MESSAGES = "/api/v1/email/messages"
/** Stands nowhere but sealed. */
const HIDDEN = "the heron crosses the harbour at dawn"
const SMALL_MESSAGE_BYTES = 400_000
const PENDING_MAX = 4

const TRUSTED = getCACertificates("default")
let provider: Provider
let service: TestService

beforeAll(async () => {
  provider = await Provider.open()
  setDefaultCACertificates([...TRUSTED, provider.authority.cert])
  // The provider's own library asks the process.
  for (const [name, value] of Object.entries(provider.env)) if (name.startsWith("AWS_")) vi.stubEnv(name, value)
  service = await testService({
    metrics: true,
    edges: 2,
    actors: 2,
    mail: DOMAIN,
    env: provider.env,
    limits: {
      "limits.email.message_max_bytes": SMALL_MESSAGE_BYTES,
      "service.mail.certificate_fetch_ms": 60_000,
      "service.mail.notice_pending_max": PENDING_MAX,
      "service.mail.notice_again_ms": 20,
      "service.mail.notice_again_max_ms": 100
    }
  })
})
afterAll(async () => {
  await service?.stop()
  await provider?.stop()
  vi.unstubAllEnvs()
  setDefaultCACertificates(TRUSTED)
})
beforeEach(() => void (provider.asked.length = 0))

const withMailbox = async () => {
  const agent = await anAgent(service.edges)
  expect(outcome(await agent.client.call("POST", "/api/v1/email/mailboxes", { body: {} }))).toBe("201")
  return { agent, to: `${agent.agent.handle}@${DOMAIN}` }
}
const post = (body: Told, edge = 0) =>
  send({
    edge: service.edges[edge] ?? "",
    method: "POST",
    path: "/api/v1/email/inbound/ses",
    headers: { "content-type": "text/plain; charset=UTF-8" },
    body: JSON.stringify(body)
  })
const tell = async (notification: object): Promise<string> => {
  const body = provider.signed({ Message: JSON.stringify(notification) })
  expect(outcome(await post(body))).toBe("200")
  return noticeId(TOPIC, String(body["MessageId"]))
}
const listed = async ({ client }: Carried) => dataOf<ReadonlyArray<ListedMail>>(await client.call("GET", MESSAGES))
const arrived = (agent: Carried, count = 1) =>
  waitFor(async () => {
    const all = await listed(agent)
    return all.length >= count ? all : null
  })
const settled = (notice: string) =>
  waitFor(async () => {
    const entries = await logOf(service.view, "mail_notice", notice)
    return entries.flatMap(({ commit }) => commit.events).find(({ type }) => type === "mail_notice.settled") ?? null
  })

const verdict = (status: string) => ({ status })
const receipt = (recipients: ReadonlyArray<string>, more: object = {}) => ({
  timestamp: new Date().toISOString(),
  processingTimeMillis: 10,
  recipients,
  spamVerdict: verdict("GRAY"),
  virusVerdict: verdict("PASS"),
  spfVerdict: verdict("PASS"),
  dkimVerdict: verdict("PROCESSING_FAILED"),
  dmarcVerdict: verdict("FAIL"),
  action: { type: "SNS", topicArn: TOPIC, encoding: "BASE64" },
  ...more
})
const inline = (raw: string, recipients: ReadonlyArray<string>, more: object = {}) => ({
  notificationType: "Received",
  mail: { source: "shop@example.com", messageId: "o3vrnil0e2ic", destination: recipients, headersTruncated: false },
  receipt: receipt(recipients, more),
  content: Buffer.from(raw).toString("base64")
})
const inBucket = (recipients: ReadonlyArray<string>, objectKey: string, bucketName = "hub-mail") => {
  const { content: _, ...rest } = inline("", recipients, {
    action: { type: "S3", topicArn: TOPIC, bucketName, objectKey }
  })
  return rest
}

describe("a mail in the notification", () => {
  it("arrives with its tags and with what the provider says of it", async () => {
    const { agent, to } = await withMailbox()
    const tagged = [`${agent.agent.handle}+a@${DOMAIN}`, `${agent.agent.handle}+b@${DOMAIN.toUpperCase()}`]
    const raw = message({ to, subject: "From SES", body: `Your code is 482913. ${HIDDEN}` })
    const notification = inline(raw, tagged)
    const notice = await tell(notification)
    const [mail] = await arrived(agent)
    expect(mail).toMatchObject({
      subject: "From SES",
      from: { address: "shop@example.com" },
      tags: ["a", "b"],
      codes: [expect.objectContaining({ code: "482913" })],
      verdicts: { spf: "PASS", dkim: "PROCESSING_FAILED", dmarc: "FAIL", spam: "GRAY", virus: "PASS" }
    })
    expect((await told(agent, "email.received")).payload).toMatchObject({ subject: "From SES" })
    expect(await settled(notice)).toMatchObject({ outcome: "done", reason: null })
    expect(await foundIn(service, [HIDDEN, notification.content.slice(100, 160)])).toEqual([])
  })

  it("in plain text is taken byte for byte, and what is not judged is told as that", async () => {
    const { agent, to } = await withMailbox()
    const raw = message({ to, subject: "plain", body: "Grüße" })
    const off = Object.fromEntries(
      ["spam", "virus", "spf", "dkim", "dmarc"].map((of) => [`${of}Verdict`, verdict("DISABLED")])
    )
    const action = { type: "SNS", topicArn: TOPIC, encoding: "UTF-8" }
    await tell({ ...inline(raw, [to], { ...off, action }), content: raw })
    const [mail] = await arrived(agent)
    expect(mail).toMatchObject({
      excerpt: "Grüße",
      verdicts: { spf: "NONE", dkim: "NONE", dmarc: "NONE", spam: "NONE", virus: "NONE" }
    })
  })

  it("told twice, at two edges, is received once; replayed it changes nothing", async () => {
    const { agent, to } = await withMailbox()
    const body = provider.signed({ Message: JSON.stringify(inline(message({ to }), [to])) })
    expect(outcome(await post(body, 0))).toBe("200")
    await arrived(agent)
    const again = await post(body, 1)
    expect([outcome(again), dataOf<{ taken: boolean }>(again).taken]).toEqual(["200", false])
    // Under another id the same mail is the same mail.
    const { Message } = body
    const other = provider.signed({ Message })
    expect(outcome(await post(other))).toBe("200")
    expect(await settled(noticeId(TOPIC, String(other["MessageId"])))).toMatchObject({ outcome: "done" })
    expect(await listed(agent)).toHaveLength(1)
  })

  it("with a virus comes without attachments, and is marked", async () => {
    const { agent, to } = await withMailbox()
    const part = "--b\r\nContent-Disposition: attachment; filename=a.exe\r\n\r\nevil\r\n--b--"
    const raw = message({ to, headers: ["Content-Type: multipart/mixed; boundary=b"], body: part })
    await tell(inline(raw, [to], { virusVerdict: verdict("FAIL") }))
    const [mail] = await arrived(agent)
    expect(mail).toMatchObject({ attachments: [], attachment_count: 0, verdicts: { virus: "FAIL" } })
    const whole = dataOf<Mail>(await agent.client.call("GET", `${MESSAGES}/${mail?.message_id}`))
    expect(whole).toMatchObject({ attachments: [], attachments_dropped: 1 })
  })

  it("for nobody here is dropped, and for others it comes all the same", async () => {
    const { agent, to } = await withMailbox()
    const nobody = await tell(
      inline(message({ to: "x" }), [`nobody-there@${DOMAIN}`, "else@example.com", "no address"])
    )
    expect(await settled(nobody)).toMatchObject({ outcome: "ignored" })
    await tell(inline(message({ to }), [`nobody-there@${DOMAIN}`, to]))
    await arrived(agent)
    expect(service.system.logs.text()).toContain('"dropped":{"nobody":3,"full":0,"too_many":0}')
  })

  it("of somebody whom the mailbox keeps out is journaled and dropped", async () => {
    const { agent, to } = await withMailbox()
    const mailboxes = dataOf<ReadonlyArray<{ id: number }>>(await agent.client.call("GET", "/api/v1/email/mailboxes"))
    const body = { rules: { block_senders: ["example.com"] } }
    await agent.client.call("PATCH", `/api/v1/email/mailboxes/${mailboxes[0]?.id}`, { body })
    expect(await settled(await tell(inline(message({ to }), [to])))).toMatchObject({ outcome: "done" })
    const journal = await waitFor(async () => {
      const all = dataOf<ReadonlyArray<typeof MailEvent.Type>>(await agent.client.call("GET", "/api/v1/email/log"))
      return all.some(({ event }) => event === "dropped") ? all : null
    })
    expect(journal.some(({ event }) => event === "received")).toBe(false)
  })
})

describe("a mail in a bucket", () => {
  it("is fetched and received, also where the bucket was away before", async () => {
    const { agent, to } = await withMailbox()
    let turns = 0
    const raw = message({ to, subject: "stored" })
    provider.answers.set("GET /hub-mail/in/one", (request, response) =>
      ++turns < 3
        ? serving("<Error><Code>SlowDown</Code></Error>", 503)(request, response)
        : serving(raw)(request, response)
    )
    const notice = await tell(inBucket([to], "in/one"))
    expect((await arrived(agent))[0]).toMatchObject({ subject: "stored" })
    expect(await settled(notice)).toMatchObject({ outcome: "done" })
    expect(turns).toBe(3)
  })

  it("that is denied holds up nothing else, however many there are", async () => {
    const { agent, to } = await withMailbox()
    const place = "GET /hub-mail/denied"
    provider.answers.set(place, serving("<Error><Code>AccessDenied</Code></Error>", 403))
    const denied = await Promise.all(Array.from({ length: 3 * PENDING_MAX }, () => tell(inBucket([to], "denied"))))
    const putOff = async (notice: string) =>
      (await logOf(service.view, "mail_notice", notice)).some(({ commit }) =>
        commit.events.some(({ type }) => type === "mail_notice.put_off")
      )
    await waitFor(async () => (await Promise.all(denied.map(putOff))).every(Boolean))
    await tell(inline(message({ to, subject: "beside them" }), [to]))
    expect((await arrived(agent))[0]).toMatchObject({ subject: "beside them" })
    provider.answers.set(place, serving("<Error><Code>NoSuchKey</Code></Error>", 404))
    for (const notice of denied) expect(await settled(notice)).toMatchObject({ outcome: "given_up" })
  })

  it.each<readonly [string, string, Parameters<Provider["answers"]["set"]>[1]]>([
    ["is not there", "the stored message is not there", serving("<Error><Code>NoSuchKey</Code></Error>", 404)],
    ["is too large", "the stored message is too large", serving("a".repeat(SMALL_MESSAGE_BYTES + 1))],
    [
      "is too large, and does not say so",
      "the stored message is too large",
      (_request, response) => {
        response.writeHead(200, { "transfer-encoding": "chunked" })
        response.end("a".repeat(SMALL_MESSAGE_BYTES + 1))
      }
    ]
  ])("that %s is given up, into the log", async (what, reason, served) => {
    const [{ to }, key] = [await withMailbox(), what.replaceAll(/\W/g, "-")]
    provider.answers.set(`GET /hub-mail/${key}`, served)
    expect(await settled(await tell(inBucket([to], key)))).toMatchObject({ outcome: "given_up", reason })
  })

  it.each([
    ["../../x", "in/one"],
    ["127.0.0.1:9/x", "in/one"],
    ["arn:aws:s3:::hub-mail", "in/one"],
    ["a b", "in/one"],
    ["", "in/one"],
    ["hub-mail", "../other/one"],
    ["hub-mail", "in/./one"],
    ["hub-mail", ".."],
    ["hub-mail", ""]
  ])("that is no place in a bucket is not asked for: %j %j", async (bucket, key) => {
    const { to } = await withMailbox()
    const notice = await tell(inBucket([to], key, bucket))
    expect(await settled(notice)).toMatchObject({ outcome: "given_up" })
    expect(provider.asked).toEqual([])
  })
})

it("codes of one sender are found behind any number of others'", async () => {
  const { agent, to } = await withMailbox()
  const body = "Your verification code is 482913."
  const passing = { dmarcVerdict: verdict("PASS") }
  await tell(inline(message({ to, from: "a@login.bank.example", body }), [to], passing))
  await arrived(agent)
  for (let n = 0; n < LIMITS.limits.email.codes_messages_max + 5; n++)
    await settled(await tell(inline(message({ to, from: `x${n}@evil.example`, body }), [to], passing)))
  await settled(await tell(inline(message({ to, from: "a@bank.example", body }), [to])))
  const codes = await waitFor(async () => {
    const answer = await agent.client.call("GET", "/api/v1/email/codes?from=bank.example")
    return answer.text.includes('"unaligned":1') ? dataOf<ReadonlyArray<MailCodes>>(answer) : null
  })
  expect(codes.map(({ from }) => from.address)).toEqual(["a@login.bank.example"])
})

describe("what is no mail", () => {
  it.each([
    ["no JSON", "Successfully validated SNS topic for Amazon SES event publishing."],
    ["of something else", '{"Records":[]}'],
    ["deep", "[".repeat(100_000)],
    ["an event that nothing follows from", JSON.stringify({ eventType: "Send", mail: {} })],
    ["a bounce of nobody's", JSON.stringify({ eventType: "Bounce", mail: {}, bounce: { bounceType: "Permanent" } })]
  ])("is ignored: %s", async (_what, Message) => {
    const body = provider.signed({ Message })
    expect(outcome(await post(body))).toBe("200")
    expect(await settled(noticeId(TOPIC, String(body["MessageId"])))).toMatchObject({ outcome: "ignored" })
  })
})

describe("the mail process", () => {
  it("listens on no port, and carries out after its death what was told meanwhile", async () => {
    const { agent, to } = await withMailbox()
    const { mail } = service.system
    if (mail === undefined) throw new Error("none")
    await expect(deliver(mail.port, { to, raw: message({ to }) })).rejects.toThrow(/ECONNREFUSED/)
    await mail.stop()
    const notice = await tell(inline(message({ to, subject: "meanwhile" }), [to]))
    await mail.restart()
    expect((await arrived(agent))[0]).toMatchObject({ subject: "meanwhile" })
    expect(await settled(notice)).toMatchObject({ outcome: "done" })
  })

  it("tells its provider to whoever asks", async () => {
    const answer = await send({ edge: service.edges[0] ?? "", method: "GET", path: "/api/v1/email", headers: {} })
    expect(dataOf(answer)).toMatchObject({ enabled: true, provider: "ses", domain: DOMAIN })
  })
})
