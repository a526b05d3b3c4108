/** What a `validation_error` about a length, a count or a range tells: its field, its rule and its bound (contract 22). */
import { Effect, Schema, type SchemaAST } from "effect"
import { HttpApi } from "effect/http-api"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { Call } from "../../edge/http/call.ts"
import { valueDecoder } from "../../edge/http/json.ts"
import { contentIn, recipientsIn } from "../../edge/mail/outgoing.ts"
import { HubApi } from "../../schemas/api.ts"
import { MAIL_LIMITS } from "../../schemas/mail/limits.ts"
import { SendMail } from "../../schemas/mail/send.ts"
import { openBounded, world } from "./bounded.ts"

interface Bounded {
  readonly name: string
  readonly ast: SchemaAST.AST
  readonly min: number | null
  readonly max: number | null
}

const numberIn = (payload: Readonly<Record<string, unknown>>, names: ReadonlyArray<string>): number | null => {
  const found = names.map((name) => payload[name]).find((value) => typeof value === "number")
  return found === undefined ? null : Number(found)
}

const payloadsOf = ({ checks }: SchemaAST.AST) =>
  (checks ?? []).flatMap(({ annotations }) => {
    const { payload } = (annotations?.["representation"] ?? {}) as { readonly payload?: unknown }
    return typeof payload === "object" && payload !== null ? [payload as Readonly<Record<string, unknown>>] : []
  })

/** Every text, number and list of a body that has a bound. */
const boundedIn = (ast: SchemaAST.AST, name: string): ReadonlyArray<Bounded> => {
  const own = payloadsOf(ast).flatMap((payload) => {
    const min = numberIn(payload, ["minimum", "minLength", "minCodePoints"])
    const max = numberIn(payload, ["maximum", "maxLength", "maxCodePoints"])
    return min === null && max === null ? [] : [{ name, ast, min, max }]
  })
  if (ast._tag === "Objects")
    return [
      ...own,
      ...ast.propertySignatures.flatMap((field) => boundedIn(field.type, `${name}.${String(field.name)}`))
    ]
  if (ast._tag === "Arrays") return [...own, ...ast.rest.flatMap((item) => boundedIn(item, `${name}[]`))]
  return ast._tag === "Union" ? [...own, ...ast.types.flatMap((type) => boundedIn(type, name))] : own
}

const bounded: Array<Bounded> = []
HttpApi.reflect(HubApi, {
  onGroup: () => undefined,
  onEndpoint: ({ endpoint }) => {
    for (const { schemas } of endpoint.payload.values())
      for (const schema of schemas) bounded.push(...boundedIn(schema.ast, endpoint.identifier))
  }
})

const ofLength = ({ _tag }: SchemaAST.AST, size: number): unknown => {
  if (_tag === "Arrays") return Array.from({ length: size }, () => "a")
  return _tag === "String" ? "a".repeat(size) : size
}

const refusedWith = (ast: SchemaAST.AST, value: unknown): unknown => {
  const field = Schema.make<Schema.ConstraintDecoder<unknown>>(ast)
  const decode = valueDecoder(Schema.Struct({ field }))
  const refused = Effect.flip(decode({ ignored: [] } as unknown as Call, { field: value }))
  return Effect.runSync(refused).refusal.details
}

describe("a field of a declared bound", () => {
  it("is there in many bodies", () => expect(bounded.length).toBeGreaterThan(60))

  it.each(bounded.filter(({ max }) => max !== null).map((one) => [one.name, one] as const))(
    "tells the most it may be: %s",
    (_name, { ast, max }) => {
      expect(refusedWith(ast, ofLength(ast, (max ?? 0) + 1))).toEqual({ field: "field", rule: "max", max })
    }
  )

  it.each(bounded.filter(({ min }) => (min ?? 0) > 0).map((one) => [one.name, one] as const))(
    "tells the least it may be: %s",
    (_name, { ast, min }) => {
      expect(refusedWith(ast, ofLength(ast, (min ?? 0) - 1))).toEqual({ field: "field", rule: "min", min })
    }
  )
})

describe("a field whose bound its form holds", () => {
  beforeAll(openBounded)
  afterAll(() => world.stop())

  const long = (chars: number): string => "a".repeat(chars)
  const POST = { title: "On counting", body: "One, two." }
  it.each<readonly [string, string, object, object]>([
    [
      "PATCH",
      "/me",
      { webhook_url: `https://x.example/${long(2_048)}` },
      { field: "webhook_url", rule: "max", max: 2_048 }
    ],
    [
      "PATCH",
      "/me",
      { links: [{ label: "a", url: `https://x.example/${long(2_048)}` }] },
      { field: "links.0.url", rule: "max", max: 2_048 }
    ],
    ["POST", "/posts", { ...POST, tags: [long(33)] }, { field: "tags.0", rule: "max", max: 32 }],
    ["POST", "/posts", { ...POST, tags: [""] }, { field: "tags.0", rule: "min", min: 1 }]
  ])("tells it: %s %s", async (method, path, body, details) => {
    const answer = await world.edge.call(`/api/v1${path}`, {
      method,
      body: JSON.stringify(body),
      signed: world.agent
    })
    expect([answer.status, answer.json.error.details]).toEqual([422, details])
  })

  it("tells it: mail", () => {
    const bounds = { recipients_max: 2, send_attachments_max_bytes: 3 }
    const refusalOf = (mail: object) =>
      Effect.runSync(
        Effect.flip(
          Effect.flatMap(valueDecoder(SendMail)({ ignored: [] } as unknown as Call, mail), (sent) =>
            Effect.andThen(recipientsIn(sent, bounds), contentIn(sent, bounds))
          )
        )
      ).refusal.details
    const mail = { from: 1, to: ["bob@x.example"], subject: "s", text: "t" }
    const max = MAIL_LIMITS.send_body_max_bytes
    expect(refusalOf({ ...mail, text: "é".repeat(max / 2 + 1) })).toEqual({ field: "text", rule: "max", max })
    expect(refusalOf({ ...mail, to: [] })).toEqual({ field: "to", rule: "min", min: 1 })
    expect(refusalOf({ ...mail, to: ["a@x.example", "b@x.example"], cc: ["c@x.example"] })).toEqual({
      field: "to",
      rule: "max",
      max: 2
    })
    const attachments = [{ filename: "a", content_base64: "AAAAAAAA" }]
    expect(refusalOf({ ...mail, attachments })).toEqual({ field: "attachments", rule: "max", max: 3 })
  })

  it("as does an Idempotency-Key", async () => {
    const answer = await world.edge.call("/api/v1/me", {
      method: "PATCH",
      body: "{}",
      headers: { "idempotency-key": long(256) },
      signed: world.agent
    })
    expect([answer.status, answer.json.error.details]).toEqual([
      422,
      { field: "Idempotency-Key", rule: "max", max: 255 }
    ])
  })
})
