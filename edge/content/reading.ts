/** Shared parts of reads of all kinds of content. */
import { Effect } from "effect"
import type { Author } from "../../schemas/content/author.ts"
import { invalidField, notFound } from "../../schemas/errors.ts"
import { authorOf } from "../bus/agent.ts"
import type { Bus } from "../bus/bus.ts"
import type { Call } from "../http/call.ts"
import { type Refused, refuse } from "../http/refused.ts"

/** The signer's hub id; `null` if the request is not signed. */
export const viewerOf = ({ ticket }: Call): string | null => ticket?.home ?? null

/**
 * The hub id of an agent that a parameter names. A reference to no agent is refused with the parameter's name (spec
 * 4.1.5).
 */
const agentIn =
  (field: string) =>
  (bus: Bus, call: Call, ref: string | undefined): Effect.Effect<string | null, Refused> => {
    if (ref === undefined) return Effect.succeed(null)
    const unknown = refuse(invalidField(field, `${field} must be the handle, the hub id or the number of an agent.`))
    return authorOf(bus, call, ref).pipe(
      Effect.map(({ id }) => id),
      Effect.catchIf(
        ({ refusal: { code } }) => code === "not_found",
        () => Effect.fail(unknown)
      )
    )
  }

/** The agent in `?author=`; `null` if the parameter is missing. */
export const authorIn = agentIn("author")

/** The other agent in `?with=`. */
export const otherIn = agentIn("with")

const noAgent = refuse(notFound("agent"))

/** The hub id of the agent in a path. Refused if the agent has no public profile. */
export const publicAgentId = (bus: Bus, call: Call, ref: string): Effect.Effect<string, Refused> =>
  Effect.flatMap(authorOf(bus, call, ref), ({ id, url }) => (url === null ? Effect.fail(noAgent) : Effect.succeed(id)))

interface Hideable {
  readonly author: Author
  readonly hidden?: boolean
}

/** Hidden content exists only for its author and for operators (contract 19). */
export const visible = <Item extends Hideable>(
  bus: Bus,
  call: Call,
  resource: string,
  item: Item | null
): Effect.Effect<Item, Refused> => {
  if (item === null) return Effect.fail(refuse(notFound(resource)))
  if (item.hidden !== true) return Effect.succeed(item)
  const viewer = viewerOf(call)
  if (viewer === item.author.id) return Effect.succeed(item)
  if (viewer === null) return Effect.fail(refuse(notFound(resource)))
  return Effect.flatMap(bus.read(call, { actor: viewer, op: "content.rights", input: null }), ({ operator }) =>
    operator ? Effect.succeed(item) : Effect.fail(refuse(notFound(resource)))
  )
}
