/** Pictures that agents send: which are read, and what is left of them. */
import { Effect, Result } from "effect"
import sharp from "sharp"
import { describe, expect, it, test } from "vitest"
import { type Image, imageBytes, Images } from "../../../edge/captcha/images.ts"
import { CAPTCHA_LIMITS } from "../../../schemas/captcha/limits.ts"
import { machineClock } from "../../../schemas/runtime/clock.ts"
import { GROWTH_MAX, growthOf } from "../../support/cost.ts"
import { BOMBS } from "../../support/costly/pictures.ts"
import { blackPng, chunk, drawing, foldedPng, headerOnly, noise, png, withChunks } from "../../support/pictures.ts"

/** The size to which a bomb unfolds. */
const DECODED_KB = 400_000
const CLIENT = { client: "0123456789abcdef", wide: null, clock: machineClock, deadline: Number.POSITIVE_INFINITY }
const { captcha_image_max_bytes: BYTES_MAX } = CAPTCHA_LIMITS

const images = new Images({ atOnce: 2, waiting: 16 })

const taking = (text: string) => Effect.flatMap(imageBytes(text), (bytes) => images.renewed(CLIENT, bytes))
const taken = (bytes: Buffer): Promise<Image> => Effect.runPromise(taking(bytes.toString("base64")))
const refusalOf = async (text: string) => (await Effect.runPromise(Effect.flip(taking(text)))).refusal

const padded = (bytes: Buffer, length: number): Buffer => Buffer.concat([bytes, Buffer.alloc(length - bytes.length)])
const SVG = `<svg xmlns="http://www.w3.org/2000/svg" width="10" height="10"><script>alert(1)</script></svg>`

test("what unfolds is no longer than what may be sent", async () => {
  const folded = foldedPng(2000, 2000)
  expect(folded.length).toBeLessThan(BYTES_MAX / 4)
  const outcome = await Effect.runPromise(Effect.result(taking(folded.toString("base64"))))
  expect(Result.isFailure(outcome) && outcome.failure.refusal.details).toMatchObject({ rule: "bytes" })
  // What is less wild becomes a JPEG, and is taken.
  const soft = await taken(foldedPng(900, 900))
  expect(soft.type).toBe("jpeg")
  expect(soft.bytes.length).toBeLessThanOrEqual(BYTES_MAX)
})

describe("refused", () => {
  const cases: ReadonlyArray<readonly [name: string, rule: string, make: () => Promise<Buffer | string>]> = [
    ["more than 4 megapixels", "pixels", () => png(2001, 2000)],
    ["a JPEG of more than 4 megapixels", "pixels", () => drawing(2001, 2000).jpeg().toBuffer()],
    ["a ribbon", "ratio", () => png(2010, 100)],
    ["a column", "ratio", () => png(10, 201)],
    ["a GIF", "format", () => drawing(10, 10).gif().toBuffer()],
    ["a WebP", "format", () => drawing(10, 10).webp().toBuffer()],
    ["a TIFF", "format", () => drawing(10, 10).tiff().toBuffer()],
    ["an AVIF", "format", () => drawing(10, 10).avif().toBuffer()],
    ["an SVG", "format", async () => SVG],
    ["an SVG behind a declaration", "format", async () => `<?xml version="1.0"?>\n${SVG}`],
    ["a PDF", "format", async () => "%PDF-1.4\n%%EOF"],
    ["a PNG that ends in the middle", "format", async () => (await noise(99, 99).png().toBuffer()).subarray(0, 9000)],
    ["a JPEG that ends in the middle", "format", async () => (await noise(99, 99).jpeg().toBuffer()).subarray(0, 2000)],
    ["a few bytes of a PNG", "format", async () => (await png()).subarray(0, 20)],
    ["a header without a picture", "format", async () => headerOnly(10, 10)],
    ["no pixel", "format", async () => headerOnly(0, 10)],
    ["text", "format", async () => "no picture at all"],
    ["nothing", "format", async () => ""],
    ["a megabyte and one byte", "bytes", async () => padded(await png(), BYTES_MAX + 1)]
  ]

  it.each(cases)("%s: %s", async (_name, rule, make) => {
    const { code, details } = await refusalOf(Buffer.from(await make()).toString("base64"))
    expect([code, details]).toEqual(["captcha_image_unsuitable", { field: "image_base64", rule }])
  })

  it("what is no base64: a data: address, spaces, its other alphabet", async () => {
    const text = (await png()).toString("base64")
    for (const wrong of [
      `data:image/png;base64,${text}`,
      `${text}\n`,
      ` ${text}`,
      `${text.slice(0, 40)}-_${text}`,
      "===="
    ])
      expect(await refusalOf(wrong)).toMatchObject({ code: "captcha_image_unsuitable", details: { rule: "format" } })
  })

  it.each([false, true])(
    "a bomb of 20,000 by 20,000, interlaced %s: without its memory or its time",
    async (interlaced) => {
      const bomb = blackPng(20_000, 20_000, interlaced)
      expect(bomb.length).toBeLessThan(BYTES_MAX / 4)
      // It is one: whoever decodes it has 400 MB of pixels.
      expect(await sharp(bomb, { limitInputPixels: false }).metadata()).toMatchObject({ width: 20_000, height: 20_000 })
      const most = process.resourceUsage().maxRSS
      for (let count = 0; count < 10; count++)
        expect(await refusalOf(bomb.toString("base64"))).toMatchObject({ details: { rule: "pixels" } })
      expect(process.resourceUsage().maxRSS - most).toBeLessThan(DECODED_KB / 2)
      expect(await growthOf(interlaced ? BOMBS.interlaced : BOMBS.plain)).toBeLessThan(GROWTH_MAX)
    }
  )
})

