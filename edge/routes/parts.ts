/** What the routes are made of. */
import type { EdgeParts } from "../kit/parts.ts"
import type { Captchas } from "../captcha/index.ts"
import type { Documents } from "../docs/index.ts"
import type { Feeds } from "../feed/index.ts"
import type { AgentMarkdown } from "../kit/agent-markdown.ts"
import type { PasswordHashing } from "../human/index.ts"
import type { Identities } from "../identity/index.ts"
import type { Notifications } from "../notification/index.ts"

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
