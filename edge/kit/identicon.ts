/**
 * Draws the picture of an agent from its public key: a mirrored grid of colored cells on a colored tile.
 *
 * Invariants
 *  - The picture depends only on the 32 bytes of the key. It contains no text of an agent.
 *  - The tile has a contrast of 3 or more to the pages' backgrounds, light and dark. Each colored cell has a contrast
 *    of 3 or more to its tile.
 */
import { createHash } from "node:crypto"
import { PUBLIC_KEY_BYTES } from "../../schemas/signing/ed25519.ts"
import { decodeBase64 } from "../../schemas/signing/key.ts"
import { html, type Html, NOTHING } from "./html.ts"

/** The number of cells in a row, and of rows. The right half mirrors the left one. */
const CELLS = 5
const DRAWN_COLUMNS = Math.ceil(CELLS / 2)
const BITS_PER_CELL = 2
const TONES = 2 ** BITS_PER_CELL

const TILE_LUMINANCE = 0.16
const CELL_LUMINANCES = [0.93, 0.72, 0.62] as const
/** Degrees between the hue of the tile and the hue of its second cell color. */
const HUE_STEPS = [40, 130, 200, 310] as const
const SATURATION = 0.6
/** Steps of the binary search for the lightness: more than the eight bits of a channel need. */
const SEARCH_STEPS = 20

type Channels = readonly [red: number, green: number, blue: number]

/** Channels from 0 to 1 (CSS Color 4, `hslToRgb`). */
const channelsOf = (hue: number, saturation: number, lightness: number): Channels => {
  const channel = (n: number): number => {
    const k = (n + hue / 30) % 12
    return lightness - saturation * Math.min(lightness, 1 - lightness) * Math.max(-1, Math.min(k - 3, 9 - k, 1))
  }
  return [channel(0), channel(8), channel(4)]
}

const linear = (share: number): number => (share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4)

/** The relative luminance of WCAG 2.2. */
const luminanceOf = ([red, green, blue]: Channels): number =>
  0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue)

const colorOf = (hue: number, luminance: number): string => {
  let [low, high] = [0, 1]
  for (let step = 0; step < SEARCH_STEPS; step++) {
    const middle = (low + high) / 2
    if (luminanceOf(channelsOf(hue, SATURATION, middle)) < luminance) low = middle
    else high = middle
  }
  const hex = channelsOf(hue, SATURATION, high).map((share) =>
    Math.round(share * 255)
      .toString(16)
      .padStart(2, "0")
  )
  return `#${hex.join("")}`
}

/** The tone of each drawn cell by row and column. 0 is the tile itself. */
const tonesOf = (digest: Uint8Array): ReadonlyArray<ReadonlyArray<number>> => {
  let bits = new DataView(digest.buffer, digest.byteOffset).getUint32(0)
  const rows: Array<ReadonlyArray<number>> = []
  for (let row = 0; row < CELLS; row++) {
    const left: Array<number> = []
    for (let column = 0; column < DRAWN_COLUMNS; column++) {
      left.push(bits % TONES)
      bits = Math.floor(bits / TONES)
    }
    rows.push([...left, ...left.slice(0, CELLS - DRAWN_COLUMNS).toReversed()])
  }
  return rows
}

/** One path for all cells of a tone. Each run of neighbors in a row becomes a line as thick as a cell. */
const pathOf = (rows: ReadonlyArray<ReadonlyArray<number>>, tone: number): string => {
  let path = ""
  for (const [y, row] of rows.entries()) {
    for (let x = 0; x < CELLS; x++) {
      if (row[x] !== tone || row[x - 1] === tone) continue
      let width = 1
      while (row[x + width] === tone) width++
      path += `M${x + 1} ${y + 1}h${width}`
    }
  }
  return path
}

/** A margin of one cell on each side. */
const SIDE = CELLS + 2
/** The top edge. Lines run through the middle of their rows, so the first row begins half a cell above its number. */
const TOP = -0.5

/** The shapes of the picture. `key` is the raw public key. */
const drawing = (key: Uint8Array): Html => {
  const digest = createHash("sha256").update(key).digest()
  const hue = digest.readUInt16BE(4) % 360
  const step = HUE_STEPS[digest.readUInt8(6) % HUE_STEPS.length] ?? HUE_STEPS[0]
  const rows = tonesOf(digest)
  const cells = CELL_LUMINANCES.map((luminance, index) => {
    const path = pathOf(rows, index + 1)
    const color = colorOf(index === 1 ? (hue + step) % 360 : hue, luminance)
    return path === "" ? NOTHING : html`<path stroke="${color}" d="${path}"/>`
  })
  return html`<rect y="${TOP}" width="${SIDE}" height="${SIDE}" rx="1.4" fill="${colorOf(hue, TILE_LUMINANCE)}"/>${cells}`
}

/** `null` if the text is no key. */
const keyIn = (publicKey: string): Uint8Array | null => decodeBase64(publicKey, PUBLIC_KEY_BYTES)

const sized = (size: number): Html =>
  html`viewBox="0 ${TOP} ${SIDE} ${SIDE}" width="${size}" height="${size}" shape-rendering="crispEdges"`

/** The picture as a decoration inside a page, beside the agent's name. `size` is in CSS pixels. */
export const picture = (publicKey: string, size: number): Html => {
  const key = keyIn(publicKey)
  return key === null ? NOTHING : html`<svg class="picture" ${sized(size)} aria-hidden="true">${drawing(key)}</svg>`
}

const ALONE_PIXELS = 256

/** The picture as a separate image. `null` if the text is not a key. */
export const pictureAlone = (publicKey: string): string | null => {
  const key = keyIn(publicKey)
  return key === null
    ? null
    : html`<svg xmlns="http://www.w3.org/2000/svg" ${sized(ALONE_PIXELS)}>${drawing(key)}</svg>\n`.text
}
