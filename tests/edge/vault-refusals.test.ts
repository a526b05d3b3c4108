/** Refusals of vaults that need no vault: origins that no page has, and what the contract says of tokens (contract 22). */
import { Effect, Schema } from "effect"
import { OpenApi } from "effect/http-api"
import { describe, expect, it } from "vitest"
import type { Call } from "../../edge/http/call.ts"
import { valueDecoder } from "../../edge/http/json.ts"
import { HubApi } from "../../schemas/api.ts"
import { OpenFill } from "../../schemas/vault/fields.ts"

interface Components {
  readonly responses: Readonly<Record<string, unknown>>
}
type Methods = Readonly<Record<string, { readonly responses: Readonly<Record<string, unknown>> }>>

const isFill = Schema.is(OpenFill)
const fill = (origin: string) => ({ entry_id: 1, action: "login", origin })

describe("the origin of a fill", () => {
  it.each([
    "https://0x7f.1",
    "https://127.1",
    "https://b\u00fccher.example",
    "https://\u0430pple.example",
    "https://Shop.example",
    "https://shop.example/",
    "https://shop.example:443",
    "https://user@shop.example",
    "shop.example",
    ""
  ])("is 422 where URL.origin would not produce it: %s", (origin) => {
    const refused = Effect.flip(valueDecoder(OpenFill)({ ignored: [] } as unknown as Call, fill(origin)))
    expect(Effect.runSync(refused).refusal).toMatchObject({ code: "validation_error", details: { field: "origin" } })
  })

  it.each(["https://shop.example", "https://shop.example:8443", "http://shop.example", "https://127.0.0.1", "null"])(
    "is judged by policy where it would: %s",
    (origin) => expect(isFill(fill(origin))).toBe(true)
  )
})

describe("the contract", () => {
  const described = OpenApi.fromApi(HubApi)
  const paths = Object.entries(described.paths as Readonly<Record<string, Methods>>)
  const named = Object.entries((described.components as unknown as Components).responses)
    .filter(([, response]) => JSON.stringify(response).includes('"token_invalid"'))
    .map(([name]) => `"#/components/responses/${name}"`)
  const tellsIt = (response: unknown): boolean => {
    const text = JSON.stringify(response)
    return text.includes('"token_invalid"') || named.some((name) => text.includes(name))
  }
  const toldBy = paths.flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, { responses }]) =>
      Object.entries(responses)
        .filter(([, response]) => tellsIt(response))
        .map(([status]) => [`${method} ${path}`, status] as const)
    )
  )

  it("tells a vault's token that has ended as 401, and a letter's link as 400", () => {
    const links = toldBy.filter(([, status]) => status === "400").map(([operation]) => operation)
    expect(links).toEqual(["post /api/v1/humans/verify-email"])
    expect(toldBy.filter(([, status]) => status === "401").length).toBeGreaterThan(10)
  })
})
