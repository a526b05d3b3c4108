/**
 * Converts HTML to the lines that a reader sees, the hidden lines, and the links. Only the tokenizer of `htmlparser2`
 * is used, because its parser takes quadratic time in the depth.
 *
 * Invariant: the work is proportional to the text, whatever its content. No more than OPEN_MAX elements are kept open,
 * and elements below that depth have the style of the last one.
 */
import { Tokenizer, type TokenizerCallbacks } from "htmlparser2"
import { cleaned, type Emphasis, joinedLines, type Line } from "./lines.ts"
import { addRules, type Attributes, isAbsent, isUnseen, PLAIN, type Sheet, type Style, styleOf } from "./style.ts"

export interface Anchor {
  readonly href: string
  /** The text of the link, or the alternative text of its picture. */
  readonly text: string
  /** Text before and after the link in the same line. */
  readonly before: string
  readonly after: string
  /** The line above. */
  readonly above: string
}

export interface Page {
  readonly lines: ReadonlyArray<Line>
  readonly anchors: ReadonlyArray<Anchor>
}

const OPEN_MAX = 256
const ATTRIBUTES_MAX = 40
const ANCHORS_MAX = 1000
const CSS_MAX_CHARS = 65_536
const SHOWN_MAX_CHARS = 300
const AROUND_MAX_CHARS = 240

const names = (text: string): ReadonlySet<string> => new Set(text.split(" "))

const VOID = names("area base basefont br col embed frame hr img input link meta param source track wbr")
const BLOCKS = names(
  "address article aside blockquote body center dd details div dl dt fieldset figure footer form h1 h2 h3 h4 h5 h6 header hr li main nav ol p pre section table tbody tfoot thead tr ul br caption summary"
)
const CELLS = names("td th")
/** Elements whose text does not belong to the message. */
const MUTE = names("script style title template textarea select object iframe audio video")
const IMPLIED: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ["tr", names("tr td th p li")],
  ["td", names("td th p li")],
  ["th", names("td th p li")],
  ["li", names("li p")],
  ["dd", names("dd dt")],
  ["dt", names("dd dt")],
  ["body", names("head")],
  ...[...BLOCKS]
    .filter((name) => !["br", "tr", "li", "dd", "dt", "body"].includes(name))
    .map((name) => [name, names("p")] as const)
])

interface Open {
  readonly name: string
  readonly style: Style
  readonly mute: boolean
  /** True if line breaks of the source are shown. */
  readonly pre: boolean
}

class Writer {
  readonly lines: Array<Line> = []
  text = ""
  private parts: Array<string> = []
  private emphases: Array<Emphasis> = []
  private chars = 0
  private readonly hidden: boolean

  constructor(hidden: boolean) {
    this.hidden = hidden
  }

  get length(): number {
    return this.chars
  }

  add(text: string, level: 0 | 1 | 2): void {
    const flat = this.chars === 0 ? text.trimStart() : text
    if (flat === "") return
    const last = this.emphases.at(-1)
    if (level !== 0 && flat.trim() !== "") {
      if (last?.to === this.chars && last.level === level)
        this.emphases[this.emphases.length - 1] = { ...last, to: this.chars + flat.length }
      else this.emphases.push({ from: this.chars, to: this.chars + flat.length, level })
    }
    this.parts.push(flat)
    this.chars += flat.length
  }

  /** Ends the line. Returns true if it had text. */
  end(): boolean {
    const text = this.parts.join("")
    const some = text.trim() !== ""
    if (some) this.lines.push({ text: text.trimEnd(), emphases: this.emphases, hidden: this.hidden })
    this.parts = []
    this.emphases = []
    this.chars = 0
    return some
  }
}

interface Link {
  readonly href: string
  readonly line: number
  readonly from: number
  to: number
  shown: string
  alt: string
}

class Reader implements TokenizerCallbacks {
  readonly seen = new Writer(false)
  readonly unseen = new Writer(true)
  readonly links: Array<Link> = []
  /** Ranges of the source whose text no reader sees, in order. */
  readonly absent: Array<readonly [from: number, to: number]> = []
  private readonly html: string
  private readonly sheet: Sheet = new Map()
  private css = 0
  private readonly open: Array<Open> = []
  private deeper = 0
  private link: Link | null = null
  private name = ""
  private attribute = ""
  private value = ""
  private attributes: Record<string, string> = {}
  private count = 0

  constructor(html: string) {
    this.html = html
  }

  private get top(): Open {
    return this.open.at(-1) ?? { name: "", style: PLAIN, mute: false, pre: false }
  }

  ontext(from: number, to: number): void {
    const text = this.html.slice(from, to)
    if (this.top.mute) {
      if (this.top.name === "style" && this.css < CSS_MAX_CHARS) addRules(this.sheet, text.slice(0, CSS_MAX_CHARS))
      this.css += text.length
      return
    }
    if (isAbsent(this.top.style)) this.absent.push([from, to])
    this.write(text)
  }

  ontextentity(point: number, to: number): void {
    if (this.top.mute) return
    if (isAbsent(this.top.style)) this.absent.push([this.html.lastIndexOf("&", to - 1), to])
    this.write(String.fromCodePoint(point))
  }

