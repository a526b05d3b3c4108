/** The archive of the log by the environment (contract 15). */

/** `null` if the log is not archived. */
export type ArchiveSettings =
  | { readonly type: "folder"; readonly folder: string }
  | { readonly type: "bucket"; readonly bucket: string; readonly prefix: string; readonly region: string }

export type ArchiveSettingsResult =
  | { readonly ok: true; readonly settings: ArchiveSettings | null }
  | { readonly ok: false; readonly problem: string }

const BUCKET = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/([A-Za-z0-9_.-]+(?:\/[A-Za-z0-9_.-]+)*))?\/?$/
const REGION = /^[a-z]{2}(?:-[a-z]+)+-\d$/
const FORMS = "HUB_ARCHIVE must be the absolute path of a folder, or a bucket such as s3://bucket/prefix"

const isDots = (segment: string): boolean => segment === "." || segment === ".."

export const readArchiveSettings = (env: Readonly<Record<string, string | undefined>>): ArchiveSettingsResult => {
  const place = env["HUB_ARCHIVE"]?.trim() ?? ""
  const region = env["HUB_ARCHIVE_REGION"]?.trim() ?? ""
  if (region !== "" && !REGION.test(region))
    return { ok: false, problem: "HUB_ARCHIVE_REGION must be a region such as eu-central-1" }
  if (place === "") return { ok: true, settings: null }
  const [, bucket, prefix = ""] = BUCKET.exec(place) ?? []
  if (bucket !== undefined && !prefix.split("/").some(isDots)) {
    if (region === "") return { ok: false, problem: "HUB_ARCHIVE_REGION is required where HUB_ARCHIVE is a bucket" }
    return { ok: true, settings: { type: "bucket", bucket, prefix, region } }
  }
  if (!place.startsWith("/") || /[\r\n]/.test(place)) return { ok: false, problem: FORMS }
  return { ok: true, settings: { type: "folder", folder: place } }
}
