/** The difference of two JSON values, field by field. */
export interface Difference {
  /** A path such as `keys[1].from`; empty for the whole value. */
  readonly path: string
  /** `undefined` if the value does not exist. */
  readonly before: unknown
  readonly after: unknown
}

type Fields = Readonly<Record<string, unknown>>

const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value)

export const differences = (before: unknown, after: unknown, path = ""): ReadonlyArray<Difference> => {
  if (Array.isArray(before) && Array.isArray(after)) {
    const length = Math.max(before.length, after.length)
    return Array.from({ length }, (_, index) => differences(before[index], after[index], `${path}[${index}]`)).flat()
  }
  if (isFields(before) && isFields(after)) {
    const names = [...new Set([...Object.keys(before), ...Object.keys(after)])]
    return names.flatMap((name) => differences(before[name], after[name], path === "" ? name : `${path}.${name}`))
  }
  return Object.is(before, after) ? [] : [{ path, before, after }]
}

export const asJson = (value: unknown): unknown => (value === undefined ? undefined : JSON.parse(JSON.stringify(value)))

export const valueText = (value: unknown): string => (value === undefined ? "nothing" : JSON.stringify(value))
