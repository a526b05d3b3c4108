/** Finds the entry of the vault that a fill is for. */
import type { EntryKind, FillableEntry } from "../../schemas/vault/records.ts"
import type { Hub } from "./hub.ts"
import { Refused } from "./refusal.ts"

export type Fillable = typeof FillableEntry.Type

const CANDIDATES_SHOWN = 20

export const entriesFor = (hub: Hub, query: Readonly<Record<string, string>>): Promise<ReadonlyArray<Fillable>> =>
  hub.ask("GET", `/vault/service/entries?${new URLSearchParams(query)}`)

/** The only entry of the kind that belongs to the website. Throws if there are none or several. */
export const entryFor = async (hub: Hub, origin: string, kind: EntryKind): Promise<Fillable> => {
  const [first, ...others] = await entriesFor(hub, { origin, kind })
  if (first === undefined) throw new Refused("entry_unknown", `The vault has no ${kind} for this website.`)
  if (others.length === 0) return first
  const candidates = [first, ...others].slice(0, CANDIDATES_SHOWN).map(({ id, label }) => ({ entry_id: id, label }))
  throw new Refused("entry_ambiguous", `The vault has several of kind ${kind} for this website: name one.`, {
    candidates
  })
}

/** Finds an entry by its number; `null` if the vault does not have it. */
export const entryNamed = async (hub: Hub, kind: EntryKind, id: number): Promise<Fillable | null> =>
  (await entriesFor(hub, { kind })).find((one) => one.id === id) ?? null
