/** The most bytes that a request's body may have (contract 21). */
import type { Limits } from "./limits.ts"

/**
 * The kinds of bodies (see `describe`). `plain` has only short fields. `text` also has a long text. `upload` also has
 * data. `file` is only a file. `notice` is a notice of the mail provider.
 */
export type BodyKind = "plain" | "text" | "upload" | "file" | "notice"

const CEILING_OF = {
  plain: "max_plain_request_bytes",
  text: "max_text_request_bytes",
  upload: "max_request_bytes",
  file: "max_upload_bytes"
} as const

export const bodyCeiling = ({ limits, service }: Limits, kind: BodyKind): number =>
  kind === "notice" ? service.mail.notice_max_bytes : limits[CEILING_OF[kind]]
