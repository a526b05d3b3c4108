/**
 * `hub restore <folder>`: restores JetStream from a backup. Refuses if JetStream or Postgres has content, unless
 * `--replace` is given or an earlier restore was interrupted. Actor nodes can start on both afterwards.
 */
import { readConfig } from "../../schemas/config.ts"
import { restore, type RestoreParts } from "../backup/restore.ts"
import { servicePublicKey } from "../backup/service-key.ts"
import { objectsOf } from "../../actors/log/archive/open.ts"
import { segmentsBeside } from "./backup.ts"
import { bytesProgress } from "./bytes.ts"
import { allServers, type Arguments, type Command } from "./command.ts"
import { archiveIn, openServers } from "./connection.ts"
import { Fault } from "./fault.ts"
import { untilInterrupted } from "./interrupt.ts"

const GAP = 10_000
const GAP_MAX = 1_000_000
const REPLICAS_MAX = 5

export const restoreCommand: Command = {
  usage: ["restore <folder> [--archive <folder>] [--replicas <number>] [--gap <number>] [--cards] [--replace]"],
  servers: allServers,
  alone: (args) => untilInterrupted((signal) => brought(args, signal), "the same command begins anew")
}

const numberOf = (name: "replicas" | "gap", text: string | undefined, least: number, most: number): number | null => {
  if (text === undefined) return null
  const number = Number(text)
  if (!/^\d+$/.test(text) || number < least || number > most)
    throw new Fault(`--${name} takes a whole number from ${least} to ${most}`)
  return number
}

const brought = async ({ positionals, values }: Arguments, signal: AbortSignal): Promise<string> => {
  const [folder = ""] = positionals
  const options = {
    replicas: numberOf("replicas", values.replicas, 1, REPLICAS_MAX),
    gap: numberOf("gap", values.gap, 0, GAP_MAX) ?? GAP,
    cards: values.cards === true,
    replace: values.replace === true,
    serviceKey: servicePublicKey(process.env)
  }
  const read = readConfig(process.env)
  if (!read.ok) throw new Fault(read.problem)
  const settings = archiveIn(process.env)
  const archive =
    settings === null ? undefined : { from: segmentsBeside(folder, values.archive), to: await objectsOf(settings) }
  const servers = await openServers(process.env)
  try {
    return await restoreReport(folder, {
      ...options,
      ...servers,
      archive,
      limits: read.config.limits,
      signal,
      progress: bytesProgress()
    })
  } finally {
    await servers.nats.close()
  }
}

const restoreReport = async (folder: string, parts: RestoreParts): Promise<string> => {
  const began = performance.now()
  try {
    const { manifest, commits, lastSeq, nextSeq } = await restore(folder, parts)
    const seconds = ((performance.now() - began) / 1000).toFixed(1)
    return [
      `${folder}: ${manifest.streams.length} streams of ${new Date(manifest.at).toISOString()} restored in ${seconds} s, ` +
        `${commits} commits up to #${lastSeq}`,
      `the log goes on at #${nextSeq}, each counter ${parts.gap} numbers further; Postgres is empty`,
      "people log in again; links of letters, sources of vaults and links to compartments from before have ended",
      "mail that waited at the backup and was due since is not sent by itself: its sender is told that nobody knows",
      parts.cards
        ? "fill services need new tokens; cards are filled at once"
        : "fill services need new tokens; no card is filled before the next day (UTC): with --cards it is, at once",
      "start the actor nodes, which fill it, then the edges; then run npm run hub -- verify"
    ].join("\n")
  } catch (error) {
    // Only a TypeError counts as an error in this program, and keeps its stack.
    if (error instanceof Error && !(error instanceof Fault || error instanceof TypeError))
      throw new Fault(`not restored: ${error.message}; the same command begins anew`)
    throw error
  }
}
