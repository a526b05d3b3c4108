/**
 * The id of the `limit` actor for a client, a key or a person. Edges and actors compute the same id, so they draw on
 * the same bucket.
 */
import { createHash } from "node:crypto"
import { bucketActor, type CountedBucket } from "./bucket.ts"

const HASH_CHARS = 16

/** The id under which another bucket counts the same client, key or person. */
export const homeIn = (bucket: CountedBucket, home: string): string => `${bucket}${home.slice(home.indexOf("."))}`

export const homeOf = (bucket: CountedBucket, value: string, wide = false): string =>
  bucketActor(bucket, createHash("sha256").update(value).digest("hex").slice(0, HASH_CHARS), wide)
