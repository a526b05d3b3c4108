import { randomBytes } from "node:crypto"
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { loadEdgeConfig } from "../../edge/http/config.ts"
import { filledIn } from "../../edge/docs/fill-in.ts"
import { edgeKeys } from "../../ops/launcher/node-environment.ts"

const configOf = (limits: Readonly<Record<string, number>> = {}) =>
  Effect.runSync(
    loadEdgeConfig({
      ...edgeKeys(randomBytes(32)),
      HUB_ENV: "development",
      HUB_NATS_URL: "nats://127.0.0.1:4222",
      HUB_LIMITS: JSON.stringify(limits)
    })
  )

describe("a figure in a document", () => {
  it.each([
    ["{{identity.recovery_delay_seconds|duration}}", "3 days"],
    ["{{webhook.log_seconds|duration}}", "30 days"],
    ["{{limits.idempotency_ttl_seconds|duration}}", "1 day"],
    ["{{webhook.retry_seconds.1|duration}}", "5 seconds"],
    ["{{webhook.retry_seconds.5|duration}}", "5 hours"],
    ["{{authentication.nonce_reuse_seconds|duration}}", "15 minutes"],
    ["{{webhook.timeout_ms|duration}}", "15 seconds"],
    ["{{limits.max_plain_request_bytes|size}}", "64 KB"],
    ["{{limits.max_text_request_bytes|size}}", "1.5 MB"],
    ["{{limits.log_bytes_per_day|size}}", "16 MB"],
    ["{{identity.recovery_delay_seconds}}", "259200"]
  ])("%s is %s", (text, written) => {
    expect(filledIn(`a ${text} b`, configOf())).toBe(`a ${written} b`)
  })

  it.each([
    [1, "1 second"],
    [90, "1.5 minutes"],
    [100, "100 seconds"],
    [5400, "1.5 hours"],
    [129_600, "1.5 days"],
    [86_401, "86401 seconds"],
    [0.25, "250 milliseconds"]
  ])("of %d seconds is %s", (seconds, written) => {
    expect(
      filledIn("{{identity.recovery_delay_seconds|duration}}", configOf({ "identity.recovery_delay_seconds": seconds }))
    ).toBe(written)
  })

  it.each([
    "{{identity.no_such}}",
    "{{identity}}",
    "{{limits.links_max|duration}}",
    "{{limits.links_max|size}}",
    "{{name|duration}}",
    "{{identity.recovery_delay_seconds|weeks}}"
  ])("that cannot be is a fault: %s", (text) => {
    expect(() => filledIn(text, configOf())).toThrow(/The document/)
  })

  it("has the service's name among the reserved handles", () => {
    expect(filledIn("{{reserved_handles}}", configOf())).toMatch(/^`nexus`, .*`official`, `hub`$/)
  })
})
