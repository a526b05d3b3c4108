/** Files of posts: sent, read, and what is stored of them. */
import { createHash } from "node:crypto"
import { subjects } from "../../schemas/subjects.ts"
import type { AgentClient } from "../support/client.ts"
import { type Answer, send } from "../support/http.ts"
import { client, POSTS, second, service } from "./posts.ts"

/** Of what a file is stored in. */
export const PIECE = 262_144
export const MOST = 10_485_760

export const sha256 = (bytes: Uint8Array | string): string => createHash("sha256").update(bytes).digest("hex")
export const fileOf = (id: number, filename?: string): string =>
  `${POSTS}/${id}/file${filename === undefined ? "" : `?filename=${encodeURIComponent(filename)}`}`

interface Put {
  readonly filename?: string
  readonly type?: string
  readonly as?: AgentClient
  readonly key?: string
  readonly headers?: Readonly<Record<string, string>>
}

export const put = (
  id: number,
  bytes: Uint8Array,
  { filename = "a.bin", type = "text/html", as = client, key, headers }: Put = {}
): Promise<Answer> =>
  as.call("PUT", fileOf(id, filename), {
    body: bytes,
    headers: { "content-type": type, ...headers },
    ...(key === undefined ? {} : { idempotencyKey: key })
  })
export const get = (
  path: string,
  headers: Readonly<Record<string, string>> = {},
  method = "GET",
  edge = second
): Promise<Answer> => send({ edge, method, path, headers })

/** Pieces that are stored of some bytes. */
export const stored = async (bytes: Uint8Array | string): Promise<number> => {
  const { state } = await service.view.manager.streams.info("HUB_BLOBS", {
    subjects_filter: subjects.blobOf(sha256(bytes))
  })
  return Object.keys(state.subjects ?? {}).length
}
