/** The environment's names (contract 15): good values become configuration, bad ones a line that names them. */
import { describe, expect, it } from "vitest"
import { busServers } from "../../schemas/bus/servers.ts"
import { type HubConfig, readConfig } from "../../schemas/config.ts"
import { LIMITS } from "../../schemas/limits.ts"

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

const SECRET = "correct-horse-battery"

describe("an empty environment", () => {
  const defaults: HubConfig = {
    env: "production",
    port: 8080,
    metricsPort: 0,
    baseUrl: "http://127.0.0.1:8080",
    hosts: ["127.0.0.1:8080", "hub.internal:8080"],
    data: ".hub",
    name: "Hub",
    contact: null,
    natsUrl: "nats://127.0.0.1:4222",
    databaseUrl: null,
    roles: ["actors", "queries", "webhooks"],
    v1Until: Date.UTC(2026, 9, 24),
    captchaBypass: null,
    questions: null,
    publicQuestions: false,
    limits: LIMITS,
    trustProxy: 0,
    probes: [],
    bind: null,
    leaveSeconds: 0,
    streamReplicas: 1,
    natsMonitors: [],
    archive: null,
    traces: null,
    letters: null,
    chat: null,
    push: null,
    mail: null,
    runtime: null,
    console: { host: "127.0.0.1", port: 8081, url: "http://127.0.0.1:8081", links: false }
  }

  it("gives the defaults", () => {
    expect(good({})).toEqual(defaults)
  })

  it("is the same as one of empty values", () => {
    const names = [
      "ENV",
      "PORT",
      "METRICS_PORT",
      "BASE_URL",
      "HOSTS",
      "DATA",
      "NAME",
      "CONTACT",
      "NATS_URL",
      "DATABASE_URL",
      "ROLES",
      "V1_UNTIL",
      "CAPTCHA_BYPASS",
      "QUESTIONS",
      "LETTERS",
      "LETTERS_FROM",
      "SMTP_URL",
      "LIMITS",
      "AGENTS",
      "TRUST_PROXY"
    ]
    expect(good(Object.fromEntries(names.map((name) => [`HUB_${name}`, ""])))).toEqual(defaults)
  })
})

describe("good values", () => {
  it("become configuration", () => {
    const config = good({
      HUB_ENV: "development",
      HUB_PORT: "9000",
      HUB_METRICS_PORT: "9090",
      HUB_BASE_URL: "https://Hub.example/below/",
      HUB_HOSTS: "Hub.Example, hub.example:8443,xn--bcher-kva.example.,127.0.0.1:443",
      HUB_DATA: "data",
      HUB_NAME: "Harbour",
      HUB_NATS_URL: "nats://one:4222, nats://user:word@two",
      HUB_DATABASE_URL: "postgresql:///hub?host=/run/postgresql",
      HUB_ROLES: "queries",
      HUB_V1_UNTIL: "2027-01-01T10:00+02:00",
      HUB_CAPTCHA_BYPASS: SECRET,
      HUB_QUESTIONS: "own/questions",
      HUB_ALLOW_PUBLIC_QUESTIONS: "true",
      HUB_LIMITS: '{"rate_limits.ip.requests":5}',
      HUB_TRUST_PROXY: "2"
    })
    expect(config).toMatchObject({
      port: 9000,
      metricsPort: 9090,
      baseUrl: "https://Hub.example/below",
      hosts: ["hub.example", "hub.example:8443", "xn--bcher-kva.example", "127.0.0.1"],
      name: "Harbour",
      natsUrl: "nats://one:4222, nats://user:word@two",
      databaseUrl: "postgresql:///hub?host=/run/postgresql",
      roles: ["queries"],
      v1Until: Date.UTC(2027, 0, 1, 8),
      captchaBypass: SECRET,
      questions: "own/questions",
      publicQuestions: true,
      trustProxy: 2
    })
    expect(config.limits.rate_limits.ip.requests).toBe(5)
  })

  it("of HUB_AGENTS size what is kept of each agent", () => {
    expect(good({}).limits.service.agents).toBe(LIMITS.service.agents)
    expect(good({ HUB_AGENTS: "100000" }).limits.service.agents).toBe(100_000)
  })

  it.each([
    ["security@hub.example", "mailto:security@hub.example"],
    ["mailto:a+b@hub.example", "mailto:a+b@hub.example"],
    [" https://hub.example/report?x=1 ", "https://hub.example/report?x=1"]
  ])("of HUB_CONTACT are addresses: %s", (value, contact) => {
    expect(good({ HUB_CONTACT: value }).contact).toBe(contact)
  })

  it("of HUB_PROBES are addresses and networks, with commas between", () => {
    const probes = ["192.0.2.7", "10.1.0.0/16", "2001:db8::7", "2001:db8::/32"]
    expect(good({ HUB_PROBES: probes.join(" , ") }).probes).toEqual(probes)
    expect(problemOf({ HUB_PROBES: "192.0.2.7,nonsense" })).toBe(
      "HUB_PROBES: entry 2 is no address or network such as 192.0.2.7 or 10.1.0.0/16"
    )
    expect(problemOf({ HUB_PROBES: "10.0.0.0/7" })).toBe("HUB_PROBES: entry 1 is wider than /8")
    expect(problemOf({ HUB_PROBES: Array(65).fill("192.0.2.7").join(",") })).toContain("HUB_PROBES takes at most 64")
  })

  it("of HUB_BASE_URL give the host that signatures name", () => {
    expect(good({ HUB_BASE_URL: "https://Bücher.example:443" }).hosts).toEqual(["xn--bcher-kva.example"])
  })
})

