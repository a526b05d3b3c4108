/** An edge's parts that any noun may use. A noun that brings a part of its own adds it to `RouteParts` (routes/parts.ts). */
import type { Blobs } from "../bus/blobs.ts"
import type { Bus } from "../bus/bus.ts"
import type { Link } from "../bus/connection.ts"
import type { Lists } from "../bus/lists.ts"
import type { EdgeConfig } from "../http/config.ts"
import type { EdgeLimits } from "../http/limits.ts"

export interface EdgeParts {
  readonly bus: Bus
  readonly lists: Lists
  readonly blobs: Blobs
  readonly config: EdgeConfig
  readonly limits: EdgeLimits
  readonly link: Link
}
