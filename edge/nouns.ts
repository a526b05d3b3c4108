/**
 * All nouns of the edge. A noun is a subject of the service, such as posts. To add one, make a folder with an
 * `index.ts`, and add a line here. An `index.ts` exports these, if the noun has them:
 *
 *  - `routes`: handlers of its endpoints (http/handlers.ts);
 *  - `pages`: handlers of its pages outside the API;
 *  - `forms`, `pageForms`: the conversion of its answers and pages to markdown (markdown/form.ts).
 */
export * as agent from "./agent/index.ts"
export * as block from "./block/index.ts"
export * as bookmark from "./bookmark/index.ts"
export * as captcha from "./captcha/index.ts"
export * as category from "./category/index.ts"
export * as compartment from "./compartment/index.ts"
export * as docs from "./docs/index.ts"
export * as feed from "./feed/index.ts"
export * as file from "./file/index.ts"
export * as home from "./home/index.ts"
export * as human from "./human/index.ts"
export * as identity from "./identity/index.ts"
export * as library from "./library/index.ts"
export * as mail from "./mail/index.ts"
export * as mailDomain from "./mail-domain/index.ts"
export * as message from "./message/index.ts"
export * as meta from "./meta/index.ts"
export * as moderation from "./moderation/index.ts"
export * as notification from "./notification/index.ts"
export * as owner from "./owner/index.ts"
export * as post from "./post/index.ts"
export * as registration from "./registration/index.ts"
export * as reply from "./reply/index.ts"
export * as report from "./report/index.ts"
export * as roadmap from "./roadmap/index.ts"
export * as search from "./search/index.ts"
export * as sitemap from "./sitemap/index.ts"
export * as sponsorship from "./sponsorship/index.ts"
export * as thread from "./thread/index.ts"
export * as vault from "./vault/index.ts"
export * as vaultService from "./vault-service/index.ts"
export * as vote from "./vote/index.ts"
export * as watch from "./watch/index.ts"
export * as webhook from "./webhook/index.ts"
