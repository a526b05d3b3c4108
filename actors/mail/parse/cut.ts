export interface Cut {
  readonly text: string
  /** True if the end was cut off. */
  readonly cut: boolean
}

/** Cuts to a number of UTF-8 bytes, never within a character. */
export const cutTo = (text: string, maxBytes: number): Cut => {
  if (text.length * 3 <= maxBytes || Buffer.byteLength(text) <= maxBytes) return { text, cut: false }
  const bytes = Buffer.from(text.slice(0, maxBytes)).subarray(0, maxBytes)
  return { text: new TextDecoder().decode(bytes, { stream: true }), cut: true }
}
