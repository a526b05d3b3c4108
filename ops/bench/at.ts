/** Measures `hub at` over a log of a million commits, with the command's own code, beside an idle service. */
import { momentsAt } from "../at/moment.ts"
import type { Service } from "../cli/connection.ts"
import { COMMITS, REGISTERED, withMillion } from "./million.ts"

const MEGABYTE = 1_000_000

const ROUNDS = 3

const looked = async (view: Service, seqs: ReadonlyArray<number>): Promise<string> => {
  const own = process.cpuUsage()
  const before = process.memoryUsage.rss()
  const began = performance.now()
  const moments = await momentsAt(
    view,
    seqs.map((seq) => ({ seq })),
    { progress: () => undefined, signal: new AbortController().signal }
  )
  const seconds = (performance.now() - began) / 1000
  const { user, system } = process.cpuUsage(own)
  const agents = moments.at(-1)?.counts["agent"]?.["active"] ?? 0
  return (
    `hub at${seqs.length > 1 ? " --against" : ""}: ${seconds.toFixed(1)} s, ${Math.round(COMMITS / seconds)} commits a second; ` +
    `CPU a commit: ${((user + system) / COMMITS).toFixed(1)} us; ${agents} active agents; ` +
    `${Math.round((process.memoryUsage.rss() - before) / MEGABYTE)} MB more resident`
  )
}

export const atCase = (say: (line: string) => void): Promise<void> =>
  withMillion(async ({ view }) => {
    say(`\n${COMMITS} commits of ${REGISTERED} agents, ${ROUNDS} rounds`)
    for (let round = 0; round < ROUNDS; round++)
      for (const seqs of [[COMMITS], [COMMITS / 2, COMMITS]]) say(await looked(view, seqs))
  })
