/** Captchas on their way to owners, and what becomes of them: of an agent, or of the fill service of its vault. */
import { Effect } from "effect"
import type { Operations } from "../../schemas/bus/operations.ts"
import type { SendCaptcha } from "../../schemas/captcha/api.ts"
import type { SentCaptcha } from "../../schemas/captcha/operations.ts"
import type { Captcha } from "../../schemas/captcha/records.ts"
import type { ErrorCode } from "../../schemas/errors.ts"
import type { Limits } from "../../schemas/limits.ts"
import type { WaitPurpose } from "../../schemas/owner/operations.ts"
import { newKey, sealBytes } from "../../schemas/secret/bytes.ts"
import type { Blobs } from "../bus/blobs.ts"
import type { Bus } from "../bus/bus.ts"
import type { Call } from "../http/call.ts"
import type { Refused } from "../http/refused.ts"
import { dataOfPeople, dataValue, type Response } from "../http/respond.ts"
import { type Notifications, OwnerWaits } from "../notification/index.ts"
import { imageBytes, Images } from "./images.ts"

const recordOf = (captcha: Captcha, kept: Captcha = { ...captcha, answer: null }, status?: number): Response =>
  captcha.answer === null ? dataValue(captcha, status) : dataOfPeople(captcha, kept, status)

/** What one puts into the log at most, beside its context. */
const LOG_BYTES = 4000
/** What one counts as of the agent's day at least: written anew, a picture may take more than it came in. */
const UPLOAD_BYTES = 524_288

/** What a captcha takes of the agent's day. */
export const captchaTaking = ({ image_base64 }: Pick<typeof SendCaptcha.Type, "image_base64">) => ({
  log: LOG_BYTES,
  upload: Math.max(image_base64.length, UPLOAD_BYTES)
})

const CREATED = 201
/** It is there: whoever asks again finds what became of it. */
const UNKNOWN: ReadonlySet<ErrorCode> = new Set<ErrorCode>(["unavailable", "overloaded"])

/** `origin`: where whoever begins it knows better than who sent it. */
type Begun = Operations["captcha.send"]["output"] & { readonly origin?: string }

/** For whom it is: the agent itself, or the fill service of its vault. */
export interface Whose {
  readonly agent: string
  readonly ofFill: boolean
}

export interface Handing {
  readonly whose: Whose
  /** The number of a fill that it stands before. */
  readonly fill: number | null
  /** Asks the agent's actor, as whoever came in may. */
  readonly begin: (sent: SentCaptcha) => Effect.Effect<Begun, Refused>
}

interface Parts {
  readonly bus: Bus
  readonly blobs: Blobs
  readonly notifications: Pick<Notifications, "forOwners">
}

export class Captchas {
  private readonly bus: Bus
  private readonly blobs: Blobs
  private readonly images: Images
  private readonly waits: OwnerWaits

  constructor({ bus, blobs, notifications }: Parts, limits: Limits) {
    const { captcha_images_at_once: atOnce, captcha_images_waiting_max: waiting } = limits.limits.owner
    this.bus = bus
    this.blobs = blobs
    this.images = new Images({ atOnce, waiting })
    this.waits = new OwnerWaits(bus, notifications.forOwners, limits)
  }

  looked(call: Call, input: Whose, id: number): Effect.Effect<Captcha, Refused> {
    return Effect.suspend(() => this.bus.read(call, { actor: String(id), op: "captcha.look", input }))
  }

  held(call: Call, whose: Whose, id: number, waitSeconds: number): Effect.Effect<Captcha, Refused> {
    const purpose: WaitPurpose = whose.ofFill ? "fill_captcha" : "captcha"
    return Effect.map(
      this.waits.hold(call, {
        agent: whose.agent,
        purpose,
        waitSeconds,
        look: this.looked(call, whose, id),
        isThere: ({ state }) => state !== "pending"
      }),
      ({ found, waited }) => ({ ...found, waited })
    )
  }

  /** Whoever calls has made sure that the agent may. */
  handed(call: Call, sent: typeof SendCaptcha.Type, { whose, fill, begin }: Handing): Effect.Effect<Response, Refused> {
    const { image_base64, kind, context = null, origin = null, wait_seconds = 0 } = sent
    return Effect.gen({ self: this }, function* () {
      const picture = yield* this.kept(call, image_base64)
      const begun = yield* begin({ kind, context, origin, fill, ...picture })
      const { id, created_at, expires_at } = begun
      const pending: Captcha = {
        id,
        state: "pending",
        kind,
        context,
        origin: begun.origin ?? origin,
        created_at,
        expires_at,
        answered_at: null,
        answer: null,
        answered_by: null,
        result: null,
        waited: false
      }
      if (wait_seconds <= 0) return recordOf(pending, pending, CREATED)
      const found = Effect.catchIf(
        this.held(call, whose, id, wait_seconds),
        ({ refusal: { code } }) => UNKNOWN.has(code),
        () => Effect.succeed(pending)
      )
      return recordOf(yield* found, pending, CREATED)
    })
  }

  cancelled(call: Call, whose: Whose, id: number): Effect.Effect<Captcha, Refused> {
    const asked = this.bus.ask(call, { actor: String(id), op: "captcha.cancel", input: whose })
    return Effect.andThen(asked, this.looked(call, whose, id))
  }

  reported(
    call: Call,
    whose: Whose,
    id: number,
    result: Operations["captcha.report"]["input"]["result"]
  ): Effect.Effect<Response, Refused> {
    const asked = this.bus.ask(call, { actor: String(id), op: "captcha.report", input: { ...whose, result } })
    return Effect.map(Effect.andThen(asked, this.looked(call, whose, id)), (captcha) => recordOf(captcha))
  }

  /** The picture, written anew and sealed, where the actor can name it. */
  private kept(call: Call, text: string): Effect.Effect<Pick<SentCaptcha, "key" | "picture">, Refused> {
    return Effect.gen({ self: this }, function* () {
      const { width, height, type, bytes } = yield* this.images.renewed(call, yield* imageBytes(text))
      const key = newKey()
      const blob = yield* this.blobs.keep(call, sealBytes(bytes, key))
      return { key, picture: { blob, width, height, type } }
    })
  }
}
