/**
 * Computes the difference of two JSON values as a JSON patch (RFC 6902): `add`, `remove` and `replace`. Items of arrays
 * are compared by their positions, so patches are small only if lists keep their order. Pure.
 */
export type Json = string | number | boolean | null | ReadonlyArray<Json> | { readonly [name: string]: Json }

export type Operation =
  | { readonly op: "add" | "replace"; readonly path: string; readonly value: Json }
  | { readonly op: "remove"; readonly path: string }

const isList = (value: Json): value is ReadonlyArray<Json> => Array.isArray(value)
const isRecord = (value: Json): value is { readonly [name: string]: Json } =>
  typeof value === "object" && value !== null && !isList(value)

const escaped = (name: string): string => name.replaceAll("~", "~0").replaceAll("/", "~1")

export const patchOf = (before: Json, now: Json, path = ""): ReadonlyArray<Operation> => {
  if (isList(before) && isList(now)) return ofLists(before, now, path)
  if (isRecord(before) && isRecord(now)) return ofRecords(before, now, path)
  return before === now ? [] : [{ op: "replace", path, value: now }]
}

const ofLists = (before: ReadonlyArray<Json>, now: ReadonlyArray<Json>, path: string): ReadonlyArray<Operation> => {
  const both = Math.min(before.length, now.length)
  const changed = before.slice(0, both).flatMap((item, place) => patchOf(item, now[place] ?? null, `${path}/${place}`))
  const added = now.slice(both).map((value): Operation => ({ op: "add", path: `${path}/-`, value }))
  // Items are removed from the end, so that the positions of others do not change.
  const removed = before
    .slice(both)
    .map((_, place): Operation => ({ op: "remove", path: `${path}/${before.length - 1 - place}` }))
  return [...changed, ...added, ...removed]
}

const ofRecords = (
  before: { readonly [name: string]: Json },
  now: { readonly [name: string]: Json },
  path: string
): ReadonlyArray<Operation> => [
  ...Object.keys(before)
    .filter((name) => !Object.hasOwn(now, name))
    .map((name): Operation => ({ op: "remove", path: `${path}/${escaped(name)}` })),
  ...Object.entries(now).flatMap(([name, value]): ReadonlyArray<Operation> => {
    const place = `${path}/${escaped(name)}`
    const old = before[name]
    return old === undefined ? [{ op: "add", path: place, value }] : patchOf(old, value, place)
  })
]
