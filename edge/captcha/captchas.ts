/** Sends captchas to owners and waits for their answers, for an agent or for the fill service of its vault. */
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

/** The most bytes that a captcha is counted to add to the log. */
const LOG_BYTES = 4000
/**
 * The least bytes that a captcha counts in the agent's daily upload. The encoded picture may be larger than the
 * received one.
 */
const UPLOAD_BYTES = 524_288

export const captchaTaking = ({ image_base64 }: Pick<typeof SendCaptcha.Type, "image_base64">) => ({
  log: LOG_BYTES,
  upload: Math.max(image_base64.length, UPLOAD_BYTES)
})

const CREATED = 201
/**
 * A wait that fails in these ways is not reported as failed. The captcha exists already, and a later request can ask
 * for its answer.
 */
const UNKNOWN: ReadonlySet<ErrorCode> = new Set<ErrorCode>(["unavailable", "overloaded"])

/** `origin`, if set, replaces the origin that the sender stated. */
type BegunCaptcha = Operations["captcha.send"]["output"] & { readonly origin?: string }

/** The sender of a captcha: the agent, or the fill service of its vault (`ofFill`). */
export interface Whose {
  readonly agent: string
  readonly ofFill: boolean
}

export interface Handing {
  readonly whose: Whose
  /** The number of the fill on whose page the captcha appeared. */
  readonly fill: number | null
  /** Asks the agent's actor with the rights of the caller. */
  readonly begin: (sent: SentCaptcha) => Effect.Effect<BegunCaptcha, Refused>
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

  /** Stores the picture, encoded again and sealed with a new key. */
  private kept(call: Call, text: string): Effect.Effect<Pick<SentCaptcha, "key" | "picture">, Refused> {
    return Effect.gen({ self: this }, function* () {
      const { width, height, type, bytes } = yield* this.images.renewed(call, yield* imageBytes(text))
      const key = newKey()
      const blob = yield* this.blobs.keep(call, sealBytes(bytes, key))
      return { key, picture: { blob, width, height, type } }
    })
  }
}
