/** What the mail provider tells an edge, and what strangers tell in its name (spec 4.9; contract 20). */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { noticeId } from "../../edge/mail/notices.ts"
import { waitFor } from "../harness/index.ts"
import { authority } from "../support/certificates.ts"
import { type Provider, type Served, serving, type Told, TOPIC } from "../support/provider.ts"
import { openWorld } from "./edge.ts"
import { bySes, Entry, ENTRY } from "./told.ts"

let entry: Entry
let provider: Provider

beforeAll(async () => {
  entry = await Entry.open()
  provider = entry.provider
})
afterAll(() => entry?.stop())
beforeEach(() => entry.forget())

const post = (body: string | Told) => entry.post(body)
const outcome = (body: string | Told) => entry.outcome(body)
const takes = () => entry.takes()
const certificate = (served: Served) => entry.certificate(served)

describe("a notification", () => {
  it.each(["1", "2"])(
    "signed by version %s is taken under the hash of topic and id, and no more than it says",
    async (version) => {
      const told = provider.signed({ Message: '{"a":"ä"}', Subject: "Amazon SES" }, { version })
      const answer = await post(told)
      expect([answer.status, answer.json.data]).toEqual([200, { type: "Notification", taken: true }])
      const [ask] = takes()
      expect(ask).toMatchObject({
        kind: "mail_notice",
        actor: noticeId(TOPIC, String(told["MessageId"])),
        input: { message: '{"a":"ä"}' }
      })
      expect(ask).not.toHaveProperty("by")
    }
  )

  it("that was taken before is well", async () => {
    entry.world.node.on("mail_notice.take", () => ({ data: { taken: false } }))
    expect((await post(provider.signed({}))).json.data).toEqual({ type: "Notification", taken: false })
  })

  it("that is being taken comes again later", async () => {
    let answer = (): void => undefined
    entry.world.node.on(
      "mail_notice.take",
      () => new Promise((resolve) => (answer = () => resolve({ data: { taken: true } })))
    )
    const told = provider.signed({})
    const first = outcome(told)
    await waitFor(async () => takes().length > 0)
    const second = await post(told)
    expect([second.status, second.json.error.code]).toEqual([503, "email_sns_in_progress"])
    expect(Number(second.headers.get("retry-after"))).toBeGreaterThan(0)
    answer()
    expect(await first).toBe("200")
    expect(takes()).toHaveLength(1)
  })

  it("fetches a certificate once, however many come", async () => {
    const SigningCertURL = certificate(serving(provider.signer.cert))
    const all = await Promise.all([1, 2, 3].map(() => outcome(provider.signed({ SigningCertURL }))))
    expect(all).toEqual(["200", "200", "200"])
    expect(await outcome(provider.signed({ SigningCertURL }))).toBe("200")
    expect(provider.fetched).toHaveLength(1)
  })

  it("is 503 while its actor is away, so that it comes again", async () => {
    entry.world.node.on("mail_notice.take", () => ({
      head: { refused: { code: "overloaded", message: "later", retryAfter: 1 } }
    }))
    expect(await outcome(provider.signed({}))).toBe("503 overloaded")
  })
})

describe("a notification in the provider's name", () => {
  const foreign = authority("Somebody")

  it.each<readonly [string, () => Told]>([
    ["with another text", () => ({ ...provider.signed({}), Message: '{"evil":true}' })],
    ["with a subject that was not signed", () => ({ ...provider.signed({}), Subject: "x" })],
    ["under another id", () => ({ ...provider.signed({}), MessageId: "another" })],
    ["of another type", () => ({ ...provider.subscription(), Type: "Notification" })],
    ["at another time", () => ({ ...provider.signed({}), Timestamp: new Date().toISOString().replace("Z", "1Z") })],
    ["signed by somebody", () => provider.signed({}, { by: foreign.issue({ names: ["sns.amazonaws.com"] }) })],
    ["by the other hash", () => ({ ...provider.signed({}, { version: "1" }), SignatureVersion: "2" })],
    ["of an unknown version", () => provider.signed({ SignatureVersion: "3" })],
    ["with a signature that is none", () => ({ ...provider.signed({}), Signature: "!" })],
    ["with an empty certificate's address", () => provider.signed({ SigningCertURL: "x" })]
  ])("%s is not believed", async (_what, told) => {
    expect(await outcome(told())).toBe("403 email_sns_signature")
    expect(takes()).toEqual([])
  })

  it("for another topic is refused before anything is fetched", async () => {
    const SigningCertURL = certificate(serving(provider.signer.cert))
    for (const TopicArn of [
      `${TOPIC}2`,
      TOPIC.toUpperCase(),
      `${TOPIC} `,
      "arn:aws:sns:eu-central-1:999999999999:hub-mail"
    ])
      expect(await outcome(provider.signed({ TopicArn, SigningCertURL }))).toBe("403 email_sns_topic")
    expect(provider.fetched).toEqual([])
  })

  it("that is older than a day, or from the future, is stale", async () => {
    const at = (ms: number) => outcome(provider.signed({ Timestamp: new Date(Date.now() + ms).toISOString() }))
    const hour = 3_600_000
    expect(await at(-25 * hour)).toBe("403 email_sns_stale")
    expect(await at(1.1 * hour)).toBe("403 email_sns_stale")
    expect(await at(-23 * hour)).toBe("200")
    expect(await at(0.9 * hour)).toBe("200")
  })

  it("cannot be made of a signed one by shifting its lines", async () => {
    const inside = '{"a":1}\nMessageId\nevil\nSubject\nx'
    const told = provider.signed({ Message: inside })
    const shifted = {
      ...told,
      Message: '{"a":1}',
      MessageId: "evil",
      Subject: `x\nMessageId\n${String(told["MessageId"])}`
    }
    expect(await outcome(shifted)).toBe("422 validation_error")
    expect(takes()).toEqual([])
  })
})

