/**
 * Collects the exports of one name from all nouns of a list. `schemas/`, `actors/` and `edge/` each have a list in
 * `nouns.ts`.
 */

type Exported<Nouns, Name extends string> = {
  readonly [Noun in keyof Nouns]: Nouns[Noun] extends { readonly [N in Name]: infer Part } ? Part : never
}[keyof Nouns]

/** The parts of all nouns, ordered by the nouns' names. */
export const partsOf = <Nouns extends Readonly<Record<string, object>>, const Name extends string>(
  nouns: Nouns,
  name: Name
): ReadonlyArray<Exported<Nouns, Name>> =>
  Object.values(nouns).flatMap((noun) => {
    const part: unknown = Object.entries(noun).find(([exported]) => exported === name)?.[1]
    return part === undefined ? [] : [part as Exported<Nouns, Name>]
  })

type Together<Part> = (Part extends unknown ? (part: Part) => void : never) extends (all: infer All) => void
  ? { readonly [Name in keyof All]: All[Name] }
  : never

/** Merges records into one. Throws if a name is in two of them. */
export const joined = <Part extends object>(parts: ReadonlyArray<Part>): Together<Part> => {
  const entries = parts.flatMap((part) => Object.entries(part))
  const all = Object.fromEntries(entries)
  if (Object.keys(all).length < entries.length)
    throw new Error(`Declared twice: ${twice(entries.map(([name]) => name))}`)
  return all as Together<Part>
}

const twice = (names: ReadonlyArray<string>): string =>
  names.filter((name, index) => names.indexOf(name) !== index).join(", ")
