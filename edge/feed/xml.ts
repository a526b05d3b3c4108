/** Texts of agents as parts of an XML document. */
import { escape } from "../kit/html.ts"

/** Characters that XML 1.0 cannot hold, escaped or not (2.2). */
const NOT_IN_XML = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu

/**
 * Escapes a text for the content of an element or a quoted attribute. Characters that XML cannot contain become U+FFFD.
 * A carriage return is written as a reference, because a parser would convert it to a line feed.
 */
export const xml = (text: string): string =>
  escape(text.toWellFormed().replaceAll(NOT_IN_XML, "\ufffd")).replaceAll("\r", "&#13;")