describe("taken", () => {
  it("up to a megabyte, 4 megapixels, and 20 to 1", async () => {
    for (const bytes of [
      padded(await png(), BYTES_MAX),
      await png(2000, 2000),
      await png(2000, 100),
      await png(10, 200)
    ]) {
      const { width = 0, height = 0 } = await sharp(bytes).metadata()
      expect(await taken(bytes)).toMatchObject({ width, height, type: "png" })
    }
  })

  it("pixel for pixel", async () => {
    const bytes = await noise(64, 32).png().toBuffer()
    const raw = (of: Uint8Array): Promise<Buffer> => sharp(of).removeAlpha().toColourspace("srgb").raw().toBuffer()
    expect((await raw((await taken(bytes)).bytes)).equals(await raw(bytes))).toBe(true)
  })

  const PLANTED = "planted-5512"
  const ZIP = Buffer.concat([Buffer.from("504b0304", "hex"), Buffer.from(PLANTED)])
  const cases: ReadonlyArray<readonly [name: string, make: () => Promise<Buffer>]> = [
    ["a PNG before an archive", async () => Buffer.concat([await png(64, 32), ZIP])],
    [
      "a PNG before a page",
      async () => Buffer.concat([await png(64, 32), Buffer.from(`<html><script>"${PLANTED}"</script>`)])
    ],
    ["a JPEG before an archive", async () => Buffer.concat([await drawing(64, 32).jpeg().toBuffer(), ZIP])],
    ["a PNG with words", async () => withChunks(await png(64, 32), chunk("tEXt", Buffer.from(`Comment\0${PLANTED}`)))],
    ["a PNG with a private chunk", async () => withChunks(await png(64, 32), chunk("prVt", Buffer.from(PLANTED)))],
    [
      "a JPEG with EXIF",
      () =>
        drawing(64, 32)
          .withExif({ IFD0: { Copyright: PLANTED }, IFD3: { GPSLatitude: "51/1" } })
          .jpeg()
          .toBuffer()
    ],
    [
      "a PNG with EXIF",
      () =>
        drawing(64, 32)
          .withExif({ IFD0: { Copyright: PLANTED } })
          .png()
          .toBuffer()
    ],
    ["a JPEG with XMP", () => drawing(64, 32).withXmp(`<x:xmpmeta>${PLANTED}</x:xmpmeta>`).jpeg().toBuffer()]
  ]

  it.each(cases)("%s: without what stands behind or beside its pixels", async (_name, make) => {
    const bytes = await make()
    expect(bytes.includes(PLANTED)).toBe(true)
    const image = await taken(bytes)
    expect(Buffer.from(image.bytes).includes(PLANTED)).toBe(false)
    const { exif, xmp, icc, width, height } = await sharp(image.bytes).metadata()
    expect([exif, xmp, icc, width, height]).toEqual([undefined, undefined, undefined, 64, 32])
  })

  it("of one that moves, what is shown without moving", async () => {
    const frames = Buffer.alloc(8)
    frames.writeUInt32BE(2, 0)
    const control = (sequence: number): Buffer => {
      const data = Buffer.alloc(26)
      data.writeUInt32BE(sequence, 0)
      data.writeUInt32BE(64, 4)
      data.writeUInt32BE(32, 8)
      data.writeUInt16BE(1, 20)
      data.writeUInt16BE(10, 22)
      return chunk("fcTL", data)
    }
    const still = await png(64, 32)
    const end = still.subarray(0, -12)
    const moved = chunk("fdAT", Buffer.concat([Buffer.from([0, 0, 0, 2]), Buffer.from("planted-5512")]))
    const whole = Buffer.concat([
      withChunks(end, chunk("acTL", frames), control(0)),
      control(1),
      moved,
      chunk("IEND", Buffer.alloc(0))
    ])
    const image = await taken(whole)
    expect(image).toMatchObject({ width: 64, height: 32, type: "png" })
    for (const name of ["acTL", "fcTL", "fdAT", "planted"]) {
      expect(whole.includes(name)).toBe(true)
      expect(Buffer.from(image.bytes).includes(name)).toBe(false)
    }
  })
})

