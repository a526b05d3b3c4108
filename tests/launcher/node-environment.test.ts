/** What of the environment an edge gets. */
import { expect, test } from "vitest"
import { asEdge } from "../../ops/launcher/node-environment.ts"

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
