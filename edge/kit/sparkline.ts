/** Sparklines: small charts without axes, beside a number and its table. */
import { html, type Html, NOTHING } from "./html.ts"

const WIDTH = 100
const HEIGHT = 32
/** The margin above and below, so that the line is not cut off. */
const EDGE = 2

const rounded = (value: number): number => Math.round(value * 10) / 10

interface Frame {
  readonly width: number
  readonly height: number
}

/** `shares` are two or more values in the order of time, from 0 at the bottom to 1 at the top. */
export const polyline = (shares: ReadonlyArray<number>, { width, height }: Frame): Html => {
  const step = width / (shares.length - 1)
  const points = shares.map((share, at) => `${rounded(at * step)},${rounded(height - share * height)}`)
  return html`<polyline points="${points.join(" ")}"/>`
}

/** `values` are in the order of time. At least two are needed for a line. */
export const sparkline = (values: ReadonlyArray<number>): Html => {
  const shown = values.filter((value) => Math.abs(value) <= Number.MAX_SAFE_INTEGER)
  if (shown.length < 2) return NOTHING
  const [low, high] = [Math.min(...shown), Math.max(...shown)]
  const shares = shown.map((value) =>
    high === low ? 1 / 2 : (EDGE + ((value - low) / (high - low)) * (HEIGHT - 2 * EDGE)) / HEIGHT
  )
  const line = polyline(shares, { width: WIDTH, height: HEIGHT })
  return html`<svg class="spark" viewBox="0 0 ${WIDTH} ${HEIGHT}" preserveAspectRatio="none" aria-hidden="true">${line}</svg>`
}
