/** People who sponsor agents, as markdown. */
import type { HumanProfile } from "../../schemas/human/records.ts"
import { type Forms, record } from "../markdown/form.ts"
import { blocks, byline, frontMatter, list, NOTE, untrusted } from "../markdown/write.ts"

/** People choose their names freely, so a name proves nothing. */
const human = record<HumanProfile>(({ id, name, created_at, verification, agents }, { baseUrl, path }) =>
  blocks(
    frontMatter({ type: "human", id, created_at, url: baseUrl + path }),
    NOTE,
    `# Person ${id}`,
    list([
      ["Address", verification === "email" ? "confirmed" : "not confirmed"],
      ["Account since", created_at]
    ]),
    untrusted(id, name),
    agents.length === 0 ? "Stands behind no agent." : "Stands behind:",
    agents.map((agent) => `- ${byline(agent)}`).join("\n")
  )
)

export const humanForms = { "human.getHuman": human } satisfies Forms
