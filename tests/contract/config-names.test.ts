/** A bad value of any name of the configuration stops the start, whichever roles run, and is never repeated (contract 22). */
import { describe, expect, it, test } from "vitest"
import { ACTOR_ROLES, readConfig } from "../../schemas/config.ts"
import { textOf } from "./tracked.ts"

/** A bad value of each name; `null`: whatever text it holds is good, or nobody here reads it. */
const BAD: Readonly<Record<string, string | null>> = {
  HUB_ENV: "staging",
  HUB_PORT: "80a",
  HUB_METRICS_PORT: "-1",
  HUB_BASE_URL: "ftp://hub.example",
  HUB_HOSTS: "a b",
  HUB_CONSOLE_HOST: "not an address",
  HUB_CONSOLE_PORT: "80a",
  HUB_CONSOLE_URL: "http://console.example/path",
  HUB_CONSOLE_LINKS: "yes",
  HUB_BIND: "not an address",
  HUB_DATA: "a\nb",
  HUB_ARCHIVE: "a/folder",
  HUB_ARCHIVE_AFTER_DAYS: "never",
  HUB_ARCHIVE_REGION: "a b",
  HUB_NAME: "a\nb",
  HUB_CONTACT: "somebody",
  HUB_NATS_URL: "http://nats",
  HUB_DATABASE_URL: "mysql://host/db",
  HUB_LEAVE_SECONDS: "1000",
  // Commands alone read these two.
  HUB_OPERATOR: null,
  HUB_TRACES_QUERY: null,
  HUB_NATS_MONITOR: "nats-1:8222",
  HUB_STREAM_REPLICAS: "9",
  HUB_ROLES: "everything",
  HUB_SERVER_KEY: "too-short",
  HUB_SERVER_KEY_FILE: "a\nb",
  HUB_SERVER_PUBLIC_KEY: "too-short",
  HUB_ADDRESS_KEY: "too-short",
  HUB_ALLOW_PUBLIC_DEVELOPMENT: "yes",
  HUB_TRUST_PROXY: "all",
  HUB_PROBES: "everywhere",
  HUB_V1_UNTIL: "tomorrow",
  HUB_AGENTS: "many",
  HUB_LIMITS: "{",
  HUB_QUESTIONS: "a\nb",
  HUB_LETTERS: "pigeon",
  HUB_LETTERS_FROM: "somebody",
  HUB_SMTP_URL: "http://mail.example",
  HUB_TELEGRAM_TOKEN: "7:short",
  HUB_VAPID_KEY: "too-short",
  HUB_TELEGRAM_URL: "http://telegram.example",
  HUB_MAIL_PROVIDER: "pigeon",
  HUB_MAIL_DOMAIN: "localhost",
  HUB_MAIL_KEY: "too-short",
  HUB_MAIL_KEY_FILE: "a\nb",
  HUB_VAULT_KEY: "too-short",
  HUB_VAULT_KEY_FILE: "a\nb",
  HUB_VAULT_KEY_FORMER: "too-short",
  HUB_VAULT_KEY_FORMER_FILE: "a\nb",
  HUB_RUNTIME_KEY: "too-short",
  HUB_RUNTIME_KEY_FILE: "a\nb",
  HUB_RUNTIME_MAX: "1000",
  HUB_RUNTIME_IMAGE: "Not An Image",
  HUB_DOCKER_SOCKET: "docker.sock",
  HUB_MAIL_REQUIRE_OWNER: "maybe",
  HUB_MAIL_PORT: "-1",
  HUB_MAIL_HOST: "a b",
  HUB_MAIL_TLS_CERT: "/certificate.pem",
  HUB_MAIL_TLS_KEY: "/key.pem",
  HUB_SES_TOPICS: "arn:mine",
  HUB_SES_CERT_HOSTS: "evil.example",
  HUB_SES_CONFIGURATION_SET: "a b",
  HUB_MAIL_RELAY: "http://relay.example",
  HUB_MAIL_ABUSE_CONTACT: "a\nb",
  HUB_MAIL_POSTMASTER: "nobody",
  HUB_DNS_SERVERS: "dns.example",
  HUB_CLAMD: "a b",
  HUB_RSPAMD_URL: "rspamd",
  HUB_ALLOW_PUBLIC_QUESTIONS: "yes",
  OTEL_EXPORTER_OTLP_ENDPOINT: "collector",
  OTEL_EXPORTER_OTLP_HEADERS: "secret",
  OTEL_TRACES_SAMPLER_ARG: "2",
  OTEL_SERVICE_NAME: "a\nb",
  /** Any token is one. */
  HUB_CAPTCHA_BYPASS: null,
  /** Read by nats-server. */
  HUB_NATS_EDGE_PASSWORD: null,
  HUB_NATS_ACTORS_PASSWORD: null,
  HUB_NATS_QUERIES_PASSWORD: null,
  HUB_NATS_WEBHOOKS_PASSWORD: null,
  HUB_NATS_MAIL_PASSWORD: null,
  HUB_NATS_KEEPER_PASSWORD: null,
  HUB_NATS_RUNTIME_PASSWORD: null,
  HUB_NATS_OPERATOR_PASSWORD: null,
  /** Read by the launcher and by the fill service. */
  HUB_NATS_SERVER: null,
  HUB_CHROMIUM: null,
  HUB_PROMETHEUS: null,
  HUB_FILL_TOKEN_FILE: null,
  HUB_URL: null,
  HUB_FILL_CDP: null
}

/** Of the first column of the table of names. */
const documented = (): ReadonlyArray<string> => {
  const rows = textOf("ops/docs/run-a-cluster.md")
    .split("\n")
    .filter((line) => /^\| `(?:HUB|OTEL)_/.test(line))
  return rows.flatMap((row) =>
    [...(row.split("|")[1] ?? "").matchAll(/`([A-Z][A-Z0-9_]+)`/g)].map(([, name = ""]) => name)
  )
}

/** An edge has none of its own, and the usual ones where nothing is said. */
const ROLES = ["", "actors", "queries,webhooks", ...ACTOR_ROLES.slice(3)]

test("each documented name is one of these, and each of these is documented", () => {
  expect(Object.keys(BAD).toSorted()).toEqual([...new Set(documented())].toSorted())
})

describe("a bad value of", () => {
  const bad = Object.entries(BAD).flatMap(([name, value]) => (value === null ? [] : [[name, value] as const]))
  it.each(bad)("%s stops the start of every role", (name, value) => {
    const roles = name === "HUB_ROLES" ? [value] : ROLES
    for (const one of roles) {
      const read = readConfig({
        HUB_ROLES: one,
        [name]: value,
        ...(name === "HUB_LIMITS" ? { HUB_ENV: "development" } : {})
      })
      const problem = read.ok ? "none" : read.problem
      expect(problem, `with the roles ${one}`).toContain(name)
      if (!["HUB_ROLES", "HUB_HOSTS"].includes(name)) expect(problem).not.toContain(value)
    }
  })
})

test("what one role needs may be missing where another one runs", () => {
  const shared = { HUB_LETTERS: "smtp", HUB_DNS_SERVERS: "[2001:db8::53]:53" }
  for (const role of ["queries", "keeper", "mail"])
    expect(readConfig({ ...shared, HUB_ROLES: role }).ok, role).toBe(true)
  expect(readConfig({ ...shared, HUB_ROLES: "actors" }).ok).toBe(false)
})
