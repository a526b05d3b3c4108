/** Compares ASCII text in bytes, without making strings. */

export const latin = (bytes: Uint8Array, from: number, to: number): string => {
  let text = ""
  for (let at = from; at < to; at++) text += String.fromCharCode(bytes[at] as number)
  return text
}

const ascii = (text: string): Uint8Array => Uint8Array.from(text, (letter) => letter.charCodeAt(0))

/** True if both are the same up to `length`. The second one is compared from `from` on. */
export const sameUpTo = (one: Uint8Array, length: number, other: Uint8Array, from = 0): boolean => {
  for (let at = 0; at < length; at++) if (one[at] !== other[from + at]) return false
  return true
}

/** The place of a name in a list, or -1. */
export const indexOfName = (names: ReadonlyArray<Uint8Array>, bytes: Uint8Array, length: number): number => {
  for (let index = 0; index < names.length; index++) {
    const name = names[index] as Uint8Array
    if (name.length === length && sameUpTo(name, length, bytes)) return index
  }
  return -1
}

export const names = (...list: ReadonlyArray<string>): ReadonlyArray<Uint8Array> => list.map(ascii)
