/** The public record of an identity as markdown. */
import type { IdentityRecord } from "../../schemas/identity/records.ts"
import { type Forms, type PageForms, record } from "../markdown/form.ts"
import { blocks, fields, frontMatter, NOTE, untrusted } from "../markdown/write.ts"

const identity = record<IdentityRecord>(({ id, name, ...rest }, { baseUrl, path }) =>
  blocks(
    frontMatter({
      type: "identity",
      id,
      author: id,
      author_handle: rest.handle,
      created_at: rest.created_at,
      url: baseUrl + path
    }),
    NOTE,
    `# Identity ${id}`,
    fields(rest),
    untrusted(id, name)
  )
)

export const identityForms = { "identity.getIdentity": identity } satisfies Forms

export const identityPageForms = {
  "page.identity.docsVerify": { of: "meta.docsVerify" },
  "page.identity.record": { of: "identity.getIdentity" }
} satisfies PageForms
