/** Lets a person see and solve a captcha of one of their agents (spec 3.7, 4.10), for the pages. */
import { Effect } from "effect"
import type { Operations } from "../../schemas/bus/operations.ts"
import type { CaptchaAnswer } from "../../schemas/captcha/records.ts"
import { notFound } from "../../schemas/errors.ts"
import type { Call } from "../http/call.ts"
import { type Refused, refuse } from "../http/refused.ts"
import type { EdgeParts } from "../kit/parts.ts"
import { openBytes } from "../../schemas/secret/bytes.ts"

export type CaptchaRecord = Operations["captcha.shown"]["output"]

const NUMBER = /^[1-9]\d{0,14}$/

const noCaptcha = refuse(notFound("captcha"))

export class Solving {
  private readonly parts: Pick<EdgeParts, "bus" | "blobs">

  constructor(parts: Pick<EdgeParts, "bus" | "blobs">) {
    this.parts = parts
  }

  shown(call: Call, human: string, id: string): Effect.Effect<CaptchaRecord, Refused> {
    if (!NUMBER.test(id)) return Effect.fail(noCaptcha)
    return this.parts.bus.read(call, { actor: id, op: "captcha.shown", input: { human } })
  }

  /** The picture. Fails if it was erased. */
  picture(call: Call, { picture: { blob }, key }: CaptchaRecord): Effect.Effect<Uint8Array, Refused> {
    const { blobs } = this.parts
    if (key === null) return Effect.fail(noCaptcha)
    return Effect.gen(function* () {
      const stream = yield* blobs.open(call, blob, { from: 0, to: blob.size - 1 })
      const sealed = yield* Effect.tryPromise({
        try: async () => Buffer.concat(await stream.toArray()),
        catch: () => noCaptcha
      })
      return openBytes(sealed, key)
    })
  }

  answer(call: Call, human: string, id: string, answer: CaptchaAnswer): Effect.Effect<void, Refused> {
    return Effect.asVoid(this.parts.bus.ask(call, { actor: id, op: "captcha.answer", input: { human, answer } }))
  }
}