  private write(text: string): void {
    const { style, pre } = this.top
    if (pre && text.includes("\n")) {
      for (const [index, line] of text.split("\n").entries()) {
        if (index > 0) this.break()
        this.put(line, style)
      }
    } else this.put(text, style)
  }

  private put(text: string, style: Style): void {
    const flat = cleaned(text).replace(/[ \t\r\n\f\v]+/g, " ")
    const writer = isUnseen(style) ? this.unseen : this.seen
    writer.add(flat, style.level)
    if (this.link !== null && this.link.shown.length < SHOWN_MAX_CHARS) this.link.shown += flat
  }

  private break(): void {
    this.seen.end()
    this.unseen.end()
  }

  onopentagname(from: number, to: number): void {
    this.name = this.html.slice(from, to).toLowerCase()
    this.attributes = {}
    this.count = 0
  }

  onattribname(from: number, to: number): void {
    this.attribute = this.html.slice(from, to).toLowerCase()
    this.value = ""
  }

  onattribdata(from: number, to: number): void {
    this.value += this.html.slice(from, to)
  }

  onattribentity(point: number): void {
    this.value += String.fromCodePoint(point)
  }

  onattribend(): void {
    if (
      ++this.count <= ATTRIBUTES_MAX &&
      !Object.hasOwn(this.attributes, this.attribute) &&
      this.attribute !== "__proto__"
    )
      this.attributes[this.attribute] = this.value
  }

  onselfclosingtag(): void {
    this.onopentagend()
  }

  onopentagend(): void {
    const { name, attributes } = this
    const implied = IMPLIED.get(name)
    while (this.deeper === 0 && implied?.has(this.top.name) === true) this.open.pop()
    if (BLOCKS.has(name)) this.break()
    else if (CELLS.has(name)) this.cell()
    if (name === "a") this.openLink(attributes)
    if (name === "img" && this.link !== null && this.link.alt === "")
      this.link.alt = cleaned(attributes["alt"] ?? "").slice(0, SHOWN_MAX_CHARS)
    if (VOID.has(name)) return
    if (this.open.length >= OPEN_MAX) {
      this.deeper++
      return
    }
    const { style, mute, pre } = this.top
    this.open.push({
      name,
      style: styleOf(name, attributes, style, this.sheet),
      mute: mute || MUTE.has(name),
      pre: pre || name === "pre"
    })
  }

  private cell(): void {
    if (this.seen.length > 0) this.seen.add("\t", 0)
    if (this.unseen.length > 0) this.unseen.add("\t", 0)
  }

  private openLink(attributes: Attributes): void {
    this.closeLink()
    const href = unfolded(attributes["href"])
    const gone = this.top.style.gone || styleOf("a", attributes, this.top.style, this.sheet).gone
    if (href === undefined || gone || this.top.mute || this.links.length >= ANCHORS_MAX) return
    const from = this.seen.length
    this.link = { href, line: this.seen.lines.length, from, to: from, shown: "", alt: "" }
    this.links.push(this.link)
  }

  private closeLink(): void {
    if (this.link === null) return
    this.link.to = this.link.line === this.seen.lines.length ? this.seen.length : Number.MAX_SAFE_INTEGER
    this.link = null
  }

  onclosetag(from: number, to: number): void {
    const name = this.html.slice(from, to).toLowerCase()
    if (name === "a") this.closeLink()
    if (BLOCKS.has(name)) this.break()
    if (this.deeper > 0) {
      this.deeper--
      return
    }
    const at = this.open.findLastIndex((one) => one.name === name)
    if (at >= 0) this.open.length = at
  }

  onend(): void {
    this.closeLink()
    this.break()
  }

  oncdata(): void {}
  oncomment(): void {}
  ondeclaration(): void {}
  onprocessinginstruction(): void {}
}

/** An address as a relaxed signature covers it: without line ends, and runs of blanks as one. */
const unfolded = (href: string | undefined): string | undefined =>
  href
    ?.split("\n")
    .map((line) => line.trim())
    .join("")
    .replace(/[ \t]+/g, " ")

const anchorOf = ({ href, line, from, to, shown, alt }: Link, lines: ReadonlyArray<Line>): Anchor => {
  const text = lines[line]?.text ?? ""
  const own = shown.replace(/ {2,}/g, " ").trim()
  return {
    href,
    text: (own === "" ? alt : own).slice(0, SHOWN_MAX_CHARS),
    before: text.slice(Math.max(0, from - AROUND_MAX_CHARS), from),
    after: text.slice(to, to + AROUND_MAX_CHARS),
    above: lines[line - 1]?.text.slice(-AROUND_MAX_CHARS) ?? ""
  }
}

const readerOf = (html: string): Reader => {
  const reader = new Reader(html)
  const tokenizer = new Tokenizer({ decodeEntities: true }, reader)
  tokenizer.write(html)
  tokenizer.end()
  return reader
}

export const withoutAbsent = (html: string): string => {
  const parts: Array<string> = []
  let at = 0
  for (const [from, to] of readerOf(html).absent) {
    parts.push(html.slice(at, from))
    at = to
  }
  return [...parts, html.slice(at)].join("")
}

export const pageOf = (html: string): Page => {
  const reader = readerOf(html)
  const seen = reader.seen.lines
  return {
    lines: [...joinedLines(seen), ...joinedLines(reader.unseen.lines)],
    anchors: reader.links.map((link) => anchorOf(link, seen))
  }
}
