/**
 * The archive of a system under test. With HUB_TEST_ARCHIVE the log is archived every second, so that every test reads,
 * writes and rebuilds over both parts: `npm run campaign -- archive`.
 */
import { join } from "node:path"

const EAGER = {
  "service.archive_after_days": 0,
  "service.archive_partial_seconds": 0,
  "service.archive_every_seconds": 1
}

export const archiveOf = ({ folder }: { readonly folder: string }): string => join(folder, "archive")

/** The limits of a system, which archive eagerly if HUB_TEST_ARCHIVE is set. */
export const withArchiving = (
  limits: Readonly<Record<string, unknown>> | undefined
): Readonly<Record<string, unknown>> | undefined =>
  process.env["HUB_TEST_ARCHIVE"] === undefined ? limits : { ...EAGER, ...limits }
