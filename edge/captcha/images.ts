/**
 * Pictures of captchas from agents. They are decoded, and encoded again.
 *
 * Invariants
 *  - Only the decoded and re-encoded picture is stored: no data around the pixels, no metadata, no second format. Only
 *    PNG and JPEG are read, recognized by their bytes.
 *  - The stored file is not longer than the longest that an agent may send.
 *  - The size and ratio are checked in the header, and the scans of a JPEG are counted, before a pixel is decoded. Each
 *    scan of a few bytes makes the decoder go through all pixels again, and its limit of time does not stop that.
 *  - Pictures are decoded on the thread pool. The numbers of pictures under way and of waiting ones are limited, and
 *    each client has a share. Further ones are refused for now, and so are those that wait until their deadline.
 */
import sharp, { type Sharp } from "sharp"
import { Effect, Semaphore } from "effect"
import { CAPTCHA_LIMITS } from "../../schemas/captcha/limits.ts"
import { type Refusal, refusal } from "../../schemas/errors.ts"
import type { Call } from "../http/call.ts"
import { inPlace } from "../http/in-place.ts"
import { type Refused, refuse } from "../http/refused.ts"
import { Shares } from "../http/shares.ts"

sharp.cache(false)
sharp.concurrency(1)
sharp.block({ operation: ["VipsForeignLoad"] })
sharp.unblock({ operation: ["VipsForeignLoadPngBuffer", "VipsForeignLoadJpegBuffer"] })

const SECONDS_MAX = 10
/** Encoders make about ten scans of a progressive JPEG. */
const SCANS_MAX = 64
/**
 * The two bytes before each scan. They do not occur in the data of a scan. A comment may contain them, so the count may
 * be too high.
 */
const START_OF_SCAN = Buffer.from([0xff, 0xda])
const JPEG_QUALITY = 90
const JPEG_LESS_QUALITY = 70

const { captcha_image_max_bytes, captcha_pixels_max, captcha_ratio_max } = CAPTCHA_LIMITS

type Rule = "bytes" | "format" | "pixels" | "ratio"

const SAYS: Readonly<Record<Rule, string>> = {
  bytes: `The picture must have at most ${captcha_image_max_bytes} bytes.`,
  format: `image_base64 must be a whole PNG, or a JPEG of at most ${SCANS_MAX} scans, in base64.`,
  pixels: `The picture must have at most ${captcha_pixels_max} pixels.`,
  ratio: `One side of the picture must be at most ${captcha_ratio_max} times the other.`
}

const unsuitable = (rule: Rule): Refused =>
  refuse(refusal("captcha_image_unsuitable", SAYS[rule], { field: "image_base64", rule }))

const tooMany: Refusal = {
  code: "overloaded",
  message: "Many pictures are being read at the moment. Try again in a little while.",
  retryAfter: 2
}

export interface Image {
  readonly bytes: Uint8Array
  readonly width: number
  readonly height: number
  readonly type: "png" | "jpeg"
}

const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/

export const imageBytes = (text: string): Effect.Effect<Uint8Array, Refused> => {
  const most = Math.ceil(captcha_image_max_bytes / 3) * 4
  if (text.length > most) return Effect.fail(unsuitable("bytes"))
  if (text.length === 0 || !BASE64.test(text)) return Effect.fail(unsuitable("format"))
  const bytes = Buffer.from(text, "base64")
  return bytes.length > captcha_image_max_bytes ? Effect.fail(unsuitable("bytes")) : Effect.succeed(bytes)
}

const typeOf = (format: string | undefined): Image["type"] | null =>
  format === "png" || format === "jpeg" ? format : null

const hasManyScans = (bytes: Uint8Array): boolean => {
  const whole = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  let at = whole.indexOf(START_OF_SCAN)
  for (let scans = 1; at !== -1; scans++) {
    if (scans > SCANS_MAX) return true
    at = whole.indexOf(START_OF_SCAN, at + START_OF_SCAN.length)
  }
  return false
}

const renewed = async (bytes: Uint8Array): Promise<Image | Rule> => {
  const options = { limitInputPixels: captcha_pixels_max, failOn: "error", pages: 1 } as const
  const header = await sharp(bytes, { ...options, limitInputPixels: false })
    .metadata()
    .catch(() => null)
  const type = typeOf(header?.format)
  if (header === null || type === null) return "format"
  const { width, height } = header
  if (width * height > captcha_pixels_max) return "pixels"
  if (Math.max(width, height) > captcha_ratio_max * Math.min(width, height)) return "ratio"
  if (type === "jpeg" && hasManyScans(bytes)) return "format"
  const read = sharp(bytes, options).timeout({ seconds: SECONDS_MAX })
  for (const [as, written] of writtenAs(read, type)) {
    const made = await written.toBuffer({ resolveWithObject: true }).catch(() => null)
    if (made === null) return "format"
    const { data, info } = made
    if (data.length <= captcha_image_max_bytes) return { bytes: data, width: info.width, height: info.height, type: as }
  }
  return "bytes"
}

/**
 * Yields encodings of the picture. The next one is tried if the last is longer than an agent may send: a well
 * compressed picture may grow when it is encoded again.
 */
function* writtenAs(read: Sharp, type: Image["type"]): Generator<readonly [Image["type"], Sharp]> {
  yield [type, type === "png" ? read.clone().png() : read.clone().jpeg({ quality: JPEG_QUALITY })]
  yield ["jpeg", read.clone().flatten({ background: "#ffffff" }).jpeg({ quality: JPEG_LESS_QUALITY })]
}

export class Images {
  private readonly places: Semaphore.Semaphore
  private readonly shares: Shares

  constructor({ atOnce, waiting }: { readonly atOnce: number; readonly waiting: number }) {
    this.places = Semaphore.makeUnsafe(atOnce)
    this.shares = Shares.ofPlaces(atOnce + waiting)
  }

  renewed(
    call: Pick<Call, "client" | "wide" | "clock" | "deadline">,
    bytes: Uint8Array
  ): Effect.Effect<Image, Refused> {
    const made = Effect.flatMap(
      Effect.promise(() => renewed(bytes)),
      (image): Effect.Effect<Image, Refused> =>
        typeof image === "string" ? Effect.fail(unsuitable(image)) : Effect.succeed(image)
    )
    // A decoder cannot be stopped, so its place is freed when it ends.
    return this.shares.within(call, tooMany, inPlace(call, this.places, tooMany, Effect.uninterruptible(made)))
  }
}
