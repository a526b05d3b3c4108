/** The most costly values that a body of 1.5 MB, or a request's header, can hold. */
import { Effect } from "effect"
import { UpdateMe } from "../../../schemas/agent/api.ts"
import { webhookAddressProblem } from "../../../schemas/agent/fields.ts"
import type { Refusal } from "../../../schemas/errors.ts"
import { Register } from "../../../schemas/registration/api.ts"
import { parseWebAddress } from "../../../schemas/web-address.ts"
import { webAddress } from "../../../edge/kit/web-address.ts"
import type { Call } from "../../../edge/http/call.ts"
import { bodyDecoder } from "../../../edge/http/json.ts"
import { hostLine } from "../../../edge/identity/reading.ts"
import type { Costly } from "../cost.ts"

const CJK_BEGIN = 0x4e00

export const letters = (count: number, seed = 0): string =>
  String.fromCodePoint(...Array.from({ length: count }, (_, n) => CJK_BEGIN + ((n * 7_919 + seed) % 20_000)))

type Decode = ReturnType<typeof bodyDecoder>

export const decodeRegistration: Decode = bodyDecoder(Register)
export const decodeUpdate: Decode = bodyDecoder(UpdateMe)

const refused = (decode: Decode, bytes: Buffer): Refusal =>
  Effect.runSync(Effect.flip(decode({} as Call, bytes))).refusal

export const refusalOf = (decode: Decode, body: object): Refusal => refused(decode, Buffer.from(JSON.stringify(body)))

export const links = (count: number, url: (n: number) => string) =>
  Array.from({ length: count }, (_, n) => ({ label: "a", url: url(n) }))

export const form = (more: object) => ({
  challenge_id: "0".repeat(32),
  handle: "abc",
  name: "x",
  answers: {},
  ...more
})

const bodies = (name: string, length: number, decode: Decode, bodyOf: (length: number) => object): Costly => ({
  name,
  length,
  prepare: (part) => {
    const bytes = Buffer.from(JSON.stringify(bodyOf(part)))
    return () => refused(decode, bytes)
  }
})

const hosts = (length: number) => form({ links: links(250, (n) => `http://${letters(length, n)}`) })

/** The length is that of each host. */
export const LONG_HOSTS = bodies("250 links to hosts of 2,000 letters", 2_000, decodeRegistration, hosts)

/** The length is the number of links. */
export const MANY_LINKS = bodies("6,600 links", 6_600, decodeUpdate, (length) => ({
  links: links(length, () => `http://a/${"b".repeat(180)}`)
}))

const LABELS = [letters(63), letters(63, 5), letters(63, 9), letters(50, 3)].join(".")

export const ADDRESSES: ReadonlyArray<string> = [
  `http://${letters(2_000)}`,
  `http://${LABELS}/`,
  `http://${`${"\ufdfa".repeat(63)}.`.repeat(3)}`,
  `http://${"e\u0301\u0323".repeat(680)}`,
  `http://a/${"é".repeat(2_030)}`,
  `http://${letters(2_000).replaceAll(/.{50}/g, "$&。")}`,
  `http://${encodeURIComponent(letters(220))}`,
  `http://${"@".repeat(2_000)}`
]

/** Checking one address is too fast to be measured, so it is repeated this often. */
export const JUDGEMENTS = 20

export const judging = (address: string): Costly => ({
  name: `${JUDGEMENTS} judgements of ${address.slice(0, 20)}`,
  length: address.length,
  prepare: (length) => {
    const part = address.slice(0, length)
    return () => {
      for (let round = 0; round < JUDGEMENTS; round++) {
        parseWebAddress(part)
        webAddress(part)
        webhookAddressProblem(part, false)
        hostLine(part.slice("http://".length))
      }
    }
  }
})
