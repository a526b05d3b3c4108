/**
 * `hub backup <folder>`: copies JetStream while the service runs. `--check` compares a backup with the hashes in its
 * manifest, and checks the segments beside it.
 */
import { dirname, join, resolve } from "node:path"
import { folderOf as folderOfObjects, type Objects } from "../../actors/log/archive/objects.ts"
import { backup } from "../backup/backup.ts"
import { checkedManifest } from "../backup/files.ts"
import type { Manifest } from "../backup/manifest.ts"
import { checkSegments } from "../backup/segments.ts"
import { servicePublicKey } from "../backup/service-key.ts"
import { streams } from "../../schemas/subjects.ts"
import type { Arguments, Command } from "./command.ts"
import type { Service } from "./connection.ts"
import { Fault } from "./fault.ts"
import { untilInterrupted } from "./interrupt.ts"
import { bytesProgress, megabytes } from "./bytes.ts"

export const backupCommand: Command = {
  usage: ["backup <folder> [--archive <folder>]", "backup <folder> --check [--archive <folder>]"],
  // To check a backup no server is needed, because the manifest has all lengths and hashes.
  servers: ({ values }) => (values.check === true ? "none" : "needed"),
  alone: ({ positionals: [folder = ""], values }) =>
    values.check === true ? untilInterrupted((signal) => checked(folder, values.archive, signal)) : null,
  run: (service, args) => untilInterrupted((signal) => made(service, args, signal))
}

/** Segments of the archive are stored next to the backups, because many backups need the same ones. */
export const segmentsBeside = (folder: string, archive: string | undefined): Objects =>
  folderOfObjects(archive ?? join(dirname(resolve(folder)), "archive"))

const made = async (
  { nats, manager, opened }: Service,
  { positionals, values }: Arguments,
  signal: AbortSignal
): Promise<string> => {
  const [folder = ""] = positionals
  const archive =
    opened === null
      ? undefined
      : { from: opened.objects, to: segmentsBeside(folder, values.archive), index: opened.index }
  const began = performance.now()
  try {
    const manifest = await backup(folder, {
      nats,
      manager,
      archive,
      serviceKey: servicePublicKey(process.env),
      signal,
      progress: bytesProgress()
    })
    const seconds = ((performance.now() - began) / 1000).toFixed(1)
    return `${folder}: ${summary(manifest)}, in ${seconds} s\n${keysLine(manifest)}`
  } catch (error) {
    // Only a TypeError counts as an error in this program, and keeps its stack.
    if (error instanceof Error && !(error instanceof Fault || error instanceof TypeError))
      throw new Fault(`no backup was made: ${error.message}`)
    throw error
  }
}

const checked = async (folder: string, archive: string | undefined, signal: AbortSignal): Promise<string> => {
  const manifest = await checkedManifest(folder, signal)
  const beside = segmentsBeside(folder, archive)
  const count = manifest.archive === undefined ? 0 : await checkSegments(beside, manifest.archive, signal)
  const segments = count === 0 ? "" : `, with ${count} segments in ${beside.place}`
  return `${folder} is whole: ${summary(manifest)}${segments}\n${keysLine(manifest)}`
}

/** Names the keys that are needed to read the backup. It contains none of them. */
const keysLine = ({ streams: parts }: Manifest): string => {
  const holds = (stream: string): boolean =>
    parts.some(({ name, state, tail }) => name === stream && state.messages + tail.messages > 0)
  const keys = [
    "HUB_SERVER_KEY",
    ...(holds(streams.mailKeys) ? ["HUB_MAIL_KEY"] : []),
    ...(holds(streams.vaultKeys) ? ["HUB_VAULT_KEY"] : [])
  ]
  return `needs keys that are not in it: ${keys.join(", ")}, and HUB_RUNTIME_KEY for secrets of compartments`
}

/** For example `9 streams, 1234 commits up to #1250 of …, 5.1 MB`. */
const summary = ({ streams: parts, at }: Manifest): string => {
  const log = parts.find(({ name }) => name === streams.events)
  const bytes = parts.reduce((sum, { snapshot, tail }) => sum + snapshot.bytes + tail.bytes, 0)
  const tail = log?.tail.messages ?? 0
  const commits = `${(log?.state.messages ?? 0) + tail} commits up to #${(log?.state.last_seq ?? 0) + tail}`
  return `${parts.length} streams, ${commits} of ${new Date(at).toISOString()}, ${megabytes(bytes)} MB`
}