describe("what is no notification", () => {
  const field = async (body: string): Promise<string> => {
    const { status, json } = await post(body)
    return `${status} ${String(json.error.details["field"])}`
  }

  it("is refused with its field", async () => {
    expect(await field("")).toBe("422 body")
    expect(await field("{")).toBe("422 body")
    expect(await field("[]")).toBe("422 body")
    expect(await field("[".repeat(50_000))).toBe("422 body")
    expect(await field(`{"Message":${"[".repeat(1000)}${"]".repeat(1000)}}`)).toBe("422 body")
    expect(await field("{}")).toBe("422 Type")
    const without = (name: string) => field(JSON.stringify({ ...provider.signed({}), [name]: undefined }))
    for (const name of [
      "MessageId",
      "TopicArn",
      "Message",
      "Timestamp",
      "SignatureVersion",
      "Signature",
      "SigningCertURL"
    ])
      expect(await without(name)).toBe(`422 ${name}`)
    const other = (name: string, value: unknown) => field(JSON.stringify({ ...provider.signed({}), [name]: value }))
    expect(await other("Timestamp", "yesterday")).toBe("422 Timestamp")
    expect(await other("Timestamp", "2026-13-45T99:00:00Z")).toBe("422 Timestamp")
    expect(await other("Type", "Evil")).toBe("422 Type")
    expect(await other("MessageId", { a: 1 })).toBe("422 MessageId")
  })

  it("with a member twice is refused, whichever was signed", async () => {
    const told = JSON.stringify(provider.signed({}))
    expect(await field(`{"Message":"evil",${told.slice(1)}`)).toBe("422 Message")
    expect(await field(`${told.slice(0, -1)},"TopicArn":"evil"}`)).toBe("422 TopicArn")
    expect(takes()).toEqual([])
  })

  it("is read to 300 KB, and not to one byte more", async () => {
    const whole = (size: number) => {
      const told = provider.signed({ Message: "" })
      const Message = "a".repeat(size - JSON.stringify(told).length)
      const { MessageId } = told
      return JSON.stringify(provider.signed({ Message, MessageId, Timestamp: told["Timestamp"] }))
    }
    expect(Buffer.byteLength(whole(307_200))).toBe(307_200)
    expect(await outcome(whole(307_200))).toBe("200")
    expect(await outcome(whole(307_201))).toBe("413 request_too_large")
  })
})

describe("the entry", () => {
  it("lets a client in so often", async () => {
    const narrow = await bySes(provider, {
      "rate_limits.mail_notice.requests": 2,
      "rate_limits.anon.requests": 1
    })
    try {
      narrow.node.on("limit.draw", () => ({ data: { granted: 2, resets_at: Date.now() + 60_000 } }))
      const statuses: Array<number> = []
      for (let turn = 0; turn < 3; turn++)
        statuses.push((await narrow.edge.call(ENTRY, { method: "POST", body: "{}" })).status)
      expect(statuses).toEqual([422, 422, 429])
    } finally {
      await narrow.stop()
    }
  })

  it.each([{}, { HUB_MAIL_PROVIDER: "smtp", HUB_MAIL_DOMAIN: "mail.hub.example" }])(
    "is off under another provider, whatever comes: %j",
    async (env) => {
      const other = await openWorld({ env })
      try {
        for (const body of [JSON.stringify(provider.signed({})), "{", "a".repeat(400_000)]) {
          const answer = await other.edge.call(ENTRY, { method: "POST", body })
          expect([answer.status, answer.json.error.code]).toEqual([503, "email_disabled"])
        }
      } finally {
        await other.stop()
      }
    }
  )
})
