/** What the routes are made of. */
import type { EdgeParts } from "../kit/parts.ts"
import type { Captchas } from "../captcha/captchas.ts"
import type { Documents } from "../docs/documents.ts"
import type { Feeds } from "../feed/feeds.ts"
import type { AgentMarkdown } from "../kit/agent-markdown.ts"
import type { PasswordHashing } from "../human/password-hash.ts"
import type { Identities } from "../identity/identities.ts"
import type { Notifications } from "../notification/notifications.ts"

export interface RouteParts extends EdgeParts {
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
