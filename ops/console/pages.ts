/** Every page of the console, in the order of the navigation. */
import { actorPage } from "./actor/page.ts"
import { clusterPage } from "./cluster/page.ts"
import { explainPage } from "./explain/page.ts"
import type { ConsolePage } from "./page.ts"
import { searchPage } from "./search/page.ts"

export const PAGES: ReadonlyArray<ConsolePage> = [clusterPage, actorPage, explainPage, searchPage]
