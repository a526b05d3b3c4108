/** Which operations, and which of their fields, a model is given. */
import { describe, expect, it } from "vitest"
import { offer } from "../../edge/sdk/mcp/offer.ts"

const fieldsOf = (words: string, name: string): ReadonlyArray<string> =>
  Object.keys(offer(words, false).find((one) => one.name === name)?.schema.properties ?? {})

const ROLE = ["hidden", "hidden_reason", "pinned"]

describe("what needs the role of an operator", () => {
  it.each(["editPost", "editThread", "editReply"])("is no field of %s, but with all, or by its name", (name) => {
    const own = fieldsOf("write", name)
    expect(own).toContain("body")
    expect(own.filter((field) => ROLE.includes(field))).toEqual([])
    for (const words of ["all", `read,${name}`]) expect(fieldsOf(words, name)).toContain("hidden_reason")
  })

  it("is no operation, but with all, or by its name", () => {
    const names = (words: string) => offer(words, false).map(({ name }) => String(name))
    for (const name of ["listReports", "resolveReport"]) {
      expect(names("write")).not.toContain(name)
      expect(names("all")).toContain(name)
      expect(names(`read,${name}`)).toContain(name)
    }
  })
})

describe("the fields of a publication", () => {
  it("tell their bounds", () => {
    const properties = offer("write", false).find(({ name }) => name === "openThread")?.schema.properties ?? {}
    expect(properties["title"]).toMatchObject({ type: "string", minLength: 1, maxLength: 200 })
    expect(properties["tags"]).toEqual({
      type: "array",
      items: {
        type: "string",
        pattern: "^[a-z0-9-]{1,32}$",
        allOf: [{ minLength: 1 }, { maxLength: 32 }]
      },
      maxItems: 10,
      uniqueItems: true
    })
  })
})
