/** Amazon SES at the wire: what each of its answers, silences and ends comes to, and domains as it knows them. */
import { createServer } from "node:net"
import type { AddressInfo } from "node:net"
import { Deferred, Effect } from "effect"
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest"
import type { Outcome, Transport } from "../../../actors/mail/outbound/transport.ts"
import { accountProblem } from "../../../actors/mail/ses/account.ts"
import { type Identities, identitiesFor } from "../../../actors/mail/ses/identities.ts"
import { openSesTransport } from "../../../actors/mail/ses/transport.ts"
import { LIMITS } from "../../../schemas/limits.ts"
import { waitFor } from "../../harness/index.ts"
import { Provider, type Served, serving } from "../../support/provider.ts"
import { openScope } from "../../support/scope.ts"

const REGION = "eu-central-1"
/** Who answers has all the time of a slow machine. */
const PATIENT = { ...LIMITS.service.mail, provider_connect_ms: 60_000, provider_call_ms: 60_000 }
const PAUSED = LIMITS.service.mail.provider_paused_seconds
const SEND = "POST /v2/email/outbound-emails"
const IDENTITIES = "POST /v2/email/identities"
const IDENTITY = "/v2/email/identities/agent.example"

let provider: Provider
let scope = openScope()

beforeAll(async () => {
  provider = await Provider.open()
})
afterAll(() => provider?.stop())
beforeEach(() => {
  scope = openScope()
  for (const [name, value] of Object.entries(provider.env)) vi.stubEnv(name, value)
  // Nothing of this machine's own.
  vi.stubEnv("AWS_EC2_METADATA_DISABLED", "true")
  vi.stubEnv("AWS_CONFIG_FILE", "/nowhere")
  vi.stubEnv("AWS_SHARED_CREDENTIALS_FILE", "/nowhere")
  provider.asked.length = 0
  provider.answers.clear()
})
afterEach(async () => {
  await scope.close()
  vi.unstubAllEnvs()
})

const json = (body: object, status = 200): Served =>
  serving(JSON.stringify(body), status, { "content-type": "application/json" })
const fault = (type: string, status = 400): Served =>
  serving(JSON.stringify({ message: "about somebody@example.com" }), status, {
    "content-type": "application/json",
    "x-amzn-errortype": type
  })

const transport = (more: Partial<typeof PATIENT> = {}, configurationSet: string | null = null): Promise<Transport> =>
  scope.make(openSesTransport({ region: REGION, configurationSet }, { ...PATIENT, ...more }))

const BYTES = Buffer.from("From: ada@mail.hub.example\r\nSubject: x\r\n\r\nä\0\r\n")
const OUTGOING = {
  id: "12-3",
  from: "ada@mail.hub.example",
  envelopeFrom: "bounces@mail.hub.example",
  to: "somebody@example.com",
  message: "12",
  recipients: ["somebody@example.com"],
  bytes: BYTES
}
const sentBy = (by: Transport, hurry: Effect.Effect<void> = Effect.never): Promise<Outcome> =>
  Effect.runPromise(by.send(OUTGOING, hurry))

