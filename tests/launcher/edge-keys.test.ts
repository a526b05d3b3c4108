/** What of the environment an edge gets. */
import { expect, test } from "vitest"
import { asEdge } from "../../ops/launcher/edge-keys.ts"

test("an edge knows neither the service's key nor the ways to the tables and the mail server", () => {
  const kept = { HUB_ENV: "development", HUB_BASE_URL: "https://hub.example" }
  const edge = asEdge({
    ...kept,
    HUB_SERVER_KEY: Buffer.alloc(32, 7).toString("base64"),
    HUB_DATABASE_URL: "postgres://hub:word@127.0.0.1/hub",
    HUB_LETTERS: "smtp",
    HUB_LETTERS_FROM: "hub@hub.example",
    HUB_SMTP_URL: "smtp://hub:word@mail.example",
    HUB_TELEGRAM_TOKEN: "1:secret-of-a-bot-that-nobody-has"
  })
  const derived = { HUB_SERVER_PUBLIC_KEY: expect.any(String), HUB_ADDRESS_KEY: expect.any(String) }
  expect(edge).toEqual({ ...kept, ...derived })
})
