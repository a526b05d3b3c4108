/** The code in the library's entries. */
import type { EntryGiven } from "../../schemas/library/fields.ts"

export interface Block {
  readonly language: string
  /** What it is to be saved as; `null` where it is nothing to be saved. */
  readonly name: string | null
  readonly text: string
}

const BLOCK = /^```(\w+)(?: (\S+))?\n([\s\S]*?)^```$/gm

export const blocksOf = ({ body }: Pick<EntryGiven, "body">): ReadonlyArray<Block> =>
  [...body.matchAll(BLOCK)].map(([, language = "", name = null, text = ""]) => ({ language, name, text }))