describe("a message", () => {
  it("goes out whole, to its one recipient, with its sending as a tag", async () => {
    provider.answers.set(SEND, json({ MessageId: "0107-ses" }))
    const by = await transport({}, "hub-set")
    expect(by).toMatchObject({ name: "ses", signs: false, repeatable: false })
    expect(await sentBy(by)).toEqual({ type: "sent", provider_id: "0107-ses", delivered: false })
    const [asked] = provider.asked
    expect(JSON.parse(asked?.body ?? "")).toEqual({
      FromEmailAddress: "ada@mail.hub.example",
      Destination: { ToAddresses: ["somebody@example.com"] },
      Content: { Raw: { Data: BYTES.toString("base64") } },
      EmailTags: [{ Name: "hub-sending", Value: "12-3" }],
      ConfigurationSetName: "hub-set"
    })
  })

  it.each<readonly [string, Served, Outcome]>([
    [
      "is rejected",
      fault("MessageRejected"),
      { type: "refused", of: "message", reason: "the provider rejected the message" }
    ],
    [
      "cannot be read",
      fault("BadRequestException"),
      { type: "refused", of: "message", reason: "the provider could not read the message" }
    ],
    [
      "is refused in some other way",
      fault("constructor", 418),
      { type: "refused", of: "message", reason: "the provider refused it (418)" }
    ],
    [
      "comes too fast",
      fault("TooManyRequestsException", 429),
      { type: "passing", reason: "the provider takes no more at the moment" }
    ],
    [
      "is throttled",
      fault("ThrottlingException"),
      { type: "passing", reason: "the provider takes no more at the moment" }
    ],
    ["meets a fault", fault("InternalFailure", 500), { type: "passing", reason: "the provider has a fault (500)" }],
    ["is lost behind a proxy", serving("<html>", 504), { type: "unknown", reason: expect.any(String) }],
    [
      "is turned away by a proxy",
      serving("<html>", 503),
      { type: "passing", reason: "the provider has a fault (503)" }
    ],
    [
      "comes from a suspended account",
      fault("AccountSuspendedException"),
      { type: "passing", reason: "the provider has suspended the account", retry_after: PAUSED }
    ],
    [
      "comes while sending is paused",
      fault("SendingPausedException"),
      { type: "passing", reason: "the provider has paused sending", retry_after: PAUSED }
    ],
    [
      "is beyond the quota",
      fault("LimitExceededException"),
      { type: "passing", reason: "the provider's quota is used up", retry_after: PAUSED }
    ],
    [
      "comes with credentials that are none",
      fault("InvalidSignatureException", 403),
      { type: "passing", reason: "the provider refused the credentials", retry_after: PAUSED }
    ],
    ["is answered with half a word", serving('{"MessageId"', 200), { type: "unknown", reason: expect.any(String) }],
    [
      "is cut off behind it",
      (_request, response) => void response.destroy(),
      { type: "unknown", reason: expect.any(String) }
    ]
  ])("that %s is sent once, and told so", async (_what, served, outcome) => {
    provider.answers.set(SEND, served)
    expect(await sentBy(await transport())).toEqual(outcome)
    expect(provider.asked).toHaveLength(1)
  })

  it("that nobody answers is unknown after its time, and so is one that must end", async () => {
    provider.answers.set(SEND, () => undefined)
    expect(await sentBy(await transport({ provider_call_ms: 200 }))).toMatchObject({
      type: "unknown"
    })
    const hurry = Deferred.makeUnsafe<void>()
    const sending = sentBy(await transport(), Deferred.await(hurry))
    await waitFor(async () => provider.asked.length === 2)
    Deferred.doneUnsafe(hurry, Effect.void)
    expect(await sending).toMatchObject({ type: "unknown" })
  })

  it("that reaches no provider, or has no credentials, was not sent", async () => {
    const free = createServer().listen(0, "127.0.0.1")
    await new Promise((resolve) => free.once("listening", resolve))
    const { port } = free.address() as AddressInfo
    await new Promise((resolve) => free.close(resolve))
    vi.stubEnv("AWS_ENDPOINT_URL_SESV2", `http://127.0.0.1:${port}`)
    expect(await sentBy(await transport())).toEqual({ type: "passing", reason: "the provider cannot be reached" })
    vi.stubEnv("AWS_ENDPOINT_URL_SESV2", `https://localhost:${provider.host.split(":")[1]}`)
    expect(await sentBy(await transport())).toEqual({ type: "passing", reason: "the provider cannot be reached" })
    vi.stubEnv("AWS_ACCESS_KEY_ID", undefined)
    vi.stubEnv("AWS_SECRET_ACCESS_KEY", undefined)
    expect(await sentBy(await transport())).toMatchObject({ type: "passing", retry_after: PAUSED })
    expect(provider.asked).toEqual([])
  })
})

