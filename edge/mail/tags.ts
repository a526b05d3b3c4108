/** The tags of a mailbox: lists, makes and ends them (contract 20). */
import { Effect } from "effect"
import { notFound } from "../../schemas/errors.ts"
import { MakeTag } from "../../schemas/mail/tags.ts"
import { admitted, numberOf, textsChecked } from "../content/writing.ts"
import type { Call } from "../http/call.ts"
import { bodyDecoder } from "../http/json.ts"
import { pageMeta, pageOf } from "../http/query.ts"
import { refuse } from "../http/refused.ts"
import { dataValue } from "../http/respond.ts"
import { signer } from "../bus/own.ts"
import type { EdgeParts } from "../kit/parts.ts"

const decodeMake = bodyDecoder(MakeTag)

const CREATED = 201
const NO_FIELDS = Buffer.from("{}")

export const mailTagHandlers = ({ bus, config: { hub } }: Pick<EdgeParts, "bus" | "config">) => ({
  listMailTags: (
    call: Call,
    { params, query }: { readonly params: { readonly id: string }; readonly query: Parameters<typeof pageOf>[0] }
  ) =>
    Effect.gen(function* () {
      const id = yield* numberOf("mailbox", params.id)
      const { id: agent } = yield* signer(bus, call)
      const page = pageOf(query, hub.limits)
      const all = yield* bus.read(call, { actor: String(id), op: "mailbox.tags", input: { agent, mark: null } })
      const shown = all.slice((page.page - 1) * page.per_page, page.page * page.per_page)
      return dataValue(shown, 200, pageMeta(page, all.length))
    }),
  makeMailTag: (call: Call, { params }: { readonly params: { readonly id: string } }) =>
    Effect.gen(function* () {
      const { tag = null, expires_in_seconds = null } = yield* decodeMake(
        call,
        call.body.length === 0 ? NO_FIELDS : call.body
      )
      yield* textsChecked(call, { tag })
      const actor = String(yield* numberOf("mailbox", params.id))
      const { agent } = yield* admitted(bus, call)
      const input = { agent, tag, expires_in_seconds }
      const { mark } = yield* bus.read(call, { actor, op: "mailbox.make_tag", input })
      const [made] = yield* bus.read(call, { actor, op: "mailbox.tags", input: { agent, mark } })
      return made === undefined ? yield* refuse(notFound("tag")) : dataValue(made, CREATED)
    }),
  endMailTag: (call: Call, { params }: { readonly params: { readonly id: string; readonly tag: string } }) =>
    Effect.gen(function* () {
      const actor = String(yield* numberOf("mailbox", params.id))
      const { agent } = yield* admitted(bus, call)
      const tag = params.tag.toLowerCase()
      yield* bus.ask(call, { actor, op: "mailbox.end_tag", input: { agent, tag } })
      return dataValue({ deleted: true, tag })
    })
})
