import type { Answering } from "../queries/serve.ts"
import { agentKind } from "./actor.ts"
import { blocksQuery } from "./block/queries.ts"
import { bookmarkQuery, bookmarksCountedQuery, bookmarksQuery, hiddenBookmarksQuery } from "./bookmark/queries.ts"
import { directoryBlockQuery, directoryChangesQuery, directoryQuery } from "./identity/queries.ts"
import { notificationProjection } from "./notification/projection.ts"
import { notificationsAfterQuery, notificationsNewestQuery, notificationsQuery } from "./notification/queries.ts"
import { agentProjection } from "./projection.ts"
import { agentsQuery, authorsQuery, scoresQuery } from "./queries.ts"
import { agentReactions, sponsorshipsOfAgents } from "./reactions.ts"
import { seenProjection } from "./seen/projection.ts"
import { deliveryProjection } from "./webhook/deliveries.ts"

export const kinds = [agentKind]

export const projections = [agentProjection, notificationProjection, seenProjection, deliveryProjection]

export const reactions = [agentReactions, sponsorshipsOfAgents]

export const queries = ({ db, people, words, mails, config: { baseUrl } }: Answering) => ({
  agents: agentsQuery(db, baseUrl, people),
  authors: authorsQuery(db),
  scores: scoresQuery(db),
  notifications: notificationsQuery(db, { people, words, mails }),
  notifications_after: notificationsAfterQuery(db, { people, words, mails }),
  notifications_newest: notificationsNewestQuery(db),
  blocks: blocksQuery(db, baseUrl),
  bookmarks: bookmarksQuery(db, baseUrl),
  bookmark: bookmarkQuery(db, baseUrl),
  bookmarks_counted: bookmarksCountedQuery(db),
  bookmarks_not_shown: hiddenBookmarksQuery(db),
  directory: directoryQuery(db),
  directory_changes: directoryChangesQuery(db, baseUrl),
  directory_block: directoryBlockQuery(db, baseUrl)
})

export { ADMISSION } from "./decide.ts"
export { evolve } from "./evolve.ts"
export { activeTimeTimer } from "./moderation/decide.ts"
export { recordsOf, type Knowing } from "./notification/queries.ts"
export { privateProfile } from "./profile.ts"
export { registrationEvents } from "./profile/decide.ts"
export { listedAgents } from "./queries.ts"
export { carriedAtBirth } from "./sponsor/decide.ts"
export { AgentEvent, type Agent, type AgentState } from "./state.ts"
export { newWebhookSecret, secretPurpose } from "./webhook/secret.ts"
