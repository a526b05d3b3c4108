/**
 * Pages are written as tagged templates: html`<p>${text}</p>`.
 *
 * Values are text and are escaped, in an element as well as in a quoted attribute. Only the result of another template,
 * or of `markup`, is inserted as it is. Attributes must be quoted, because without quotes a space would end the value.
 * A template with an unquoted attribute throws at each use, whatever the values are.
 */
export class Html {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

export type Piece = Html | string | number | null | ReadonlyArray<Piece>

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;"
}

export const escape = (text: string): string => text.replace(/[&<>"']/g, (char) => ENTITIES[char] ?? char)

const CHARS = new Map(Object.entries(ENTITIES).map(([char, entity]) => [entity, char]))

export const unescaped = (text: string): string =>
  text.replaceAll(/&(?:amp|lt|gt|quot|#39);/g, (entity) => CHARS.get(entity) ?? entity)

/** Marks text as markup, which is inserted unescaped. It must be safe. */
export const markup = (text: string): Html => new Html(text)

export const NOTHING = markup("")

const written = (piece: Piece): string => {
  if (piece === null) return ""
  if (piece instanceof Html) return piece.text
  if (typeof piece === "object") return piece.map(written).join("")
  return escape(String(piece))
}

export const html = (parts: TemplateStringsArray, ...pieces: ReadonlyArray<Piece>): Html => {
  let text = parts[0] ?? ""
  for (const [index, piece] of pieces.entries()) {
    // Only the template's own text counts: a stranger's text may end with "=".
    if (parts[index]?.endsWith("=")) throw new Error(`An attribute without quotes: ${parts[index]?.slice(-40)}`)
    text += written(piece) + (parts[index + 1] ?? "")
  }
  return markup(text)
}
