/** The rules for archives, and the messages for an owner whose archive breaks one. */
import { type Refusal, refusal } from "../../schemas/errors.ts"

export type ArchiveRule =
  | "format"
  | "empty"
  | "absolute_path"
  | "dot_dot"
  | "name"
  | "link_outside"
  | "through_link"
  | "links_work"
  | "device"
  | "type"
  | "sparse"
  | "global_header"
  | "extended_headers"
  | "extended_header_bytes"
  | "extended_header_records"
  | "entries_max"
  | "unpacked_max"

const SAYS: Readonly<Record<ArchiveRule, string>> = {
  format: "The body must be a gzipped tar archive",
  empty: "The archive holds nothing",
  absolute_path: "An entry has an absolute path",
  dot_dot: "An entry's path holds `..`",
  name: "An entry's name or a link's target is too long or too deep, or a name holds control characters",
  link_outside: "A link leads out of the folder",
  through_link: "An entry lies behind a link of the archive",
  links_work: "The archive's links lead through too many others",
  device: "The archive holds a device, a pipe or a socket",
  type: "The archive holds an entry that is neither file nor folder nor link",
  sparse: "The archive holds a sparse file",
  global_header: "A global header must be the first and only one, and hold a comment alone",
  extended_headers: "An entry has too many extended headers",
  extended_header_bytes: "An extended header is too large",
  extended_header_records: "An extended header has too many records",
  entries_max: "The archive has too many entries",
  unpacked_max: "The archive is too large once it is unpacked"
}

const SHOWN_MAX_CHARS = 200

/** Makes a hostile name safe to print: no character in it controls a terminal or changes the direction of text. */
const quotedName = (name: string): string =>
  [...name.slice(0, 2 * SHOWN_MAX_CHARS).replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu, "")]
    .slice(0, SHOWN_MAX_CHARS)
    .join("")

interface Where {
  readonly entry?: string | undefined
  readonly max?: number
}

export class Broken extends Error {
  readonly rule: ArchiveRule
  readonly where: Where

  constructor(rule: ArchiveRule, where: Where = {}) {
    super(rule)
    this.rule = rule
    this.where = where
  }

  get refusal(): Refusal {
    const { entry, max } = this.where
    const name = entry === undefined ? "" : quotedName(entry)
    const says = max === undefined ? SAYS[this.rule] : `${SAYS[this.rule]} (at most ${max})`
    return refusal("archive_invalid", name === "" ? `${says}.` : `${says}: ${name}`, {
      field: "body",
      rule: this.rule,
      ...(name === "" ? {} : { entry: name }),
      ...(max === undefined ? {} : { max })
    })
  }
}
