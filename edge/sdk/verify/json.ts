/** A JSON parser that reads a document as it arrives. */
import { BOUNDS } from "./bounds.ts"
import { latin } from "./bytes.ts"
import { malformed } from "./malformed.ts"

/** Receives the parts of a JSON document in order. `length` is -1 for text that is too long or not ASCII. */
export interface JsonSink {
  /** Return `false` to skip the member: nothing of its value is reported. */
  key(bytes: Uint8Array, length: number): boolean
  text(bytes: Uint8Array, length: number): void
  number(value: number): void
  literal(value: boolean | null): void
  open(array: boolean): void
  close(): void
}

const VALUE = 0
const VALUE_OR_END = 1
const KEY = 2
const KEY_OR_END = 3
const COLON = 4
const AFTER = 5
const DONE = 6
const TEXT = 7
const ESCAPE = 8
const UNICODE = 9
const DIGITS = 10
const WORD = 11

const NUMBER_CHARS_MAX = 40
const JSON_NUMBER = /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?$/
const ESCAPES: Readonly<Record<string, number>> = { '"': 34, "\\": 92, "/": 47, b: 8, f: 12, n: 10, r: 13, t: 9 }

/** A strict parser that holds one short text at a time and can continue at any byte. */
export class JsonReader {
  private state = VALUE
  private depth = 0
  private readonly arrays: Array<boolean> = []
  private readonly bytes = new Uint8Array(BOUNDS.urlChars)
  private length = 0
  private isKey = false
  /** The depth of the object whose member is being skipped; -1 if none is. */
  private skipAt = -1
  private unicode = 0
  private unicodeLeft = 0
  private word = ""
  private wordAt = 0
  private readonly sink: JsonSink

  constructor(sink: JsonSink) {
    this.sink = sink
  }

  push(chunk: Uint8Array): void {
    const end = chunk.length
    for (let at = 0; at < end;) {
      if (this.state === TEXT) at = this.readText(chunk, at, end)
      else if (this.state === DIGITS) at = this.readDigits(chunk, at, end)
      else {
        const byte = chunk[at++] as number
        if (this.state === ESCAPE) this.escape(byte)
        else if (this.state === UNICODE) this.readUnicode(byte)
        else if (this.state === WORD) this.readWord(byte)
        else if (byte !== 32 && byte !== 10 && byte !== 13 && byte !== 9) this.structure(byte)
      }
    }
  }

  end(): void {
    if (this.state !== DONE) throw malformed("it breaks off")
  }

  private structure(byte: number): void {
    switch (this.state) {
      case VALUE_OR_END:
        return byte === 93 ? this.close(true) : this.begin(byte)
      case VALUE:
        return this.begin(byte)
      case KEY_OR_END:
        if (byte === 125) return this.close(false)
        return this.beginKey(byte)
      case KEY:
        return this.beginKey(byte)
      case COLON:
        if (byte !== 58) throw malformed("a colon is missing")
        this.state = VALUE
        return
      case AFTER:
        if (byte === 44) this.state = this.arrays[this.depth - 1] === true ? VALUE : KEY
        else if (byte === 125 || byte === 93) this.close(byte === 93)
        else throw malformed("a comma is missing")
        return
      default:
        throw malformed("something follows its end")
    }
  }

  private beginKey(byte: number): void {
    if (byte !== 34) throw malformed("a name is missing")
    this.isKey = true
    this.beginText()
  }

  private beginText(): void {
    this.length = 0
    this.state = TEXT
  }

  private begin(byte: number): void {
    if (byte === 34) {
      this.isKey = false
      this.beginText()
    } else if (byte === 123 || byte === 91) this.open(byte === 91)
    else if (byte === 45 || (byte >= 48 && byte <= 57)) {
      this.length = 0
      this.append(byte)
      this.state = DIGITS
    } else {
      this.word = byte === 116 ? "true" : byte === 102 ? "false" : byte === 110 ? "null" : ""
      if (this.word === "") throw malformed("a value is missing")
      this.wordAt = 1
      this.state = WORD
    }
  }

