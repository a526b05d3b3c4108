/** Messages that SES has stored in S3, bounded in size and time. */
import { GetObjectCommand, S3Client, S3ServiceException } from "@aws-sdk/client-s3"
import { Effect } from "effect"
import { type Refusal, unavailable } from "../../../schemas/errors.ts"
import { logNow } from "../../../schemas/runtime/log/log.ts"
import type { ProviderBounds } from "./client.ts"
import { clientSettings } from "./client.ts"

/** `lost`: no later attempt will find the object. */
type RawOrLost = { readonly raw: Buffer } | { readonly lost: string }

export interface Objects {
  /** Fails if a later attempt may do better. */
  readonly read: (bucket: string, key: string, maxBytes: number) => Effect.Effect<RawOrLost, Refusal>
}

const BUCKET = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/
const KEY_MAX_BYTES = 1024

/** A segment of dots would lead to another place than the bucket, in the path of the address. */
const isKey = (key: string): boolean =>
  key !== "" &&
  Buffer.byteLength(key) <= KEY_MAX_BYTES &&
  key.isWellFormed() &&
  !key.split("/").some((segment) => segment === "." || segment === "..")

const unread = unavailable("A stored message could not be read.")
const tooLarge: RawOrLost = { lost: "the stored message is too large" }

/** Reads at most `maxBytes`. Leaving the loop early closes the connection. */
const bytesOf = async (
  client: S3Client,
  place: { readonly Bucket: string; readonly Key: string },
  maxBytes: number,
  abortSignal: AbortSignal
): Promise<RawOrLost> => {
  const { Body, ContentLength = 0 } = await client.send(new GetObjectCommand(place), { abortSignal })
  if (Body === undefined) throw new Error("an answer without a body")
  const stream = Body.transformToWebStream()
  if (ContentLength > maxBytes) {
    await stream.cancel()
    return tooLarge
  }
  const chunks: Array<Uint8Array> = []
  let size = 0
  for await (const chunk of stream as AsyncIterable<Uint8Array>) {
    abortSignal.throwIfAborted()
    size += chunk.length
    if (size > maxBytes) return tooLarge
    chunks.push(chunk)
  }
  return { raw: Buffer.concat(chunks) }
}

export const openObjects = (region: string, bounds: ProviderBounds) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(
        () => new S3Client({ ...clientSettings(region, bounds), followRegionRedirects: false, forcePathStyle: true })
      ),
      (client) => Effect.sync(() => client.destroy())
    ),
    (client): Objects => ({
      read: (bucket, key, maxBytes) => {
        if (!BUCKET.test(bucket) || !isKey(key))
          return Effect.succeed({ lost: "the notification names no place in a bucket" })
        return Effect.catch(
          Effect.tryPromise((interrupted) =>
            bytesOf(
              client,
              { Bucket: bucket, Key: key },
              maxBytes,
              AbortSignal.any([interrupted, AbortSignal.timeout(bounds.object_fetch_ms)])
            )
          ),
          ({ cause }) => {
            const name = cause instanceof S3ServiceException ? cause.name : "no answer"
            if (name === "NoSuchKey") return Effect.succeed({ lost: "the stored message is not there" })
            logNow("warn", "mail", { unread: name })
            return Effect.fail(unread)
          }
        )
      }
    })
  )
