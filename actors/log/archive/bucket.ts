/**
 * The archive's objects in a bucket of S3, or of a store with the same protocol. Credentials come from the environment.
 */
import {
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client
} from "@aws-sdk/client-s3"
import type { ArchiveSettings } from "../../../schemas/archive/settings.ts"
import type { Objects } from "./objects.ts"

const REQUEST_MS = 60_000
const TRIES = 4

type Bucket = Extract<ArchiveSettings, { readonly type: "bucket" }>

export const bucketOf = ({ bucket, prefix, region }: Bucket): Objects => {
  const client = new S3Client({ region, maxAttempts: TRIES, followRegionRedirects: false, forcePathStyle: true })
  const path = prefix === "" ? "" : `${prefix}/`
  const keyOf = (name: string) => ({ Bucket: bucket, Key: `${path}${name}` })
  const within = () => ({ abortSignal: AbortSignal.timeout(REQUEST_MS) })
  return {
    place: `s3://${bucket}${prefix === "" ? "" : `/${prefix}`}`,
    put: async (name, bytes) => {
      await client.send(new PutObjectCommand({ ...keyOf(name), Body: bytes, ChecksumAlgorithm: "SHA256" }), within())
    },
    open: async (name) => {
      const { ContentLength = 0 } = await client.send(new HeadObjectCommand(keyOf(name)), within())
      return {
        bytes: ContentLength,
        read: async (offset, bytes) => {
          const Range = `bytes=${offset}-${offset + bytes - 1}`
          const { Body } = await client.send(new GetObjectCommand({ ...keyOf(name), Range }), within())
          return Buffer.from((await Body?.transformToByteArray()) ?? [])
        }
      }
    },
    list: async (start) => {
      const { Contents = [] } = await client.send(
        new ListObjectsV2Command({ Bucket: bucket, Prefix: `${path}${start}` }),
        within()
      )
      return Contents.flatMap(({ Key }) => (Key === undefined ? [] : [Key.slice(path.length)]))
    },
    remove: async (name) => void (await client.send(new DeleteObjectCommand(keyOf(name)), within()))
  }
}
