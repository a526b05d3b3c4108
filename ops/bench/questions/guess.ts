/** Answers without reading: with a value that the question names, or with a likely one. */
import { createHash } from "node:crypto"

export const guess = (prompt: string): string => {
  const draw = createHash("sha256").update(prompt).digest().readUInt32BE(0)
  if (/am or pm/.test(prompt)) return "1:30 pm"
  if (/HH:MM/.test(prompt)) return "13:30"
  const list = /((?:\p{L}+, ){4,}\p{L}+)/u.exec(prompt)?.[1]?.split(", ") ?? []
  const numbers = prompt.match(/\b\d+\b/g) ?? ["50"]
  const candidates =
    /word only|that word|bare word|only the word|that and nothing/.test(prompt) && list.length > 0 ? list : numbers
  return candidates[draw % candidates.length] ?? "50"
}
