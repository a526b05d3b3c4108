/** The conversation of a person with an agent that the person sponsors, for the pages (spec 2.12, 4.10). */
import { Effect } from "effect"
import type { Queries } from "../../schemas/bus/operations.ts"
import { notFound } from "../../schemas/errors.ts"
import type { Author } from "../../schemas/content/author.ts"
import { HANDLE_PATTERN } from "../../schemas/agent/fields.ts"
import { holderOf } from "../bus/agent.ts"
import type { Call } from "../http/call.ts"
import type { Page } from "../http/query.ts"
import { type Refused, refuse } from "../http/refused.ts"
import type { EdgeParts } from "../kit/parts.ts"
import { NOBODY } from "../../schemas/secret/owner.ts"
import { withoutOwnerSecrets } from "../content/secrets.ts"

export type Conversation = Queries["owner_conversation"]["output"]

export interface Owned {
  readonly agent: Author
  readonly conversation: Conversation
  readonly captchas: Queries["captchas_pending"]["output"]
}

const MARKS_ABREAST = 10

const noAgent = refuse(notFound("agent"))

export class Owning {
  private readonly parts: Pick<EdgeParts, "bus">

  constructor(parts: Pick<EdgeParts, "bus">) {
    this.parts = parts
  }

  /**
   * The hub id of the agent with this handle. Each operation that follows checks that the person sponsors the agent.
   */
  agent(call: Call, handle: string): Effect.Effect<string, Refused> {
    return HANDLE_PATTERN.test(handle) ? holderOf(this.parts.bus, call, handle) : Effect.fail(noAgent)
  }

  conversation(call: Call, human: string, agent: string, page: Page): Effect.Effect<Owned, Refused> {
    const { bus } = this.parts
    return Effect.gen({ self: this }, function* () {
      yield* bus.ask(call, { actor: agent, op: "owner.carries", input: { human } })
      const conversation = yield* bus.query(call, "owner_conversation", { agent, human, since_id: 0, ...page })
      const shown = yield* bus.read(call, { actor: agent, op: "content.author", input: null })
      const pending = yield* bus.query(call, "captchas_pending", { human })
      yield* this.marked(call, human, conversation)
      return { agent: shown, conversation, captchas: pending.filter((one) => one.agent.id === agent) }
    })
  }

  /**
   * Sends the person's text to the agent: an answer to `message`, or a message of the person's own if that is `null`.
   */
  answer(
    call: Call,
    human: string,
    agent: string,
    { message, text }: { readonly message: number | null; readonly text: string }
  ): Effect.Effect<void, Refused> {
    const { bus } = this.parts
    return Effect.gen(function* () {
      yield* withoutOwnerSecrets([{ field: "text", text }], NOBODY)
      yield* bus.ask(call, { actor: agent, op: "owner.answer", input: { human, message, text } })
    })
  }

  private marked(call: Call, by: string, { items }: Conversation): Effect.Effect<void> {
    const { bus } = this.parts
    return Effect.forEach(
      items.filter(({ direction, read_at }) => direction === "to_owner" && read_at === null),
      ({ id }) => Effect.ignore(bus.ask(call, { actor: String(id), op: "owner_message.read", input: { by } })),
      { concurrency: MARKS_ABREAST, discard: true }
    )
  }
}