describe("a domain", () => {
  const identities = (): Promise<Identities> => Promise.resolve(identitiesFor(REGION, PATIENT))
  const TOKENS = ["a", "b", "c"]
  const known = (Status: string, Tokens = TOKENS) => json({ DkimAttributes: { Status, Tokens } })

  it("is declared with its tokens, and declared again with the same", async () => {
    const { declareIdentity } = await identities()
    provider.answers.set(IDENTITIES, known("PENDING"))
    expect(await Effect.runPromise(declareIdentity("agent.example"))).toMatchObject({ tokens: TOKENS })
    expect(JSON.parse(provider.asked[0]?.body ?? "")).toEqual({ EmailIdentity: "agent.example" })
    provider.answers.set(IDENTITIES, fault("AlreadyExistsException"))
    provider.answers.set(`GET ${IDENTITY}`, known("SUCCESS"))
    expect(await Effect.runPromise(declareIdentity("agent.example"))).toMatchObject({ tokens: TOKENS })
  })

  it.each(["SUCCESS", "PENDING", "FAILED", "TEMPORARY_FAILURE", "NOT_STARTED"])("is told as %s", async (status) => {
    provider.answers.set(`GET ${IDENTITY}`, known(status))
    expect(await Effect.runPromise((await identities()).identityOf("agent.example"))).toEqual({
      status,
      tokens: TOKENS
    })
  })

  it("that was given up is looked for again, by the keys that it has", async () => {
    provider.answers.set(`PUT ${IDENTITY}/dkim/signing`, json({ DkimStatus: "PENDING", DkimTokens: TOKENS }))
    const { seekAgain } = await identities()
    expect(await Effect.runPromise(seekAgain("agent.example"))).toEqual({ status: "PENDING", tokens: TOKENS })
    expect(provider.asked.map(({ body }) => JSON.parse(body))).toEqual([{ SigningAttributesOrigin: "AWS_SES" }])
  })

  it("that stays given up is made anew, with whatever tokens it gets", async () => {
    provider.answers.set(`PUT ${IDENTITY}/dkim/signing`, json({ DkimStatus: "FAILED", DkimTokens: TOKENS }))
    provider.answers.set(`DELETE ${IDENTITY}`, json({}))
    provider.answers.set(IDENTITIES, known("PENDING", ["d", "e", "f"]))
    const { seekAgain } = await identities()
    expect(await Effect.runPromise(seekAgain("agent.example"))).toEqual({ status: "PENDING", tokens: ["d", "e", "f"] })
    expect(provider.asked.map(({ method }) => method)).toEqual(["PUT", "DELETE", "POST"])
  })

  it("that is not there has no status, and is gone when it is taken away", async () => {
    const { identityOf, deleteIdentity } = await identities()
    provider.answers.set(`GET ${IDENTITY}`, fault("NotFoundException", 404))
    provider.answers.set(`DELETE ${IDENTITY}`, fault("NotFoundException", 404))
    expect(await Effect.runPromise(identityOf("agent.example"))).toBeNull()
    await Effect.runPromise(deleteIdentity("agent.example"))
    provider.answers.set(`DELETE ${IDENTITY}`, json({}))
    await Effect.runPromise(deleteIdentity("agent.example"))
    expect(provider.asked.map(({ method }) => method)).toEqual(["GET", "DELETE", "DELETE"])
  })

  it("is a fault where the provider does not answer as it should, by the provider's own name for it", async () => {
    const { identityOf, declareIdentity } = await identities()
    provider.answers.set(`GET ${IDENTITY}`, fault("AccessDeniedException", 403))
    expect(await Effect.runPromise(Effect.flip(identityOf("agent.example")))).toMatchObject({
      _tag: "ProviderFault",
      reason: "AccessDeniedException"
    })
    provider.answers.set(IDENTITIES, json({}))
    expect(await Effect.runPromise(Effect.flip(declareIdentity("agent.example")))).toMatchObject({
      _tag: "ProviderFault"
    })
  })
})

it.each([
  [{ sending: false }, /nothing/],
  [{ production: false }, /sandbox/],
  [{ sent_day: 181 }, /nearly/],
  [{}, null]
])("of an account that is %j operators are told %s", (state, wanted) => {
  const account = { sending: true, production: true, per_day: 200, sent_day: 3, per_second: 1, ...state }
  const told = accountProblem(account)
  if (wanted === null) expect(told).toBeNull()
  else expect(told).toMatch(wanted)
})

it.each([
  [true, "HEALTHY", true],
  [true, "SHUTDOWN", false],
  [false, "HEALTHY", false]
])("an account with sending %s that is %s may send: %s", async (SendingEnabled, EnforcementStatus, sending) => {
  provider.answers.set(
    "GET /v2/email/account",
    json({
      SendingEnabled,
      EnforcementStatus,
      ProductionAccessEnabled: true,
      SendQuota: { Max24HourSend: 200, MaxSendRate: 1, SentLast24Hours: 3 }
    })
  )
  const { accountState } = await Promise.resolve(identitiesFor(REGION, PATIENT))
  expect(await Effect.runPromise(accountState)).toEqual({
    sending,
    production: true,
    per_day: 200,
    sent_day: 3,
    per_second: 1
  })
})