/** A progressive JPEG whose last scan is there so many times more. Each time the decoder goes through all pixels. */
const withScans = async (more: number): Promise<Buffer> => {
  const plain = sharp({ create: { width: 64, height: 64, channels: 3, background: "#808080" } })
  const jpeg = await plain.jpeg({ progressive: true, quality: 50, optimiseScans: true }).toBuffer()
  const last = jpeg.lastIndexOf(Buffer.from([0xff, 0xda]))
  const [head, scan, end] = [jpeg.subarray(0, last), jpeg.subarray(last, -2), jpeg.subarray(-2)]
  return Buffer.concat([head, ...Array.from({ length: 1 + more }, () => scan), end])
}

test("a JPEG of many scans is refused before it is decoded", async () => {
  expect(await taken(await withScans(20))).toMatchObject({ width: 64, type: "jpeg" })
  const { code, details } = await refusalOf((await withScans(64)).toString("base64"))
  expect([code, details]).toEqual(["captcha_image_unsuitable", { field: "image_base64", rule: "format" }])
})

test("whoever waits for a place until its deadline is told to come again, and takes no place", async () => {
  const few = new Images({ atOnce: 1, waiting: 1 })
  const bytes = await noise(400, 400).png().toBuffer()
  const first = Effect.runPromise(few.renewed(CLIENT, bytes))
  const late = await Effect.runPromise(Effect.flip(few.renewed({ ...CLIENT, client: "other", deadline: 0 }, bytes)))
  expect(late.refusal.code).toBe("overloaded")
  expect(await first).toMatchObject({ width: 400 })
  expect(await Effect.runPromise(few.renewed(CLIENT, bytes))).toMatchObject({ width: 400 })
})

test("so many are read and wait; of a client its share, and one more is told to come again", async () => {
  const few = new Images({ atOnce: 1, waiting: 1 })
  const bytes = await noise(400, 400).png().toBuffer()
  const outcomes = await Promise.all(
    Array.from({ length: 40 }, () =>
      Effect.runPromise(
        Effect.match(few.renewed(CLIENT, bytes), {
          onFailure: ({ refusal: { code, retryAfter } }) => `${code} ${retryAfter}`,
          onSuccess: ({ width }) => `${width}`
        })
      )
    )
  )
  expect(new Set(outcomes)).toEqual(new Set(["400", "overloaded 2"]))
  expect(await Effect.runPromise(few.renewed(CLIENT, bytes))).toMatchObject({ width: 400 })
})
