/** Answers that are the same for all clients until the service restarts: bytes, an entity tag, and 304. */
import { tagsIn } from "./entity-tags.ts"
import { createHash } from "node:crypto"
import type { Call } from "./call.ts"
import { empty, plain, type Response } from "./respond.ts"

export interface Document {
  readonly text: string
  readonly contentType: string
  readonly etag: string
  readonly headers: Readonly<Record<string, string>>
}

/**
 * An image that is opened in its own tab is a document. These headers forbid it to run scripts and to load anything.
 */
export const IMAGE_HEADERS = { "content-security-policy": "default-src 'none'; frame-ancestors 'none'; sandbox" }

/** A strong entity tag, made from the bytes. */
export const entityTag = (bytes: string | Uint8Array): string =>
  `"${createHash("sha256").update(bytes).digest("base64url").slice(0, 22)}"`

export const documentOf = (
  text: string,
  contentType: string,
  headers: Readonly<Record<string, string>> = {}
): Document => ({
  text,
  contentType,
  etag: entityTag(text),
  headers
})

export const serveDocument = (call: Call, document: Document): Response => {
  Object.assign(call.headers, document.headers, { etag: document.etag })
  return matchesTag(call.header("if-none-match"), document.etag)
    ? empty(304)
    : plain(document.text, document.contentType)
}

export const matchesTag = (header: string | undefined, etag: string): boolean =>
  header !== undefined && tagsIn(header).some((tag) => tag === "*" || tag.replace(/^W\//, "") === etag)
