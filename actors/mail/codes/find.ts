/**
 * Finds the codes and links of a message with which its reader can sign in. Pure; the work is proportional to the
 * length of the message.
 */
import { codesIn } from "./codes.ts"
import type { FoundCodes, Readable } from "./found.ts"
import { pageOf } from "./html.ts"
import { linesOfText } from "./lines.ts"
import { linksIn } from "./links.ts"

/** The most characters that are read of the text and of the HTML. Stored messages are not longer. */
const PART_MAX_CHARS = 262_144
const SUBJECT_MAX_CHARS = 1000

export const findIn = ({ subject, text, html }: Readable): FoundCodes => {
  const title = linesOfText(subject.slice(0, SUBJECT_MAX_CHARS))
  const plain = linesOfText(text.slice(0, PART_MAX_CHARS))
  const { lines, anchors } = pageOf((html ?? "").slice(0, PART_MAX_CHARS))
  return { codes: codesIn(title, [plain, lines]), links: linksIn(anchors, [lines, plain]) }
}
