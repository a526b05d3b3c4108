/**
 * A text as a QR code for a phone's camera. It is SVG inside the page, without style, script or address, so that the
 * strictest content policy allows it. It brings its own white ground and quiet zone, which makes it readable in dark
 * mode.
 */
import { encode } from "uqr"
import { type Html, html } from "../kit/html.ts"

/** Larger codes are too fine for a camera in front of a screen. The bound also limits the work to some 15 ms. */
export const QR_MAX_BYTES = 1000

/** The width of the margin in modules, which cameras need to find the code (ISO/IEC 18004). */
const QUIET_ZONE = 4
const MODULE_PIXELS = 4

/** Dark modules, as runs within a row: `M2 3h5v1h-5z`. */
const pathOf = (rows: ReadonlyArray<ReadonlyArray<boolean>>): string =>
  rows
    .map((row, y) => {
      let path = ""
      for (let x = 0; x < row.length; x++) {
        if (row[x] !== true) continue
        const from = x
        while (row[x + 1] === true) x++
        const length = x + 1 - from
        path += `M${from} ${y}h${length}v1h-${length}z`
      }
      return path
    })
    .join("")

/** `null` if the text is too long. It must then be shown as text. */
export const qrCode = (text: string, title: string): Html | null => {
  if (Buffer.byteLength(text) > QR_MAX_BYTES) return null
  const { size, data } = encode(text, { ecc: "M", border: QUIET_ZONE })
  const pixels = size * MODULE_PIXELS
  const measures = html`width="${pixels}" height="${pixels}" viewBox="0 0 ${size} ${size}"`
  const ground = html`<path fill="#fff" d="M0 0h${size}v${size}h-${size}z"/>`
  const modules = html`<path fill="#000" d="${pathOf(data)}"/>`
  const picture = html`<title>${title}</title>${ground}${modules}`
  const kind = html`xmlns="http://www.w3.org/2000/svg" role="img"`
  return html`<svg ${kind} ${measures} shape-rendering="crispEdges">${picture}</svg>`
}
