/** Contrast as WCAG 2.2 defines it (1.4.3, "relative luminance" and "contrast ratio"). */

interface Colour {
  readonly red: number
  readonly green: number
  readonly blue: number
  readonly alpha: number
}

/** As browsers write computed colours: `rgb(1, 2, 3)` and `rgba(1, 2, 3, 0.5)`. */
const colourOf = (text: string): Colour => {
  const match = /^rgba?\((\d+), (\d+), (\d+)(?:, ([\d.]+))?\)$/.exec(text)
  if (match === null) throw new Error(`not a computed colour: ${text}`)
  return { red: Number(match[1]), green: Number(match[2]), blue: Number(match[3]), alpha: Number(match[4] ?? 1) }
}

const WHITE: Colour = { red: 255, green: 255, blue: 255, alpha: 1 }

const over = (upper: Colour, lower: Colour): Colour => {
  const mixed = (a: number, b: number): number => a * upper.alpha + b * (1 - upper.alpha)
  return {
    red: mixed(upper.red, lower.red),
    green: mixed(upper.green, lower.green),
    blue: mixed(upper.blue, lower.blue),
    alpha: 1
  }
}

/** What is seen through grounds that may be transparent, innermost first. */
const groundOf = (grounds: ReadonlyArray<string>): Colour =>
  grounds.map(colourOf).reduceRight((below, ground) => over(ground, below), WHITE)

const luminance = ({ red, green, blue }: Colour): number => {
  const linear = (channel: number): number => {
    const share = channel / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  }
  return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue)
}

export const contrast = (colour: string, grounds: ReadonlyArray<string>): number => {
  const ground = groundOf(grounds)
  const [lighter = 0, darker = 0] = [luminance(over(colourOf(colour), ground)), luminance(ground)].toSorted(
    (a, b) => b - a
  )
  return (lighter + 0.05) / (darker + 0.05)
}
