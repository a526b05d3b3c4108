/**
 * Measures the operators' console over the log of a community. The console runs in its own process beside an idle
 * service.
 */
import { drawPort } from "../launcher/ports.ts"
import { AGENTS } from "./community.ts"
import { withCommunity } from "./community-service.ts"
import { visitPages } from "./console-pages.ts"

export const consoleCase = async (say: (line: string) => void): Promise<void> => {
  const consolePort = await drawPort()
  await withCommunity(consolePort, async ({ service, view, community }) => {
    say(`\nthe console over ${community.commits} commits of ${AGENTS} agents`)
    await visitPages(view, service.stack.console?.url ?? "", community, say)
  })
}
