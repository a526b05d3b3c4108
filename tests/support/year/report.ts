/** Figures of one run, with those of a smaller log beside those of a larger one. */
interface Figure {
  readonly unit: string
  readonly values: Map<number, number>
}

const shown = (value: number | undefined): string =>
  value === undefined ? "-" : value >= 100 ? Math.round(value).toLocaleString("en-US") : value.toPrecision(3)

export class Report {
  private readonly figures = new Map<string, Figure>()

  /** Adds a figure and prints it at once, because a long run may be interrupted. */
  add(size: number, what: string, value: number, unit: string): void {
    const figure = this.figures.get(what) ?? { unit, values: new Map<number, number>() }
    figure.values.set(size, value)
    this.figures.set(what, figure)
    console.log(`${size} agents: ${what}: ${shown(value)} ${unit}`)
  }

  /** One line for each figure: smaller log, larger log, ratio. */
  table(): string {
    return [...this.figures]
      .map(([what, { unit, values }]) => {
        const [small, large] = [...values].toSorted(([one], [other]) => one - other).map(([, value]) => value)
        const ratio = small === undefined || large === undefined ? "-" : (large / small).toFixed(2)
        return `| ${what}${unit === "" ? "" : `, ${unit}`} | ${shown(small)} | ${shown(large)} | ${ratio} |`
      })
      .join("\n")
  }
}
