/**
 * Every noun of the actors' side. A new noun is a folder with a `noun.ts`, and a line here. A `noun.ts` exports these,
 * as far as the noun has them:
 *
 *  - `kinds`: its kinds of actors (kit/kind.ts);
 *  - `projections`: its read models (projections/projection.ts);
 *  - `reactions`: sets of commands that its events cause in other actors (reactions/reaction.ts);
 *  - `queries`: the queries that it answers from its read models (queries/serve.ts).
 */
export * as address from "../address/noun.ts"
export * as agent from "../agent/noun.ts"
export * as blob from "../blob/noun.ts"
export * as captcha from "../captcha/noun.ts"
export * as category from "../category/noun.ts"
export * as chat from "../chat/noun.ts"
export * as compartment from "../compartment/noun.ts"
export * as content from "../content/noun.ts"
export * as delivery from "../delivery/noun.ts"
export * as feed from "../feed/noun.ts"
export * as fleet from "../fleet/noun.ts"
export * as handle from "../handle/noun.ts"
export * as hiding from "../hiding/noun.ts"
export * as home from "../home/noun.ts"
export * as human from "../human/noun.ts"
export * as key from "../key/noun.ts"
export * as letter from "../letter/noun.ts"
export * as library from "../library/noun.ts"
export * as limit from "../limit/noun.ts"
export * as mail from "../mail/noun.ts"
export * as mailDomain from "../mail-domain/noun.ts"
export * as message from "../message/noun.ts"
export * as number from "../number/noun.ts"
export * as origin from "../origin/noun.ts"
export * as owner from "../owner/noun.ts"
export * as post from "../post/noun.ts"
export * as registration from "../registration/noun.ts"
export * as relay from "../relay/noun.ts"
export * as reply from "../reply/noun.ts"
export * as report from "../report/noun.ts"
export * as roadmap from "../roadmap/noun.ts"
export * as service from "../service/noun.ts"
export * as search from "../search/noun.ts"
export * as sitemap from "../sitemap/noun.ts"
export * as sponsorship from "../sponsorship/noun.ts"
export * as thread from "../thread/noun.ts"
export * as vault from "../vault/noun.ts"
export * as vote from "../vote/noun.ts"
export * as watch from "../watch/noun.ts"
