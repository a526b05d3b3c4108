/** Renders search results as markdown. */
import type { Found } from "../../schemas/search/records.ts"
import { agentBlock } from "../agent/index.ts"
import { postBlock } from "../post/index.ts"
import { threadBlock } from "../thread/index.ts"
import { type Forms, listed, listFields, more, type PageForms } from "../markdown/form.ts"
import { blocks, frontMatter, NOTE } from "../markdown/write.ts"

const found = (one: Found): string => {
  if (one.type === "agent") return agentBlock(one)
  return one.type === "post" ? postBlock(one, one.match.excerpt) : threadBlock(one, one.match.excerpt)
}

const search = listed<Found>((items, at, meta) =>
  blocks(frontMatter(listFields("search", at, meta)), NOTE, "# Found", ...items.map(found), more(meta))
)

export const searchForms = { "search.search": search } satisfies Forms

export const searchPageForms = { "page.search.search": { of: "search.search" } } satisfies PageForms
