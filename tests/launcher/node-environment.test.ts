/** What of the environment an edge gets. */
import { describe, expect, test } from "vitest"
import { asEdge, asPreparation, environmentOf } from "../../ops/launcher/node-environment.ts"

test("an edge knows neither the service's key nor the ways to the tables, the mail server and its provider", () => {
  const kept = { HUB_ENV: "development", HUB_BASE_URL: "https://hub.example", AWS_REGION: "eu-central-1" }
  const edge = asEdge({
    ...kept,
    HUB_SERVER_KEY: Buffer.alloc(32, 7).toString("base64"),
    HUB_DATABASE_URL: "postgres://hub:word@127.0.0.1/hub",
    HUB_LETTERS: "smtp",
    HUB_LETTERS_FROM: "hub@hub.example",
    HUB_SMTP_URL: "smtp://hub:word@mail.example",
    AWS_ACCESS_KEY_ID: "AKID",
    AWS_SECRET_ACCESS_KEY: "secret",
    AWS_SESSION_TOKEN: "token",
    AWS_ENDPOINT_URL_S3: "http://127.0.0.1:9",
    HUB_TELEGRAM_TOKEN: "1:secret-of-a-bot-that-nobody-has"
  })
  const derived = { HUB_SERVER_PUBLIC_KEY: expect.any(String), HUB_ADDRESS_KEY: expect.any(String) }
  expect(edge).toEqual({ ...kept, ...derived })
})

describe("keys of compartments' hosts", () => {
  const secrets = {
    HUB_SERVER_KEY: "s",
    HUB_SERVER_KEY_FILE: "/s",
    HUB_VAULT_KEY: "v",
    HUB_VAULT_KEY_FORMER: "f",
    HUB_MAIL_KEY: "m",
    HUB_DATABASE_URL: "postgres://hub:word@127.0.0.1/hub",
    HUB_SMTP_URL: "smtp://hub:word@mail.example",
    HUB_MAIL_RELAY: "smtp://hub:word@relay.example",
    HUB_MAIL_TLS_KEY: "/tls",
    HUB_TELEGRAM_TOKEN: "1:token",
    HUB_CAPTCHA_BYPASS: "open",
    AWS_SECRET_ACCESS_KEY: "secret"
  }
  const told = { HUB_DATA: "/data", HUB_DOCKER_SOCKET: "/docker.sock", HUB_RUNTIME_IMAGE: "image:1" }
  const runtime = { HUB_RUNTIME_KEY: Buffer.alloc(32, 9).toString("base64"), HUB_RUNTIME_KEY_FILE: "/r" }
  const place = { HUB_BASE_URL: "https://hub.example", HUB_RUNTIME_MAX: "4", HUB_ROLES: "runtime" }

  test("a host has that of compartments' secrets, and none of any other", () => {
    const whole = { ...secrets, ...told, ...runtime, ...place }
    expect(environmentOf("runtime", whole)).toEqual({ ...told, ...runtime, ...place })
  })

  test("the keeper has that of vaults, and none of any other", () => {
    const { HUB_VAULT_KEY, HUB_VAULT_KEY_FORMER, ...others } = secrets
    const vault = { HUB_VAULT_KEY, HUB_VAULT_KEY_FORMER }
    expect(environmentOf("keeper", { ...others, ...vault, ...told })).toEqual({ ...vault, ...told })
  })

  test("the console has none of any key, and the way to the tables", () => {
    const { HUB_DATABASE_URL, ...keys } = secrets
    const given = { ...keys, ...runtime, ...told, HUB_CONSOLE_PORT: "8081", HUB_DATABASE_URL }
    expect(environmentOf("console", given)).toEqual({ ...told, HUB_CONSOLE_PORT: "8081", HUB_DATABASE_URL })
  })

  test.each(["edge", "actor", "mail", "keeper", "console"] as const)("the node %s has it not", (kind) => {
    const given = { HUB_ENV: "development", ...runtime, HUB_SERVER_KEY: Buffer.alloc(32, 7).toString("base64") }
    expect(Object.keys(environmentOf(kind, given)).filter((name) => name.startsWith("HUB_RUNTIME_KEY"))).toEqual([])
  })

  test("what prepares a host has none at all", () => {
    const whole = {
      PATH: "/bin",
      HTTP_PROXY: "p",
      ...secrets,
      ...told,
      ...runtime,
      ...place,
      OTEL_EXPORTER_OTLP_HEADERS: "a=b"
    }
    expect(asPreparation(whole)).toEqual({ PATH: "/bin", HTTP_PROXY: "p", ...told })
  })
})
