/** What is read: the sentences of a story as units, people and things by what they are called. */
import type { Slots } from "./grammar.ts"

export type Person = string | { readonly relation: string; readonly value: string }
/** As it is read: people and things by what they are called. */
export interface Told {
  readonly act: number
  readonly who: Person
  readonly whom: Person | null
  readonly n: number
  readonly what: string | null
}
export type Unit =
  | { readonly type: "tell"; readonly move: Told; readonly counts: boolean; readonly by: Person | null }
  | { readonly type: "instead"; readonly wrong: unknown; readonly right: unknown }
  | { readonly type: "retold" | "denied" | "restated" | "chosen"; readonly move: Told }
  | { readonly type: "late"; readonly move: Told; readonly change: Unit }
  | { readonly type: "cancel" | "again" }
  | { readonly type: "like"; readonly who: Person; readonly n: number; readonly opposite: boolean }
  | { readonly type: "sign"; readonly sign: number }
  | { readonly type: "between"; readonly from: number; readonly to: number }
  | { readonly type: "liar"; readonly who: Person }
  | { readonly type: "intro"; readonly name: string; readonly mark: Mark }
  | { readonly type: "setting"; readonly slots: Slots }
export interface Mark {
  readonly relation: string
  readonly key: string
}
