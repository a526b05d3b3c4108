/** Certificates and confirmations of the mail provider: what an edge fetches, and what it does not (contract 20). */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { isConfirmation } from "../../edge/mail/provider-addresses.ts"
import { signingKeyIn } from "../../edge/mail/provider-certificates.ts"
import { authority } from "../support/certificates.ts"
import { type Provider, type Served, serving, type Told, TOPIC } from "../support/provider.ts"
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

describe("a certificate", () => {
  const at = (SigningCertURL: string) => outcome(provider.signed({ SigningCertURL }))

  it.each<readonly [string, (host: string) => string]>([
    ["a host that begins like it", (host) => `https://${host}.evil.example/SimpleNotificationService-1.pem`],
    [
      "the provider's name below another",
      () => "https://sns.eu-central-1.amazonaws.com.evil.example/SimpleNotificationService-1.pem"
    ],
    ["a user", (host) => `https://${host}@evil.example/SimpleNotificationService-1.pem`],
    ["a user before it", (host) => `https://evil@${host}/SimpleNotificationService-1.pem`],
    ["another port", () => "https://localhost:1/SimpleNotificationService-1.pem"],
    ["http", (host) => `http://${host}/SimpleNotificationService-1.pem`],
    ["an address of the network", (host) => `https://127.0.0.1:${host.split(":")[1]}/SimpleNotificationService-1.pem`],
    ["a number", (host) => `https://2130706433:${host.split(":")[1]}/SimpleNotificationService-1.pem`],
    ["a trailing dot", (host) => `https://${host.replace("localhost", "localhost.")}/SimpleNotificationService-1.pem`],
    ["letters of another script", (host) => `https://${host.replace("o", "ο")}/SimpleNotificationService-1.pem`],
    ["wide letters", (host) => `https://${host.replace("l", "ｌ")}/SimpleNotificationService-1.pem`],
    ["capitals", (host) => `https://${host.toUpperCase()}/SimpleNotificationService-1.pem`],
    ["a backslash", (host) => `https://${host}\\SimpleNotificationService-1.pem`],
    ["a tab", (host) => `https://local\thost${host.slice("localhost".length)}/SimpleNotificationService-1.pem`],
    ["another path", (host) => `https://${host}/evil.pem`],
    ["a way up", (host) => `https://${host}/x/../SimpleNotificationService-1.pem`],
    ["a query", (host) => `https://${host}/SimpleNotificationService-1.pem?x=1`],
    ["a fragment", (host) => `https://${host}/SimpleNotificationService-1.pem#x`],
    ["another ending", (host) => `https://${host}/SimpleNotificationService-1.txt`],
    ["a file of the machine", () => "file:///SimpleNotificationService-1.pem"]
  ])("at %s is not fetched", async (_what, address) => {
    expect(await at(address(provider.host))).toBe("403 email_sns_signature")
    expect(provider.fetched).toEqual([])
  })

  it.each<readonly [string, () => string]>([
    ["expired", () => provider.authority.issue({ names: ["sns.amazonaws.com"], from: -60, to: -1 }).cert],
    ["not yet good", () => provider.authority.issue({ names: ["sns.amazonaws.com"], from: 1 }).cert],
    ["of a short key", () => provider.authority.issue({ names: ["sns.amazonaws.com"], bits: 1024 }).cert],
    ["with an issuer that it is not of", () => `${provider.signer.cert}${authority("Somebody").cert}`],
    ["no certificate", () => "<html>not here</html>"]
  ])("that is %s is not believed", async (_what, pem) => {
    expect(await at(certificate(serving(pem())))).toBe("403 email_sns_signature")
  })

  it("with its issuer is believed", async () => {
    expect(await at(certificate(serving(`${provider.signer.cert}${provider.authority.cert}`)))).toBe("200")
  })

  it.each<readonly [string, Served]>([
    ["leads elsewhere", (_request, response) => void response.writeHead(302, { location: provider.certUrl() }).end()],
    ["is not there", serving("", 404)],
    ["is 10 MB", serving(Buffer.alloc(10_485_760, "a"))],
    ["breaks off", (_request, response) => void response.destroy()]
  ])("whose host %s is 503, and comes again", async (_what, served) => {
    const address = certificate(served)
    const answer = await post(provider.signed({ SigningCertURL: address }))
    expect([answer.status, answer.json.error.code]).toEqual([503, "email_sns_certificate"])
    expect(Number(answer.headers.get("retry-after"))).toBeGreaterThan(0)
    expect(provider.fetched).toHaveLength(1)
    provider.files.set(new URL(address).pathname, serving(provider.signer.cert))
    expect(await at(address)).toBe("200")
  })

  it("whose host takes too long is 503", async () => {
    const hasty = await bySes(provider, { "service.mail.certificate_fetch_ms": 300 })
    const slow: ReadonlyArray<Served> = [
      () => undefined,
      (_request, response) => void response.writeHead(200).write("-----BEGIN")
    ]
    try {
      for (const served of slow) {
        const body = JSON.stringify(provider.signed({ SigningCertURL: certificate(served) }))
        const { status, json } = await hasty.edge.call(ENTRY, { method: "POST", body })
        expect([status, json.error.code]).toEqual([503, "email_sns_certificate"])
      }
    } finally {
      await hasty.stop()
    }
  })

  it("whose host nobody vouches for is 503", async () => {
    Entry.trust(null)
    try {
      expect(await at(certificate(serving(provider.signer.cert)))).toBe("503 email_sns_certificate")
    } finally {
      Entry.trust(provider)
    }
  })
})

