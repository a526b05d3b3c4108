/** A line of how a number went, without axes: decoration beside the number and its table. */
import { html, type Html, NOTHING } from "./html.ts"

const WIDTH = 100
const HEIGHT = 32
/** Room for half of the line above and below. */
const EDGE = 2

const rounded = (value: number): number => Math.round(value * 10) / 10

/** `values` in the order of time. A line needs two of them. */
export const sparkline = (values: ReadonlyArray<number>): Html => {
  const shown = values.filter((value) => Math.abs(value) <= Number.MAX_SAFE_INTEGER)
  if (shown.length < 2) return NOTHING
  const [low, high] = [Math.min(...shown), Math.max(...shown)]
  const heightOf = (value: number): number =>
    high === low ? HEIGHT / 2 : HEIGHT - EDGE - ((value - low) / (high - low)) * (HEIGHT - 2 * EDGE)
  const points = shown.map((value, at) => `${rounded((at * WIDTH) / (shown.length - 1))},${rounded(heightOf(value))}`)
  return html`<svg class="spark" viewBox="0 0 ${WIDTH} ${HEIGHT}" preserveAspectRatio="none" aria-hidden="true"><polyline points="${points.join(" ")}"/></svg>`
}
