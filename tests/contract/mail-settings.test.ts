/** How mail comes, by the environment (contract 16). */
import { describe, expect, it } from "vitest"
import { type HubConfig, readConfig } from "../../schemas/config.ts"

type Env = Readonly<Record<string, string>>

const good = (env: Env): HubConfig => {
  const result = readConfig(env)
  if (!result.ok) throw new Error(result.problem)
  return result.config
}

const problemOf = (env: Env): string => {
  const result = readConfig(env)
  if (result.ok) throw new Error(`${JSON.stringify(env)} was accepted`)
  return result.problem
}

describe("mail by SES", () => {
  const topic = "arn:aws:sns:eu-central-1:123456789012:hub-mail"
  const ses = {
    HUB_MAIL_PROVIDER: "ses",
    HUB_MAIL_DOMAIN: "mail.hub.example",
    AWS_REGION: "eu-central-1",
    HUB_SES_TOPICS: topic
  }
  const hosts = (value: string, more: Env = {}) => ({ ...ses, ...more, HUB_SES_CERT_HOSTS: value })

  it("needs a region and a topic, and believes the region's own host", () => {
    expect(good(ses).mail).toEqual({
      provider: "ses",
      requireOwner: false,
      abuseContact: null,
      postmaster: null,
      scanners: { clamd: null, rspamd: null },
      domain: "mail.hub.example",
      dnsServers: [],
      region: "eu-central-1",
      topics: [topic],
      certHosts: ["sns.eu-central-1.amazonaws.com"],
      configurationSet: null
    })
    const china = { ...ses, AWS_REGION: "cn-north-1", HUB_SES_CONFIGURATION_SET: "hub" }
    expect(good(china).mail).toMatchObject({
      certHosts: ["sns.cn-north-1.amazonaws.com.cn"],
      configurationSet: "hub"
    })
    const two = {
      ...hosts("sns.us-east-1.amazonaws.com, sns.eu-west-1.amazonaws.com"),
      HUB_SES_TOPICS: `${topic},${topic}2`
    }
    expect(good(two).mail).toMatchObject({ topics: [topic, `${topic}2`], certHosts: { length: 2 } })
  })

  it.each([
    ["AWS_REGION", ""],
    ["AWS_REGION", "eu-central-1.evil.example"],
    ["HUB_MAIL_DOMAIN", ""],
    ["HUB_SES_TOPICS", ""],
    ["HUB_SES_TOPICS", "hub-mail"],
    ["HUB_SES_TOPICS", "arn:aws:sqs:eu-central-1:123456789012:hub-mail"],
    ["HUB_SES_TOPICS", `${topic},*`],
    ["HUB_SES_CONFIGURATION_SET", "two words"]
  ])("refuses %s=%j", (name, value) => {
    expect(problemOf({ ...ses, [name]: value })).toMatch(new RegExp(`^${name} must be `))
  })

  it.each([
    "localhost:8443",
    "sns.us-east-1.amazonaws.com.evil.example",
    "evil.example",
    "sns.us-east-1.amazonaws.com:8443",
    "amazonaws.com",
    "SNS.us-east-1.amazonaws.com",
    "sns.us-east-1.amazonaws.com."
  ])("believes the provider's own hosts alone in production, not %s", (host) => {
    expect(problemOf(hosts(host, { HUB_ENV: "production" }))).toMatch(/^HUB_SES_CERT_HOSTS must be /)
  })

  it("believes others in development, as hosts", () => {
    const mode = { HUB_ENV: "development" }
    expect(good(hosts("localhost:8443", mode)).mail).toMatchObject({ certHosts: ["localhost:8443"] })
    for (const host of ["https://localhost", "user@localhost", "localhost/path", "*"])
      expect(problemOf(hosts(host, mode))).toMatch(/^HUB_SES_CERT_HOSTS must be /)
  })
})
