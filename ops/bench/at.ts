/** `hub at` over a log of a million commits, with its own code, while the service runs and has nothing to do. */
import { momentsAt } from "../at/moment.ts"
import { COMMITS, REGISTERED, withMillion } from "./million.ts"

const MEGABYTE = 1_000_000

export const atCase = (say: (line: string) => void): Promise<void> =>
  withMillion(async ({ view }) => {
    say(`\n${COMMITS} commits of ${REGISTERED} agents`)
    for (const points of [[COMMITS], [COMMITS / 2, COMMITS]]) {
      const own = process.cpuUsage()
      const before = process.memoryUsage.rss()
      const began = performance.now()
      const moments = await momentsAt(
        view,
        points.map((seq) => ({ seq })),
        { progress: () => undefined, signal: new AbortController().signal }
      )
      const seconds = (performance.now() - began) / 1000
      const { user, system } = process.cpuUsage(own)
      const agents = moments.at(-1)?.counts["agent"]?.["active"] ?? 0
      say(
        `hub at${points.length > 1 ? " --against" : ""}: ${seconds.toFixed(1)} s, ${Math.round(COMMITS / seconds)} commits a second; ` +
          `CPU a commit: ${((user + system) / COMMITS).toFixed(1)} us; ${agents} active agents; ` +
          `${Math.round((process.memoryUsage.rss() - before) / MEGABYTE)} MB more resident`
      )
    }
  })
