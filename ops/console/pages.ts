/** Every page of the console, in the order of the navigation. */
import { actorPage } from "./actor/page.ts"
import { clusterPage } from "./cluster/page.ts"
import { explainPage } from "./explain/page.ts"
import { moderatedAgentPage } from "./moderation/agent.ts"
import { contentPage } from "./moderation/content.ts"
import { moderationPage } from "./moderation/list.ts"
import { reportPage } from "./moderation/report.ts"
import type { ConsolePage } from "./page.ts"
import { searchPage } from "./search/page.ts"

export const PAGES: ReadonlyArray<ConsolePage> = [
  clusterPage,
  moderationPage,
  reportPage,
  moderatedAgentPage,
  contentPage,
  actorPage,
  explainPage,
  searchPage
]
