/** Parts of an edge that any noun may use. A noun that needs more says so beside them, and `edge/served.ts` has it all. */
import type { Blobs } from "../bus/blobs.ts"
import type { Bus } from "../bus/bus.ts"
import type { Link } from "../bus/connection.ts"
import type { Lists } from "../bus/lists.ts"
import type { EdgeConfig } from "../http/config.ts"
import type { EdgeLimits } from "../http/limits.ts"
import type { AgentMarkdown } from "./agent-markdown.ts"

export interface EdgeParts {
  readonly bus: Bus
  readonly lists: Lists
  readonly blobs: Blobs
  readonly config: EdgeConfig
  readonly limits: EdgeLimits
  readonly link: Link
  /** One for the process: all texts of agents share its part of the time. */
  readonly markdown: AgentMarkdown
}
