/** Texts of 900 KB that are most costly to search for secrets, one at a time and fourteen at once. */
import { Effect } from "effect"
import { withoutSecrets } from "../../../edge/content/secrets.ts"
import { turns } from "../../../edge/http/turns.ts"
import type { Costly } from "../cost.ts"
import { SeededRandom } from "../seed.ts"

const LENGTH = 900_000
const AT_ONCE = 14
const WORD_CHARS = 43
const BASE64_URL = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"

const again = (text: string, length: number): string => text.repeat(Math.ceil(length / text.length)).slice(0, length)

const random = new SeededRandom(11)
const word = (): string => Array.from({ length: WORD_CHARS }, () => random.pick([...BASE64_URL])).join("")
const WORDS = Array.from({ length: 400 }, word).join(" ")

const search = (text: string, client: string): Promise<void> =>
  Effect.runPromise(withoutSecrets([{ field: "data", text }], { publicKey: new Uint8Array(32) }, turns.next(client)))

const searching = (name: string, piece: string): Costly => ({
  name,
  length: LENGTH,
  prepare: (length) => {
    const text = again(piece, length)
    return () => search(text, "one")
  }
})

export const SECRETS: ReadonlyArray<Costly> = [
  searching("words", "lorem ipsum dolor "),
  searching("escaped marks", "\\_"),
  searching("words that may be seeds", `${WORDS} `),
  searching("one word that may be a seed", `${word()} `),
  searching("words of many parts", `${again("a-", 4_090)} `),
  {
    name: "fourteen texts of fourteen clients",
    length: LENGTH,
    prepare: (length) => {
      const text = again(`${word()} `, length)
      return () => Promise.all(Array.from({ length: AT_ONCE }, (_, n) => search(text, `client ${n}`)))
    }
  }
]
