/** Lengths in code points, as limits of texts count them. The work is bounded by the limit, however long the text is. */

/** The number of code points, or `max` + 1 if there are more. */
export const codePointsUpTo = (text: string, max: number): number => {
  let count = 0
  for (const _ of text) if (++count > max) break
  return count
}

export const isLongerThan = (text: string, max: number): boolean => text.length > max && codePointsUpTo(text, max) > max