describe("bad values", () => {
  const BAD: Readonly<Record<string, ReadonlyArray<string>>> = {
    HUB_ENV: ["test", "Production"],
    HUB_CONTACT: ["me", "http://hub.example", "a@b\nExpires: never", "https://", "tel:1", "https://a b", "mailto:a"],
    HUB_PORT: ["0", "65536", "80.5", "http", "-1"],
    HUB_METRICS_PORT: ["-1", "65536", "9090.5", "metrics"],
    HUB_BASE_URL: [
      "hub.example",
      "ftp://hub.example",
      "http://",
      "https://user:word@hub.example",
      "https://hub.example/?a=1",
      "https://hub.example/#a"
    ],
    HUB_HOSTS: ["a b", "hub.example,", "https://hub.example", "hub.example/path", "user@hub.example"],
    HUB_NAME: ["two\nlines", "x".repeat(81)],
    HUB_NATS_URL: ["127.0.0.1:4222", "host:4222", "http://127.0.0.1:4222", "nats://", "nats://one,", "nonsense"],
    HUB_DATABASE_URL: ["127.0.0.1:5432", "mysql://127.0.0.1/hub", "nonsense"],
    HUB_ROLES: ["actor", "actors,", "actors,edges"],
    HUB_V1_UNTIL: ["soon", "1", "24.10.2026", "2026-13-01", "2026-10-24T00:00"],
    HUB_LIMITS: ["{", "[]", '{"nobody":1}', '{"rate_limits.ip.requests":"5"}'],
    HUB_TRUST_PROXY: ["-1", "11", "yes", "0.5"],
    HUB_PROBES: [
      "probe.example",
      "10.0.0.0/33",
      "10.1",
      "0.0.0.0/0",
      "::/0",
      "10.0.0.1,",
      "10.0.0.1 10.0.0.2",
      "1.2.3.4/24/8"
    ],
    HUB_AGENTS: ["-1", "0", "many", "0.5"],
    HUB_LETTERS: ["post", "File", "mail"],
    HUB_MAIL_PROVIDER: ["SES", "SMTP", "post"],
    HUB_TELEGRAM_TOKEN: ["token", "123456", ":secret-of-a-bot-that-nobody-has", "1:too short"],
    HUB_LETTERS_FROM: [
      "hub",
      "Hub <hub@>",
      "a@b.example, c@d.example",
      "Hub\nBcc: x <a@b.example>",
      `${"x".repeat(81)} <a@b.c>`
    ]
  }

  it.each(Object.entries(BAD).flatMap(([name, values]) => values.map((value) => [name, value] as const)))(
    "%s=%j is one line that names it",
    (name, value) => {
      const problem = problemOf({ HUB_ENV: "development", [name]: value })
      expect(problem.split("\n")).toHaveLength(1)
      expect(problem).toContain(name)
    }
  )

  it.each([
    ["HUB_MAIL_DOMAIN", "localhost"],
    ["HUB_MAIL_PORT", "smtp"],
    ["HUB_MAIL_REQUIRE_OWNER", "yes"],
    ["HUB_DNS_SERVERS", "dns.example"],
    ["HUB_MAIL_TLS_CERT", "/etc/cert.pem"]
  ])("of mail: %s=%s is one line that names it", (name, value) => {
    const mail = { HUB_ENV: "development", HUB_MAIL_PROVIDER: "smtp", HUB_MAIL_DOMAIN: "mail.hub.example" }
    const problem = problemOf({ ...mail, [name]: value })
    expect(problem.split("\n")).toHaveLength(1)
    expect(problem).toContain(name)
  })

  it.each(["HUB_LIMITS", "HUB_CAPTCHA_BYPASS"])("%s is refused in production, whatever it holds", (name) => {
    const problem = problemOf({ HUB_ENV: "production", [name]: name === "HUB_LIMITS" ? "{}" : SECRET })
    expect(problem).toContain(name)
    expect(problem).not.toContain(SECRET)
  })

  it.each([
    { HUB_NATS_URL: `http://hub:${SECRET}@127.0.0.1` },
    { HUB_DATABASE_URL: `mysql://hub:${SECRET}@127.0.0.1/hub` },
    { HUB_BASE_URL: `https://hub:${SECRET}@hub.example` },
    { HUB_LETTERS: "smtp", HUB_SMTP_URL: `smtp://hub:${SECRET}@hub.example?tls=off` }
  ])("never show a password", (env) => {
    expect(problemOf(env)).not.toContain(SECRET)
  })
})

