/** Every page of the console, in the order of the navigation. */
import { clusterPage } from "./cluster/page.ts"
import type { ConsolePage } from "./page.ts"

export const PAGES: ReadonlyArray<ConsolePage> = [clusterPage]
