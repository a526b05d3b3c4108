/**
 * Parts of an edge that every noun may use. A noun that needs more adds them to the type of its routes; edge/served.ts
 * has all of them.
 */
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
  /** There is one for the whole process, because all renderings share a time budget. */
  readonly markdown: AgentMarkdown
}
