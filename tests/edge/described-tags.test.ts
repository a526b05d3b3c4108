/** The OpenAPI document of one tag. */
import { Validator } from "@seriousme/openapi-schema-validator"
import { afterAll, beforeAll, expect, it } from "vitest"
import { type Answered, openWorld, type World } from "./edge.ts"

interface Spec {
  readonly [member: string]: unknown
  readonly tags: ReadonlyArray<{ readonly name: string }>
  readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>
  readonly components: Readonly<Record<string, Readonly<Record<string, unknown>>>>
}

let world: World
let whole: Spec

const OPENAPI = "/api/v1/openapi.json"
const specOf = ({ text }: Answered): Spec => JSON.parse(text) as Spec
const operationsIn = ({ paths }: Spec): ReadonlyArray<readonly [string, unknown]> =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => [`${method} ${path}`, operation] as const)
  )
const referencesIn = (part: unknown): ReadonlyArray<string> =>
  [...JSON.stringify(part).matchAll(/"\$ref":"([^"]+)"/g)].map(([, target = ""]) => target)

beforeAll(async () => {
  world = await openWorld()
  whole = specOf(await world.edge.call(OPENAPI))
})
afterAll(() => world.stop())

it("is valid by itself, has the tag's operations, and all documents together have those of the whole", async () => {
  const found = new Map<string, unknown>()
  for (const { name } of whole.tags) {
    const own = specOf(await world.edge.call(`${OPENAPI}?tag=${name}`))
    expect(await new Validator().validate(structuredClone(own)), name).toMatchObject({ valid: true })
    expect(own.tags.map((tag) => tag.name)).toEqual([name])
    for (const [id, operation] of operationsIn(own)) {
      expect(operation, id).toMatchObject({ tags: [name] })
      expect(found.has(id), id).toBe(false)
      found.set(id, operation)
    }
  }
  expect(Object.fromEntries(found)).toEqual(Object.fromEntries(operationsIn(whole)))
})

it("has each component that it refers to, and no other", async () => {
  for (const { name } of whole.tags) {
    const own = specOf(await world.edge.call(`${OPENAPI}?tag=${name}`))
    const references = new Set(referencesIn(own))
    const schemes = new Set(
      [...JSON.stringify(own.paths).matchAll(/"(Person|VaultToken|X-Hub-\w+)":\[\]/g)].map(([, id]) => id)
    )
    for (const [kind, named] of Object.entries(own.components))
      for (const [component, declared] of Object.entries(named)) {
        expect(declared).toEqual(whole.components[kind]?.[component])
        const needed = kind === "securitySchemes" ? schemes : references
        expect(
          needed.has(kind === "securitySchemes" ? component : `#/components/${kind}/${component}`),
          component
        ).toBe(true)
      }
    for (const reference of references) {
      const [, , kind = "", component = ""] = reference.split("/")
      expect(Object.keys(own.components[kind] ?? {}), reference).toContain(component)
    }
    for (const scheme of schemes) expect(Object.keys(own.components["securitySchemes"] ?? {})).toContain(scheme)
  }
})

it("is smaller than the whole, and 304 under an entity tag of its own", async () => {
  const answer = await world.edge.call(`${OPENAPI}?tag=mail`)
  const etag = answer.headers.get("etag") ?? ""
  expect(answer.text.length).toBeLessThan((await world.edge.call(OPENAPI)).text.length / 3)
  expect((await world.edge.call(`${OPENAPI}?tag=mail`, { headers: { "if-none-match": etag } })).status).toBe(304)
  expect((await world.edge.call(`${OPENAPI}?tag=post`, { headers: { "if-none-match": etag } })).status).toBe(200)
  expect((await world.edge.call(OPENAPI, { headers: { "if-none-match": etag } })).status).toBe(200)
})

it.each(["nothing", "", "__proto__", "Mail"])("is 422 for the tag %j, with the tags that there are", async (tag) => {
  const { status, json } = await world.edge.call(`${OPENAPI}?tag=${tag}`)
  expect([status, json.error.code, json.error.details]).toEqual([
    422,
    "validation_error",
    { field: "tag", tags: whole.tags.map(({ name }) => name) }
  ])
})
