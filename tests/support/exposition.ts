/** Reads Prometheus' text format 0.0.4 strictly. Any deviation is an error that shows the line. */

export interface Series {
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

export interface Family {
  readonly name: string
  readonly type: "counter" | "gauge" | "histogram"
  readonly help: string
  readonly series: ReadonlyArray<Series>
}

const HELP = /^# HELP ([a-zA-Z_:][a-zA-Z0-9_:]*) (.+)$/
const TYPE = /^# TYPE ([a-zA-Z_:][a-zA-Z0-9_:]*) (counter|gauge|histogram)$/
const SAMPLE = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (\S+)$/
const LABEL = /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\["\\n])*)"(?:,|$)/y

const fail = (line: string, why: string): never => {
  throw new Error(`${why}: ${JSON.stringify(line)}`)
}

const labelsOf = (text: string, line: string): Readonly<Record<string, string>> => {
  const labels: Record<string, string> = {}
  LABEL.lastIndex = 0
  for (let at = 0; at < text.length; at = LABEL.lastIndex) {
    const [, name, value] = LABEL.exec(text) ?? fail(line, "a broken label")
    if (name === undefined || value === undefined || Object.hasOwn(labels, name)) return fail(line, "a label twice")
    labels[name] = value.replace(/\\(.)/g, (_all, escaped: string) => (escaped === "n" ? "\n" : escaped))
  }
  return labels
}

const valueOf = (text: string, line: string): number => {
  if (text === "+Inf") return Number.POSITIVE_INFINITY
  return /^-?\d+(\.\d+)?(e[+-]?\d+)?$/.test(text) ? Number(text) : fail(line, "no number")
}

const SUFFIXES = ["_bucket", "_sum", "_count"]

/** True if a sample of this name belongs to the family. */
const belongs = (sample: string, { name, type }: Pick<Family, "name" | "type">): boolean =>
  type === "histogram" ? SUFFIXES.some((suffix) => sample === name + suffix) : sample === name

const checkHistogram = ({ name, series }: Family): void => {
  const groups = new Map<
    string,
    { buckets: Array<readonly [number, number]>; count: number | null; sum: number | null }
  >()
  for (const {
    name: sample,
    labels: { le, ...rest },
    value
  } of series) {
    const key = JSON.stringify(rest)
    const group = groups.get(key) ?? { buckets: [], count: null, sum: null }
    groups.set(key, group)
    if (sample.endsWith("_bucket")) group.buckets.push([le === "+Inf" ? Number.POSITIVE_INFINITY : Number(le), value])
    else if (sample.endsWith("_count")) group.count = value
    else group.sum = value
  }
  for (const [key, { buckets, count, sum }] of groups) {
    const rising = buckets.every(
      ([bound, value], at) => at === 0 || (bound > (buckets[at - 1]?.[0] ?? 0) && value >= (buckets[at - 1]?.[1] ?? 0))
    )
    const last = buckets.at(-1)
    if (!rising || last?.[0] !== Number.POSITIVE_INFINITY || last[1] !== count || sum === null)
      throw new Error(`the histogram ${name} ${key} does not add up`)
  }
}

export class Exposition {
  readonly families: ReadonlyMap<string, Family>

  constructor(text: string) {
    this.families = read(text)
  }

  get series(): ReadonlyArray<Series> {
    return [...this.families.values()].flatMap((family) => family.series)
  }

  /** The value of one series; 0 if it does not exist yet. */
  value(name: string, labels: Readonly<Record<string, string>> = {}): number {
    return this.find(name, labels)?.value ?? 0
  }

  find(name: string, labels: Readonly<Record<string, string>> = {}): Series | undefined {
    const wanted = Object.entries(labels)
    const found = this.series.filter(
      (one) =>
        one.name === name &&
        Object.keys(one.labels).length === wanted.length &&
        wanted.every(([label, value]) => one.labels[label] === value)
    )
    if (found.length > 1) throw new Error(`${name} stands there twice`)
    return found[0]
  }

  /** The sum over all series of the name that have these labels, and possibly others. */
  sum(name: string, labels: Readonly<Record<string, string>> = {}): number {
    return this.series
      .filter(
        (one) => one.name === name && Object.entries(labels).every(([label, value]) => one.labels[label] === value)
      )
      .reduce((sum, one) => sum + one.value, 0)
  }
}

const read = (text: string): ReadonlyMap<string, Family> => {
  if (!text.endsWith("\n")) throw new Error("the last line does not end")
  const families = new Map<string, Family & { readonly series: Array<Series> }>()
  let help: readonly [string, string] | null = null
  let current: (Family & { readonly series: Array<Series> }) | null = null
  const seen = new Set<string>()
  for (const line of text.slice(0, -1).split("\n")) {
    const [, helped, what] = HELP.exec(line) ?? []
    const [, typed, type] = TYPE.exec(line) ?? []
    if (helped !== undefined && what !== undefined) help = [helped, what]
    else if (typed !== undefined) {
      if (help?.[0] !== typed) fail(line, "a type without its help")
      if (families.has(typed)) fail(line, "a family in two places")
      current = { name: typed, type: type as Family["type"], help: help?.[1] ?? "", series: [] }
      families.set(typed, current)
    } else {
      const [, name, labels, value] = SAMPLE.exec(line) ?? fail(line, "no sample")
      if (name === undefined || value === undefined || current === null || !belongs(name, current))
        return fail(line, "a sample outside its family")
      const one = { name, labels: labelsOf(labels ?? "", line), value: valueOf(value, line) }
      const identity = JSON.stringify([name, Object.entries(one.labels).toSorted()])
      if (seen.has(identity)) fail(line, "a series twice")
      seen.add(identity)
      current.series.push(one)
    }
  }
  for (const family of families.values()) if (family.type === "histogram") checkHistogram(family)
  return families
}

/** Reads the metrics of a node from its private port. */
export const scrape = async (url: string): Promise<Exposition> => {
  const response = await fetch(url)
  const type = response.headers.get("content-type")
  if (response.status !== 200 || type !== "text/plain; version=0.0.4; charset=utf-8")
    throw new Error(`${response.status} ${type}`)
  return new Exposition(await response.text())
}
