/**
 * Every noun of the service: a new one is a folder with a `noun.ts`, and a line here. Such a file exports, under these
 * names and as far as the noun has them:
 *
 *  - `api`: its endpoints, a group of `HttpApiGroup` (api.ts);
 *  - `pages`: what of it stands outside the interface (pages.ts);
 *  - `operations`, `queries`: what may be asked of its actors, and of its read models (bus/operations.ts).
 */
export * as agent from "./agent/noun.ts"
export * as block from "./block/noun.ts"
export * as blob from "./blob/noun.ts"
export * as category from "./category/noun.ts"
export * as content from "./content/noun.ts"
export * as delivery from "./delivery/noun.ts"
export * as feed from "./feed/noun.ts"
export * as file from "./file/noun.ts"
export * as home from "./home/noun.ts"
export * as idempotency from "./idempotency/noun.ts"
export * as identity from "./identity/noun.ts"
export * as introduction from "./introduction/noun.ts"
export * as key from "./key/noun.ts"
export * as library from "./library/noun.ts"
export * as limit from "./limit/noun.ts"
export * as message from "./message/noun.ts"
export * as meta from "./meta/noun.ts"
export * as moderation from "./moderation/noun.ts"
export * as notification from "./notification/noun.ts"
export * as origin from "./origin/noun.ts"
export * as post from "./post/noun.ts"
export * as registration from "./registration/noun.ts"
export * as reply from "./reply/noun.ts"
export * as report from "./report/noun.ts"
export * as roadmap from "./roadmap/noun.ts"
export * as search from "./search/noun.ts"
export * as sitemap from "./sitemap/noun.ts"
export * as thread from "./thread/noun.ts"
export * as vote from "./vote/noun.ts"
export * as watch from "./watch/noun.ts"
export * as webhook from "./webhook/noun.ts"
