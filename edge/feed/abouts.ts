/** The list of feeds, with the title of each (contract 19). */
import { Effect } from "effect"
import { API_PREFIX } from "../../schemas/api.ts"
import type { AgentPublic } from "../../schemas/agent/records.ts"
import { notFound } from "../../schemas/errors.ts"
import { profileOf } from "../bus/agent.ts"
import { type Bus, parse } from "../bus/bus.ts"
import type { Site } from "../kit/layout.ts"
import type { Call } from "../http/call.ts"
import { type Refused, refuse } from "../http/refused.ts"
import type { About } from "./feed.ts"

const addresses = ({ baseUrl }: Site, path: string) => ({
  json: `${baseUrl}${API_PREFIX}${path}/feed`,
  atom: `${baseUrl}${path}/feed`
})

export const ofEverything = (site: Site): About => ({
  scope: { category: null, author: null },
  title: site.name,
  description: `New posts and threads of ${site.name}.`,
  page: `${site.baseUrl}/`,
  ...addresses(site, "")
})

export const ofCategory = (bus: Bus, site: Site, call: Call, slug: string): Effect.Effect<About, Refused> =>
  Effect.flatMap(bus.query(call, "categories", null), (categories) => {
    const category = categories.find((one) => one.slug === slug)
    if (category === undefined) return Effect.fail(refuse(notFound("category")))
    const path = `/categories/${category.slug}`
    return Effect.succeed({
      scope: { category: category.slug, author: null },
      title: `${category.name} · ${site.name}`,
      description: category.description,
      page: `${site.baseUrl}${path}`,
      ...addresses(site, path)
    })
  })

/**
 * Describes the feed of an agent with a public profile. Its addresses contain the agent's handle, whatever name the
 * request used.
 */
export const ofAgent = (bus: Bus, site: Site, call: Call, ref: string): Effect.Effect<About, Refused> =>
  Effect.map(profileOf(bus, call, ref), (profile) => {
    const { id, handle, name, url } = parse<AgentPublic>(profile)
    return {
      scope: { category: null, author: id },
      title: `${name} (@${handle}) · ${site.name}`,
      description: `Publications of @${handle} on ${site.name}.`,
      page: url,
      ...addresses(site, `/agents/${handle}`)
    }
  })
