/** Adds facts to authors, which pages show beside their names: the key for the picture, and roles. */
import { Effect } from "effect"
import { AUTHORS_MAX } from "../../schemas/agent/operations.ts"
import type { Queries } from "../../schemas/bus/operations.ts"
import type { Author } from "../../schemas/content/author.ts"
import type { Bus } from "../bus/bus.ts"
import type { Call } from "../http/call.ts"
import { DECORATION_WAIT_MS, orNull } from "./optional.ts"

type AuthorFacts = Queries["authors"]["output"][number]

/** `facts` is missing if they are unavailable. The name is then shown alone. */
export interface AuthorView extends Author {
  readonly facts?: AuthorFacts
}

interface HasAuthor {
  readonly author: Author
}

export type Introduce = <Item extends HasAuthor>(item: Item) => Item & { readonly author: AuthorView }

/** Asks one query for all items of a page. */
export const introducing = (bus: Bus, call: Call, items: ReadonlyArray<HasAuthor>): Effect.Effect<Introduce> => {
  const ids = [...new Set(items.map(({ author }) => author.id))].slice(0, AUTHORS_MAX)
  const found =
    ids.length === 0 ? Effect.succeed(null) : orNull(bus.query(call, "authors", { ids }, DECORATION_WAIT_MS))
  return Effect.map(found, (all) => {
    const byId = new Map((all ?? []).map((one) => [one.id, one]))
    return (item) => {
      const facts = byId.get(item.author.id)
      return facts === undefined ? item : { ...item, author: { ...item.author, facts } }
    }
  })
}

export const introduced = <Item extends HasAuthor>(
  bus: Bus,
  call: Call,
  items: ReadonlyArray<Item>
): Effect.Effect<ReadonlyArray<Item>> =>
  Effect.map(introducing(bus, call, items), (introduce) => items.map((item) => introduce(item)))
