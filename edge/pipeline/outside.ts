/** The parts of the pipeline that differ for pages outside the interface: admission and refusals. */
import { Effect } from "effect"
import { API_PREFIX } from "../../schemas/api.ts"
import { type Refusal, refusal } from "../../schemas/errors.ts"
import { closing } from "../http/body.ts"
import type { Call } from "../http/call.ts"
import type { Match } from "../http/endpoints.ts"
import { crossSiteOf } from "../http/form.ts"
import { drawnOf, type EdgeLimits } from "../http/limits.ts"
import type { Refused } from "../http/refused.ts"
import { type Judge, checkVisitor } from "../identity/index.ts"
import type { Site } from "../kit/layout.ts"
import { type RefusedPage, refusedPage } from "./refused-page.ts"

export interface Outside {
  /** Counts the request on the rate limit `web`, names the visitor in a header, and refuses forms of other sites. */
  readonly admit: (call: Call, match: Match) => Effect.Effect<void, Refused>
  /** The refusal for a path without an endpoint. */
  readonly nothing: Refusal
  readonly refused: RefusedPage
}

export const outsideOf = (
  site: Site & { readonly hosts: ReadonlyArray<string>; readonly mail?: object | null },
  limits: EdgeLimits,
  judge: Judge
): Outside => {
  const crossSite = crossSiteOf(site)
  return {
    admit: Effect.fnUntraced(function* (call, { kind }) {
      yield* drawnOf(limits, "web", call)
      yield* checkVisitor(call, judge, site.hosts)
      const refused = kind === "found" ? crossSite(call) : null
      if (refused !== null) yield* closing(call, refused)
    }),
    nothing: refusal("not_found", `There is nothing here. The interface begins at ${API_PREFIX}.`, {
      resource: "page",
      api: `${site.baseUrl}${API_PREFIX}`
    }),
    refused: refusedPage(site)
  }
}
