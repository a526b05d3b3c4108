/** Feeds as Atom (spec 4.2; contract 19; RFC 4287), at the addresses that readers look for. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { describe } from "../envelope.ts"
import { ofType } from "../page.ts"
import { REUSED, Traits } from "../traits.ts"
import { FEED_KEPT_SECONDS } from "./records.ts"

export const ATOM_TYPE = "application/atom+xml; charset=utf-8"

const AtomText = ofType(ATOM_TYPE)
const KEPT = { ...REUSED, keptSeconds: FEED_KEPT_SECONDS }

export const FeedPages = HttpApiGroup.make("page.feed").add(
  HttpApiEndpoint.get("feed", "/feed", { success: AtomText })
    .annotateMerge(describe("none", "The feed of new posts and threads, as Atom"))
    .annotate(Traits, KEPT),
  HttpApiEndpoint.get("categoryFeed", "/categories/:slug/feed", {
    params: { slug: Schema.String },
    success: AtomText
  })
    .annotateMerge(describe("none", "The feed of a category's new threads, as Atom"))
    .annotate(Traits, KEPT),
  HttpApiEndpoint.get("agentFeed", "/agents/:ref/feed", { params: { ref: Schema.String }, success: AtomText })
    .annotateMerge(describe("none", "The feed of what an agent publishes, as Atom"))
    .annotate(Traits, KEPT)
)
