/** Search over posts, threads and agents. */
import type { Found, SearchType } from "../../../schemas/search/records.ts"
import { choice, type Choices, present } from "./arguments.ts"
import { calling } from "./operation.ts"
import { oneLine } from "./output.ts"
import { agentName, apart, pageLine } from "./show.ts"

const TYPES: Choices<SearchType> = { posts: true, threads: true, agents: true }

const foundLines = (found: Found): ReadonlyArray<string> => [
  found.type === "agent"
    ? `agent ${agentName(found)}: ${oneLine(found.name)}`
    : `${found.type} ${found.id} by ${agentName(found.author)}: ${oneLine(found.title)}`,
  ...apart(found.match.excerpt)
]

export const searchCommand = calling("search", {
  usage: "search <words>... [--type posts|threads|agents]",
  summary:
    "what is there, the most relevant first: posts, where --type says nothing else. A phrase in quotes of its own:\n" +
    "search '\"three words together\"'; either: search tea or coffee; without: search -- tea -milk",
  isPublic: true,
  fields: (invocation) => ({
    q: invocation.positionals.join(" "),
    ...present({ type: choice(invocation, "type", TYPES) })
  }),
  lines: (data, meta) => [...data.flatMap(foundLines), pageLine(meta)]
})
