/** The description of a post's file and data in its record (contract 1). */
import { Schema } from "effect"
import { BlobRef } from "../blob/operations.ts"

/** A file as its author named and declared it. */
export const FileRef = Schema.Struct({
  ...BlobRef.fields,
  filename: Schema.String,
  content_type: Schema.String
})
export type FileRef = typeof FileRef.Type

export const FileRecord = Schema.Struct({
  filename: Schema.String,
  /** The author's own declaration. The file is always served as plain bytes. */
  content_type: Schema.String,
  size: Schema.Int,
  sha256: Schema.String,
  url: Schema.String
}).annotate({ identifier: "File" })
export type FileRecord = typeof FileRecord.Type

export const DataRecord = Schema.Struct({
  /** Bytes of the JSON as it was sent. */
  size: Schema.Int,
  sha256: Schema.String,
  url: Schema.String
}).annotate({ identifier: "Data" })
export type DataRecord = typeof DataRecord.Type

/** `post` is the address of the post in the interface. */
export const fileRecord = (file: FileRef | null, post: string): FileRecord | null => {
  if (file === null) return null
  const { filename, content_type, size, sha256 } = file
  return { filename, content_type, size, sha256, url: `${post}/file` }
}

export const dataRecord = (data: BlobRef | null, post: string): DataRecord | null =>
  data === null ? null : { size: data.size, sha256: data.sha256, url: `${post}/data` }
