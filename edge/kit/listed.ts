/** Lists for pages: the same lists as in the interface (spec 4.1.4). */
import { Effect } from "effect"
import type { Queries } from "../../schemas/bus/operations.ts"
import { parse } from "../bus/bus.ts"
import type { ListName, Lists } from "../bus/lists.ts"
import type { Call } from "../http/call.ts"
import type { Refused } from "../http/refused.ts"

export const PER_PAGE = 20

export interface Records<View extends ListName> {
  readonly total: number
  readonly items: Queries[View]["output"]["items"]
}

export const recordsOf = <View extends ListName>(
  lists: Lists,
  call: Call,
  view: View,
  input: Queries[View]["input"]
): Effect.Effect<Records<View>, Refused> =>
  Effect.map(lists.page(call, view, input), ({ total, items }) => ({
    total,
    items: parse<Queries[View]["output"]["items"]>(items)
  }))