  private open(array: boolean): void {
    if (this.depth >= BOUNDS.jsonDepth) throw malformed("it is nested too deeply")
    if (this.skipAt === -1) this.sink.open(array)
    this.arrays[this.depth++] = array
    this.state = array ? VALUE_OR_END : KEY_OR_END
  }

  private close(array: boolean): void {
    if (this.arrays[this.depth - 1] !== array) throw malformed("brackets do not match")
    this.depth--
    if (this.skipAt === -1) this.sink.close()
    this.done()
  }

  /** Called at the end of each value. */
  private done(): void {
    if (this.skipAt === this.depth) this.skipAt = -1
    this.state = this.depth === 0 ? DONE : AFTER
  }

  private append(byte: number): void {
    if (this.length === -1) return
    if (this.length === BOUNDS.urlChars) this.length = -1
    else this.bytes[this.length++] = byte
  }

  private readText(chunk: Uint8Array, from: number, end: number): number {
    const capturing = this.skipAt === -1
    const { bytes } = this
    let { length } = this
    let at = from
    for (; at < end; at++) {
      const byte = chunk[at] as number
      if (byte === 34 || byte === 92) break
      if (byte < 32) throw malformed("a control character stands in a text")
      if (!capturing || length === -1) continue
      if (byte > 126 || length === BOUNDS.urlChars) length = -1
      else bytes[length++] = byte
    }
    this.length = length
    if (at === end) return at
    if (chunk[at] === 92) this.state = ESCAPE
    else this.endText()
    return at + 1
  }

  private endText(): void {
    if (!this.isKey) {
      if (this.skipAt === -1) this.sink.text(this.bytes, this.length)
      return this.done()
    }
    if (this.skipAt === -1 && !this.sink.key(this.bytes, this.length)) this.skipAt = this.depth
    this.state = COLON
  }

  private escape(byte: number): void {
    this.state = TEXT
    const letter = String.fromCharCode(byte)
    if (letter === "u") {
      this.unicode = 0
      this.unicodeLeft = 4
      this.state = UNICODE
    } else if (Object.hasOwn(ESCAPES, letter)) this.append(ESCAPES[letter] as number)
    else throw malformed("an escape is none of JSON's")
  }

  private readUnicode(byte: number): void {
    const digit = Number.parseInt(String.fromCharCode(byte), 16)
    if (Number.isNaN(digit)) throw malformed("an escape is none of JSON's")
    this.unicode = this.unicode * 16 + digit
    if (--this.unicodeLeft > 0) return
    if (this.unicode > 126) this.length = -1
    else this.append(this.unicode)
    this.state = TEXT
  }

  private readDigits(chunk: Uint8Array, from: number, end: number): number {
    let at = from
    for (; at < end; at++) {
      const byte = chunk[at] as number
      if ((byte < 48 || byte > 57) && byte !== 46 && byte !== 45 && byte !== 43 && byte !== 69 && byte !== 101) {
        this.endDigits()
        return at
      }
      if (this.length >= NUMBER_CHARS_MAX) throw malformed("a number is too long")
      this.append(byte)
    }
    return at
  }

  private endDigits(): void {
    const digits = latin(this.bytes, 0, this.length)
    if (!JSON_NUMBER.test(digits)) throw malformed("a number is none of JSON's")
    const value = Number(digits)
    if (!Number.isFinite(value)) throw malformed("a number is too large")
    if (this.skipAt === -1) this.sink.number(value)
    this.done()
  }

  private readWord(byte: number): void {
    if (byte !== this.word.charCodeAt(this.wordAt)) throw malformed("a word is none of JSON's")
    if (++this.wordAt < this.word.length) return
    if (this.skipAt === -1) this.sink.literal(this.word === "null" ? null : this.word === "true")
    this.done()
  }
}
