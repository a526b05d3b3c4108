/**
 * The OpenAPI document that an edge serves, complete and by tag.
 *
 * Invariant: a tag's document is complete by itself. It has the tag's operations, and each component that they refer
 * to, directly or through another one.
 */
import { OpenApi } from "effect/http-api"
import { HubApi } from "../../schemas/api.ts"
import type { EdgeConfig } from "../http/config.ts"
import { type Document, documentOf } from "../http/documents.ts"
import { JSON_TYPE } from "../http/respond.ts"

type Spec = OpenApi.OpenAPISpec

let described: Spec | undefined

const specOf = ({ hub }: EdgeConfig): Spec => {
  described ??= OpenApi.fromApi(HubApi)
  return {
    ...described,
    info: { ...described.info, title: hub.name },
    servers: [{ url: hub.baseUrl }]
  }
}

type Components = Readonly<Record<string, Readonly<Record<string, unknown>>>>

const COMPONENT = /^#\/components\/(\w+)\/([^/]+)$/

/** Adds `kind/name` of each component that a part of the document refers to. Security requirements name schemes by key. */
const addReferences = (part: unknown, components: Components, found: Set<string>): void => {
  if (typeof part !== "object" || part === null) return
  for (const [key, value] of Object.entries(part)) {
    if (key === "security" && Array.isArray(value)) {
      for (const requirement of value as ReadonlyArray<object>)
        for (const scheme of Object.keys(requirement)) found.add(`securitySchemes/${scheme}`)
      continue
    }
    const [, kind = "", name = ""] = (key === "$ref" && typeof value === "string" && COMPONENT.exec(value)) || []
    const reference = `${kind}/${name}`
    if (kind === "") addReferences(value, components, found)
    else if (!found.has(reference)) {
      found.add(reference)
      addReferences(components[kind]?.[name], components, found)
    }
  }
}

const ofTag = (spec: Spec, tag: string): Spec => {
  const paths = Object.fromEntries(
    Object.entries(spec.paths).flatMap(([path, operations]) => {
      const own = Object.entries(operations as Readonly<Record<string, OpenApi.OpenAPISpecOperation>>).filter(
        ([, { tags }]) => tags.includes(tag)
      )
      return own.length === 0 ? [] : [[path, Object.fromEntries(own)]]
    })
  )
  const all: Components = { ...spec.components }
  const found = new Set<string>()
  addReferences(paths, all, found)
  const components = Object.fromEntries(
    Object.entries(all).map(([kind, named]) => [
      kind,
      Object.fromEntries(Object.entries(named).filter(([name]) => found.has(`${kind}/${name}`)))
    ])
  )
  return {
    ...spec,
    tags: spec.tags.filter(({ name }) => name === tag),
    paths: paths as Spec["paths"],
    components: { ...spec.components, ...components }
  }
}

/** The documents of an edge. A tag's document is made when it is first requested, and cached. */
export class Described {
  readonly whole: Document
  readonly tags: ReadonlyArray<string>
  readonly #spec: Spec
  readonly #byTag = new Map<string, Document>()

  constructor(config: EdgeConfig) {
    this.#spec = specOf(config)
    this.whole = documentOf(JSON.stringify(this.#spec), JSON_TYPE)
    this.tags = this.#spec.tags.map(({ name }) => name)
  }

  /** `null` for a tag that no operation has. */
  ofTag(tag: string): Document | null {
    const made = this.#byTag.get(tag)
    if (made !== undefined) return made
    if (!this.tags.includes(tag)) return null
    const document = documentOf(JSON.stringify(ofTag(this.#spec, tag)), JSON_TYPE)
    this.#byTag.set(tag, document)
    return document
  }
}