describe("a subscription", () => {
  it("to a topic of ours is confirmed at the provider's own host", async () => {
    expect(await outcome(provider.subscription())).toBe("200")
    expect(provider.fetched.filter((path) => path.startsWith("/?"))).toEqual([
      expect.stringContaining("Action=ConfirmSubscription")
    ])
    expect(takes()).toEqual([])
  })

  it.each<readonly [string, (host: string) => string | undefined]>([
    ["elsewhere", () => `https://evil.example/?Action=ConfirmSubscription&TopicArn=${TOPIC}&Token=1`],
    ["inside", () => `http://169.254.169.254/?Action=ConfirmSubscription&TopicArn=${TOPIC}&Token=1`],
    ["nowhere", () => undefined]
  ])("%s is not confirmed, though the provider has signed it", async (_what, address) => {
    const told = provider.subscription({ SubscribeURL: address(provider.host) })
    provider.fetched.length = 0
    expect(await outcome(told)).toBe("403 email_sns_signature")
    expect(provider.fetched.filter((path) => !path.endsWith(".pem"))).toEqual([])
  })

  it("that leads elsewhere, or cannot be confirmed, is 503", async () => {
    provider.files.set("/", (_request, response) => void response.writeHead(302, { location: "/elsewhere" }).end())
    expect(await outcome(provider.subscription())).toBe("503 email_sns_certificate")
    expect(provider.fetched).not.toContain("/elsewhere")
    provider.files.set("/", serving("<ConfirmSubscriptionResponse/>"))
  })

  it("that ended is told to the log alone", async () => {
    expect(await outcome(provider.subscription({ Type: "UnsubscribeConfirmation" }))).toBe("200")
    expect(provider.fetched.filter((path) => !path.endsWith(".pem"))).toEqual([])
  })
})

describe("at the provider's own hosts", () => {
  const HOST = "sns.eu-central-1.amazonaws.com"

  it.each<readonly [string, boolean, (by: Provider) => string]>([
    ["the service's", true, ({ signer }) => signer.cert],
    ["a region's", true, (by) => by.authority.issue({ names: ["sns-signing.af-south-1.amazonaws.com"] }).cert],
    ["of China", true, (by) => by.authority.issue({ names: ["sns.cn-north-1.amazonaws.com.cn"] }).cert],
    ["of somebody else's name", false, (by) => by.authority.issue({ names: ["evil.example"] }).cert],
    [
      "of a name that looks like it",
      false,
      (by) => by.authority.issue({ names: ["sns.amazonaws.com.evil.example"] }).cert
    ],
    ["of another service", false, (by) => by.authority.issue({ names: ["s3.amazonaws.com"] }).cert],
    ["an authority's", false, () => authority("sns.amazonaws.com").cert]
  ])("a certificate that is %s is believed: %s", (_what, believed, pem) => {
    expect(signingKeyIn(pem(provider), HOST) !== null).toBe(believed)
  })

  it.each([
    [`https://${HOST}/?Action=ConfirmSubscription&TopicArn=${TOPIC}&Token=2336412f37`, true],
    [`https://${HOST}/?Action=ConfirmSubscription&TopicArn=${encodeURIComponent(TOPIC)}&Token=1`, true],
    [`https://${HOST}/?Action=DeleteTopic&TopicArn=${TOPIC}`, false],
    [`https://${HOST}/?Action=ConfirmSubscription&Action=DeleteTopic&TopicArn=${TOPIC}`, false],
    [`https://${HOST}/?Action=ConfirmSubscription&TopicArn=${TOPIC}2`, false],
    [`https://${HOST}/x?Action=ConfirmSubscription&TopicArn=${TOPIC}`, false],
    [`https://${HOST}/?Action=ConfirmSubscription&TopicArn=${TOPIC}#x`, false],
    [`https://${HOST}:8443/?Action=ConfirmSubscription&TopicArn=${TOPIC}`, false],
    [`https://${HOST}.evil.example/?Action=ConfirmSubscription&TopicArn=${TOPIC}`, false]
  ])("%s confirms: %s", (address, confirms) => {
    expect(isConfirmation(address, [HOST], TOPIC)).toBe(confirms)
  })
})
