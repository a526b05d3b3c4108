/** Opens the archive of the log for a process, according to its configuration. */
import type { NatsConnection } from "@nats-io/transport-node"
import type { Clock } from "effect"
import type { Kysely } from "kysely"
import type { ArchiveSettings } from "../../../schemas/archive/settings.ts"
import type { Database } from "../../tables/database.ts"
import { Archive } from "./archive.ts"
import { bringIndex } from "./archiver.ts"
import { IndexTable } from "./index-table.ts"
import { newestMark } from "./mark.ts"
import { folderOf, type Objects } from "./objects.ts"
import { objectName } from "./segment.ts"

export interface OpenArchive {
  readonly archive: Archive
  readonly index: IndexTable
  readonly objects: Objects
}

interface Parts {
  readonly clock: Clock.Clock
  readonly nats: NatsConnection
  readonly db: Kysely<Database>
}

/** The S3 client is large, so a process loads it only if a bucket is configured. */
export const objectsOf = async (settings: ArchiveSettings): Promise<Objects> =>
  settings.type === "folder" ? folderOf(settings.folder) : (await import("./bucket.ts")).bucketOf(settings)

/**
 * `null` if the log has no archive and none is configured. Rejects with `ArchiveMissing` if the log's archive is not
 * the configured one.
 */
export const openArchive = async (settings: ArchiveSettings | null, parts: Parts): Promise<OpenArchive | null> => {
  const { segment } = await newestMark(parts.nats)
  if (settings === null) {
    if (segment === null) return null
    throw new ArchiveMissing(`HUB_ARCHIVE is required: the log's part up to #${segment.last} is in an archive`)
  }
  const objects = await objectsOf(settings)
  if (segment !== null)
    await objects.open(objectName(segment)).catch((cause: unknown) => {
      throw new ArchiveMissing(`HUB_ARCHIVE (${objects.place}) lacks ${objectName(segment)}, which the log names`, {
        cause
      })
    })
  const index = new IndexTable(parts.db)
  const archive = new Archive({ ...parts, objects, index, repair: () => awaitIndex({ archive, index, objects }) })
  await archive.refresh()
  return { archive, index, objects }
}

/**
 * Makes the index cover all archived commits, for example after Postgres has lost it. Rejects if it still does not,
 * because another process is rebuilding it.
 */
export const awaitIndex = async (opened: OpenArchive): Promise<void> => {
  if (await opened.index.reaches(opened.archive.through)) return
  await opened.index.alone((index) => bringIndex({ ...opened, index }))
  if (!(await opened.index.reaches(opened.archive.through))) throw new Error("the index of the archive is being made")
}

export class ArchiveMissing extends Error {}
