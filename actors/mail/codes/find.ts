/** What of a message lets somebody in: its codes and its links. Pure; the work is in proportion to the message. */
import { codesIn } from "./codes.ts"
import type { Found, Readable } from "./found.ts"
import { pageOf } from "./html.ts"
import { linesOfText } from "./lines.ts"
import { linksIn } from "./links.ts"

/** Of text, and of HTML: more is not kept of a message anyway. */
const PART_MAX_CHARS = 262_144
const SUBJECT_MAX_CHARS = 1000

export const findIn = ({ subject, text, html }: Readable): Found => {
  const title = linesOfText(subject.slice(0, SUBJECT_MAX_CHARS))
  const plain = linesOfText(text.slice(0, PART_MAX_CHARS))
  const { lines, anchors } = pageOf((html ?? "").slice(0, PART_MAX_CHARS))
  return { codes: codesIn(title, [plain, lines]), links: linksIn(anchors, [lines, plain]) }
}
