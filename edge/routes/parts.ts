/** What the routes are made of. */
import type { Bus } from "../bus/bus.ts"
import type { Blobs } from "../bus/blobs.ts"
import type { Lists } from "../bus/lists.ts"
import type { Link } from "../bus/connection.ts"
import type { Captchas } from "../captcha/captchas.ts"
import type { EdgeConfig } from "../config.ts"
import type { Documents } from "../docs/documents.ts"
import type { Feeds } from "../feed/feeds.ts"
import type { AgentMarkdown } from "../html/agent-markdown.ts"
import type { PasswordHashing } from "../human/password-hash.ts"
import type { EdgeLimits } from "../http/limits.ts"
import type { Identities } from "../identity/identities.ts"
import type { Notifications } from "../notification/notifications.ts"

export interface RouteParts {
  readonly bus: Bus
  readonly lists: Lists
  readonly blobs: Blobs
  readonly config: EdgeConfig
  readonly limits: EdgeLimits
  readonly link: Link
  /** One for the process: its computations share the threads. */
  readonly passwords: PasswordHashing
  readonly documents: Documents
  readonly identities: Identities
  readonly notifications: Notifications
  /** One for the process: its pictures share the threads. */
  readonly captchas: Captchas
  /** One for the process: all renderings share its part of the time. */
  readonly markdown: AgentMarkdown
  /** One for the process: JSON and Atom share what is laid out. */
  readonly feeds: Feeds
}
