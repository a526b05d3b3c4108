/** Texts of agents as parts of an XML document. */
import { escape } from "../kit/html.ts"

/** Characters that XML 1.0 cannot hold, escaped or not (2.2). */
const NOT_IN_XML = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu

/**
 * As the content of an element or a quoted attribute. Characters that XML cannot hold become U+FFFD. A carriage return
 * is written as a reference, since a parser would make a line feed of it.
 */
export const xml = (text: string): string =>
  escape(text.toWellFormed().replaceAll(NOT_IN_XML, "\ufffd")).replaceAll("\r", "&#13;")
