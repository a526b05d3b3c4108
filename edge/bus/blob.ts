/**
 * Answers with bytes that a user uploaded: conditions, ranges, and headers that keep browsers from running them (spec
 * 4.9).
 *
 * Invariants
 *  - The bytes are hostile input. The type that their author declared is not used. They are sent as
 *    `application/octet-stream`, or as JSON if they were parsed as JSON. They are sent with `nosniff`, as an
 *    attachment, in a sandbox that allows nothing. A range can begin anywhere, so even a harmless file could be read as
 *    another type.
 *  - The entity tag is the hash of the bytes, so equal tags always mean equal bytes.
 */
import { Effect } from "effect"
import type { BlobRef } from "../../schemas/blob/operations.ts"
import { refusal } from "../../schemas/errors.ts"
import type { Blobs } from "./blobs.ts"
import type { Call } from "../http/call.ts"
import { matchesTag } from "../http/documents.ts"
import { rangeOf } from "../http/range.ts"
import { type Refused, refuse } from "../http/refused.ts"
import { empty, type Response } from "../http/respond.ts"

const beyond = (size: number) =>
  refuse(refusal("range_not_satisfiable", `There are ${size} bytes, and the range begins behind them.`, { size }))

const HOSTILE_HEADERS = {
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'; sandbox",
  "cross-origin-resource-policy": "cross-origin",
  "accept-ranges": "bytes",
  // The file may be deleted or replaced at any time, so a cache must revalidate its copy.
  "cache-control": "private, no-cache"
} as const

export interface Served {
  readonly type: "application/octet-stream" | "application/json"
  readonly disposition: string
  readonly headers?: Readonly<Record<string, string>>
}

export const serveBlob = (
  call: Call,
  blobs: Blobs,
  ref: BlobRef,
  { type, disposition, headers = {} }: Served
): Effect.Effect<Response, Refused> =>
  Effect.gen(function* () {
    const { sha256, size } = ref
    const etag = `"${sha256}"`
    const shared = { ...HOSTILE_HEADERS, etag, "content-disposition": disposition, "x-hub-sha256": sha256, ...headers }
    if (matchesTag(call.header("if-none-match"), etag)) return { ...empty(304), headers: shared }
    const range = wantsRange(call, etag) ? rangeOf(call.header("range"), size) : ({ kind: "whole" } as const)
    if (range.kind === "beyond") {
      Object.assign(call.headers, { etag, "content-range": `bytes */${size}` })
      return yield* beyond(size)
    }
    const span = range.kind === "part" ? range.span : { from: 0, to: size - 1 }
    const { from, to } = span
    return {
      status: range.kind === "part" ? 206 : 200,
      headers: {
        ...shared,
        "content-type": type,
        "content-length": String(to - from + 1),
        ...(range.kind === "part" ? { "content-range": `bytes ${from}-${to}/${size}` } : {})
      },
      body: call.method === "HEAD" ? null : yield* blobs.open(call, ref, span)
    }
  })

/** A range applies to GET only. With `If-Range` it applies only while the bytes are unchanged. */
const wantsRange = (call: Call, etag: string): boolean => {
  const condition = call.header("if-range")
  return call.method === "GET" && (condition === undefined || condition.trim() === etag)
}

const ASCII_NAME = /[^\x20-\x7e]|["\\%]/gu
/** Characters that encodeURIComponent leaves and RFC 8187 wants encoded. */
const ENCODED = /[!'()*]/g

/**
 * The header that makes a browser save the file under this name and never show it (RFC 6266). It has the name in ASCII
 * for old clients, and in UTF-8.
 */
export const attachment = (filename: string): string => {
  const plain = filename.replaceAll(ASCII_NAME, "_")
  const whole = encodeURIComponent(filename).replaceAll(
    ENCODED,
    (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`
  )
  return `attachment; filename="${plain}"; filename*=UTF-8''${whole}`
}
