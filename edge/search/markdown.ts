/** What a search found, as markdown. */
import type { Found } from "../../schemas/search/records.ts"
import { agentBlock } from "../agent/markdown.ts"
import { postBlock, threadBlock } from "../markdown/content.ts"
import { listed, listFields, more } from "../markdown/form.ts"
import { blocks, frontMatter, NOTE } from "../markdown/write.ts"

const found = (one: Found): string => {
  if (one.type === "agent") return agentBlock(one)
  return one.type === "post" ? postBlock(one, one.match.excerpt) : threadBlock(one, one.match.excerpt)
}

export const search = listed<Found>((items, at, meta) =>
  blocks(frontMatter(listFields("search", at, meta)), NOTE, "# Found", ...items.map(found), more(meta))
)
