/** Pictures, and files that look like pictures. */
import { randomBytes } from "node:crypto"
import { crc32, deflateSync } from "node:zlib"
import sharp from "sharp"

export const drawing = (width: number, height: number, background = "#88aacc") =>
  sharp({ create: { width, height, channels: 3, background } })

export const png = (width = 300, height = 150): Promise<Buffer> => drawing(width, height).png().toBuffer()

/** A picture that can hardly be compressed. */
export const noise = (width: number, height: number) =>
  sharp({
    create: { width, height, channels: 3, background: "#000", noise: { type: "gaussian", mean: 128, sigma: 60 } }
  })

const SIGNATURE = Buffer.from("89504e470d0a1a0a", "hex")
const SIZE_BYTES = 8

export const chunk = (name: string, data: Uint8Array): Buffer => {
  const named = Buffer.concat([Buffer.from(name, "latin1"), data])
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  sum.writeUInt32BE(crc32(named))
  return Buffer.concat([length, named, sum])
}

const header = (width: number, height: number, interlaced: boolean): Buffer => {
  const size = Buffer.alloc(SIZE_BYTES)
  size.writeUInt32BE(width, 0)
  size.writeUInt32BE(height, 4)
  // One bit for each pixel, in grey.
  return chunk("IHDR", Buffer.concat([size, Buffer.from([1, 0, 0, 0, interlaced ? 1 : 0])]))
}

/** The passes of Adam7: x, y, and the steps. */
const PASSES = [
  [0, 0, 8, 8],
  [4, 0, 8, 8],
  [0, 4, 4, 8],
  [2, 0, 4, 4],
  [0, 2, 2, 4],
  [1, 0, 2, 2],
  [0, 1, 1, 2]
] as const

const rowsBytes = (width: number, height: number): number => height * (1 + Math.ceil(width / 8))

/** A black picture in a thousandth of its decoded size. An interlaced one needs all of that memory at once. */
export const blackPng = (width: number, height: number, interlaced = false): Buffer => {
  const bytes = interlaced
    ? PASSES.map(([x, y, dx, dy]) => rowsBytes(Math.ceil((width - x) / dx), Math.ceil((height - y) / dy)))
    : [rowsBytes(width, height)]
  const pixels = deflateSync(Buffer.alloc(bytes.reduce((sum, one) => sum + one, 0)), { level: 9 })
  const data = [chunk("IDAT", pixels), chunk("IEND", Buffer.alloc(0))]
  return Buffer.concat([SIGNATURE, header(width, height, interlaced), ...data])
}

/**
 * A picture with random content in a very small file. Each row adds the same bytes to the row above, so PNG's filter
 * "up" makes all rows equal. It has four channels.
 */
export const foldedPng = (width: number, height: number): Buffer => {
  const UP = 2
  const row = Buffer.concat([Buffer.from([UP]), randomBytes(4 * width)])
  const size = Buffer.alloc(SIZE_BYTES)
  size.writeUInt32BE(width, 0)
  size.writeUInt32BE(height, 4)
  const head = chunk("IHDR", Buffer.concat([size, Buffer.from([8, 6, 0, 0, 0])]))
  const pixels = deflateSync(Buffer.concat(Array.from({ length: height }, () => row)), { level: 9 })
  return Buffer.concat([SIGNATURE, head, chunk("IDAT", pixels), chunk("IEND", Buffer.alloc(0))])
}

/** A picture that consists of its header only. */
export const headerOnly = (width: number, height: number): Buffer =>
  Buffer.concat([SIGNATURE, header(width, height, false), chunk("IEND", Buffer.alloc(0))])

const HEADER_END = SIGNATURE.length + header(1, 1, false).length

/** Inserts chunks after the header. */
export const withChunks = (bytes: Buffer, ...chunks: ReadonlyArray<Buffer>): Buffer =>
  Buffer.concat([bytes.subarray(0, HEADER_END), ...chunks, bytes.subarray(HEADER_END)])