describe("the chat", () => {
  const token = "123456:secret-of-a-bot-that-nobody-has"

  it("is there for actors alone, and where there is a token", () => {
    expect(good({}).chat).toBe(null)
    expect(good({ HUB_TELEGRAM_TOKEN: token, HUB_ROLES: "queries,webhooks" }).chat).toBe(null)
    expect(good({ HUB_TELEGRAM_TOKEN: token }).chat).toEqual({ token, url: "https://api.telegram.org" })
    const own = { HUB_TELEGRAM_TOKEN: token, HUB_TELEGRAM_URL: "http://127.0.0.1:8081/" }
    expect(good({ ...own }).chat?.url).toBe("http://127.0.0.1:8081")
  })

  it.each(["http://bot.example", "bot.example", `https://hub:${token}@bot.example`, "https://bot.example/?a=1"])(
    "is not asked at %s, and no problem tells the token",
    (url) => {
      const problem = problemOf({ HUB_TELEGRAM_TOKEN: token, HUB_TELEGRAM_URL: url })
      expect(problem).toMatch(/^HUB_TELEGRAM_URL must be .*$/)
      expect(problem).not.toContain(token)
    }
  )
})

describe("letters", () => {
  const production = { HUB_BASE_URL: "https://hub.example:8443/below", HUB_NAME: "Harbour" }
  const server = (url: string) => good({ ...production, HUB_LETTERS: "smtp", HUB_SMTP_URL: url }).letters
  const from = { name: "Harbour", address: "no-reply@hub.example" }

  it("are files in development, and none in production, where nothing is said", () => {
    const local = { name: "Hub", address: "no-reply@localhost" }
    expect(good({ HUB_ENV: "development" }).letters).toEqual({ transport: "file", from: local })
    expect(good(production).letters).toBe(null)
    expect(good({ ...production, HUB_LETTERS: "file" }).letters).toEqual({ transport: "file", from })
  })

  it("are of nodes with the role actors alone", () => {
    expect(good({ HUB_ENV: "development", HUB_ROLES: "queries,webhooks" }).letters).toBe(null)
    expect(good({ HUB_LETTERS: "smtp", HUB_ROLES: "webhooks" }).letters).toBe(null)
  })

  it.each([
    ["smtp://mail.example", { host: "mail.example", port: 587, tls: "starttls", login: null }],
    ["smtp://mail.example:25?tls=off", { host: "mail.example", port: 25, tls: "off", login: null }],
    ["smtp://127.0.0.1:2525/", { host: "127.0.0.1", port: 2525, tls: "offered", login: null }],
    ["smtp://[2001:db8::1]", { host: "2001:db8::1", port: 587, tls: "starttls", login: null }],
    [
      "smtps://a%40b:w%2Frd@mail.example",
      { host: "mail.example", port: 465, tls: "implicit", login: { user: "a@b", password: "w/rd" } }
    ]
  ])("go to %s", (url, expected) => {
    expect(server(url)).toEqual({ transport: "smtp", from, server: expected })
  })

  it.each([
    "",
    "mail.example",
    "http://mail.example",
    "smtp://",
    `smtp://${SECRET}@mail.example`,
    `smtp://hub:${SECRET}%zz@mail.example`,
    `smtp://hub:${SECRET}@mail.example/path`,
    `smtp://hub:${SECRET}@mail.example?tls=maybe`,
    `smtps://hub:${SECRET}@mail.example?tls=off`
  ])("do not go to %j", (url) => {
    const problem = problemOf({ HUB_LETTERS: "smtp", HUB_SMTP_URL: url })
    expect(problem).toMatch(/^HUB_SMTP_URL must be .*$/)
    expect(problem).not.toContain(SECRET)
  })

  it.each([
    ["post@hub.example", { name: "Harbour", address: "post@hub.example" }],
    ["Post <post@hub.example>", { name: "Post", address: "post@hub.example" }],
    ['"Post, the" <post@hub.example>', { name: "Post, the", address: "post@hub.example" }]
  ])("are from %s", (value, sender) => {
    expect(good({ ...production, HUB_LETTERS: "file", HUB_LETTERS_FROM: value }).letters?.from).toEqual(sender)
  })
})

describe("the bus's address", () => {
  it.each([
    ["nats://127.0.0.1:4222", { servers: ["127.0.0.1:4222"] }],
    ["nats://one:4222, nats://two,nats://[::1]:4333", { servers: ["one:4222", "two", "[::1]:4333"] }],
    [
      "nats://one, nats://hub:w%40rd@two:4222, nats://other:x@three",
      { servers: ["one", "two:4222", "three"], user: "hub", pass: "w@rd" }
    ],
    ["nats://token@one", { servers: ["one"], user: "token", pass: "" }],
    [
      "tls://one:4222,tls://hub:word@two:4222",
      { servers: ["one:4222", "two:4222"], tls: {}, user: "hub", pass: "word" }
    ],
    ["tls://one,nats://two", null],
    ["nats://hub:%zz@one", null],
    ["nats://one,two", null],
    ["", null]
  ])("%j becomes %j", (addresses, servers) => {
    expect(busServers(addresses, "edge")).toEqual(
      servers === null ? null : { ...servers, inboxPrefix: "_INBOX.edge", resolve: false }
    )
  })
})
