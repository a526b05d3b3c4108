/** The operations by name: what cannot be told apart there is refused when it is generated, not found out by callers. */
import { HttpApi, HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Schema } from "effect"
import { describe, expect, it } from "vitest"
import { operationsIn, operationTable } from "../../ops/contracts/operations.ts"
import { success } from "../../schemas/envelope.ts"

const answer = success(Schema.Struct({ id: Schema.Int }))
const id = { id: Schema.String }

describe("operationsIn", () => {
  it("gives each its fields, with numbers taken in an address", () => {
    const api = HttpApi.make("test")
      .add(
        HttpApiGroup.make("thing").add(
          HttpApiEndpoint.patch("change", "/things/:id", {
            params: id,
            query: { note: Schema.optionalKey(Schema.String) },
            payload: Schema.Struct({ title: Schema.String, size: Schema.optionalKey(Schema.Int) }),
            success: answer
          })
        )
      )
      .prefix("/api/v1")
    const operations = operationsIn(OpenApi.fromApi(api))
    expect(operations).toMatchObject([
      {
        group: "thing",
        name: "change",
        method: "PATCH",
        path: "/things/:id",
        query: ["note"],
        body: "fields",
        inputSchema: { properties: { id: { type: ["string", "integer"] } }, required: ["id", "title"] }
      }
    ])
    expect(operationTable(operations)).toContain(
      '  change: { method: "PATCH", path: "/things/:id", query: ["note"], body: "fields" }\n'
    )
  })

  it("refuses a field that stands in the path and in the body", () => {
    const api = HttpApi.make("test")
      .add(
        HttpApiGroup.make("thing").add(
          HttpApiEndpoint.put("change", "/things/:id", {
            params: id,
            payload: Schema.Struct({ id: Schema.Int }),
            success: answer
          })
        )
      )
      .prefix("/api/v1")
    expect(() => operationsIn(OpenApi.fromApi(api))).toThrow("change has two fields id")
  })

  it("refuses a body that is half in the query", () => {
    const api = HttpApi.make("test")
      .add(
        HttpApiGroup.make("thing").add(
          HttpApiEndpoint.put("change", "/things", {
            query: { note: Schema.optionalKey(Schema.String) },
            payload: Schema.Struct({ note: Schema.String, title: Schema.String }),
            success: answer
          })
        )
      )
      .prefix("/api/v1")
    expect(() => operationsIn(OpenApi.fromApi(api))).toThrow(
      "change has fields in its query that are in its body as well"
    )
  })

  it("refuses two operations of one name", () => {
    const one = HttpApiEndpoint.get("read", "/ones", { success: answer })
    const other = HttpApiEndpoint.get("read", "/others", { success: answer })
    const api = HttpApi.make("test").add(HttpApiGroup.make("one").add(one)).add(HttpApiGroup.make("other").add(other))
    expect(() => operationsIn(OpenApi.fromApi(api))).toThrow("Operations that have one name: read")
  })
})
