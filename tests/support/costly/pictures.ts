/** Pictures of 20,000 by 20,000 pixels that would take 400 MB when decoded. They are refused by their headers. */
import { Effect } from "effect"
import { imageBytes, Images } from "../../../edge/captcha/images.ts"
import { machineClock } from "../../../schemas/runtime/clock.ts"
import type { Costly } from "../cost.ts"
import { blackPng } from "../pictures.ts"

const CLIENT = { client: "0123456789abcdef", wide: null, clock: machineClock, deadline: Number.POSITIVE_INFINITY }
const REFUSALS = 10

const bomb = (name: string, interlaced: boolean): Costly => ({
  name,
  length: 20_000,
  prepare: (side) => {
    const images = new Images({ atOnce: 2, waiting: 16 })
    const text = blackPng(side, side, interlaced).toString("base64")
    const taking = Effect.suspend(() => Effect.flatMap(imageBytes(text), (bytes) => images.renewed(CLIENT, bytes)))
    const refusal = Effect.flip(taking)
    return async () => {
      for (let n = 0; n < REFUSALS; n++) await Effect.runPromise(refusal)
    }
  }
})

/** Ten refusals each. The length is that of a side; with half of it there are still too many pixels. */
export const BOMBS = {
  plain: bomb("a bomb", false),
  interlaced: bomb("an interlaced bomb", true)
} as const
