/**
 * Compares the files and data that posts name with their hashes. Each must be there completely. A file whose post ends
 * during the check is still there, because files are deleted only long after their last reference.
 */
import { createHash } from "node:crypto"
import type { Msg } from "@nats-io/transport-node"
import { sql } from "kysely"
import { directGet } from "../../actors/log/direct-get.ts"
import { type BlobRef, piecesOf } from "../../schemas/blob/operations.ts"
import { streams, subjects } from "../../schemas/subjects.ts"
import type { Service } from "../cli/connection.ts"
import { NAMED_MAX, type Scope } from "./snapshots.ts"

/** The number of posts that are read at once. */
const PAGE = 500
const READ_TIMEOUT_MS = 30_000

export interface BlobReport {
  readonly checked: number
  readonly differing: number
  /** Descriptions of the first faults by post, at most `NAMED_MAX`. */
  readonly named: ReadonlyArray<string>
}

type Reading = Pick<Service, "nats" | "db">

export const verifyBlobs = async (service: Reading, { sample, signal }: Scope): Promise<BlobReport> => {
  const seen = new Set<string>()
  let differing = 0
  const found: Array<string> = []
  for await (const { post, ref } of named(service)) {
    signal.throwIfAborted()
    if (seen.has(ref.sha256)) continue
    if (sample !== null && seen.size >= sample) break
    seen.add(ref.sha256)
    const fault = await faultOf(service, ref)
    if (fault === null) continue
    differing++
    if (found.length < NAMED_MAX) found.push(`blob ${ref.sha256} of post ${post}: ${fault}`)
  }
  return { checked: seen.size, differing, named: found }
}

interface NamedBlob {
  readonly post: string
  readonly ref: BlobRef
}

async function* named({ db }: Reading): AsyncGenerator<NamedBlob> {
  for (let last = "0"; ;) {
    const { rows } = await sql<{ readonly id: string; readonly file: BlobRef | null; readonly data: BlobRef | null }>`
      select id, file, data from (
        select id, file, data from posts
        union all select h.id, p.file, p.data from hidden_posts h, jsonb_populate_record(null::posts, h.row) p
      ) named where id > ${last} and (file is not null or data is not null)
      order by id limit ${PAGE}`.execute(db)
    for (const { id, file, data } of rows) {
      if (file !== null) yield { post: id, ref: file }
      if (data !== null) yield { post: id, ref: data }
    }
    const end = rows.at(-1)
    if (end === undefined) return
    last = end.id
  }
}

/** Describes the fault of a blob's bytes; `null` if there is none. */
const faultOf = async ({ nats }: Reading, { sha256, size }: BlobRef): Promise<string | null> => {
  const hash = createHash("sha256")
  let bytes = 0
  for (let piece = 0; piece < piecesOf(size); piece++) {
    const found = await pieceOf(nats, sha256, piece)
    if (found === null) return `piece ${piece} is not there`
    hash.update(found)
    bytes += found.length
  }
  if (bytes !== size) return `it has ${bytes} bytes, not ${size}`
  return hash.digest("hex") === sha256 ? null : "its bytes have another hash"
}

const pieceOf = async (nats: Service["nats"], sha256: string, piece: number): Promise<Uint8Array | null> => {
  const request = { seq: 1, next_by_subj: subjects.blob(sha256, String(piece)), batch: 1 }
  const found: Array<Msg> = []
  await directGet(nats, streams.blobs, request, (message) => found.push(message), READ_TIMEOUT_MS)
  return found[0]?.data ?? null
}
