/** The page of a later owner of an agent, on which an earlier owner approves or objects (contract 22). */
import { Effect } from "effect"
import { notFound } from "../../schemas/errors.ts"
import type { LaterOwners } from "./later.ts"
import type { Owning } from "./owning.ts"
import type { OwnerSpace, PageAnswer } from "../human/index.ts"
import type { Call } from "../http/call.ts"
import { refuse } from "../http/refused.ts"
import { laterForm, laterPage, laterPath } from "./later-view.ts"

interface LaterRequest {
  readonly params: { readonly handle: string; readonly id: string }
}

interface Judging {
  readonly form_token?: string
  readonly act?: string
}

const noOwner = refuse(notFound("owner"))

export const laterPages = (space: OwnerSpace, owning: Owning, owners: LaterOwners) => {
  const found = (call: Call, human: string, { params }: LaterRequest) =>
    Effect.gen(function* () {
      const handle = params.handle.toLowerCase()
      const id = yield* owning.agent(call, handle)
      const later = yield* owners.shown(call, human, id)
      const one = later.find(({ sponsorship }) => String(sponsorship) === params.id)
      return one === undefined ? yield* Effect.fail(noOwner) : { id, handle, one }
    })

  return {
    laterOwner: (call: Call, asked: LaterRequest): PageAnswer =>
      space.asMember(call, (member) =>
        Effect.map(found(call, member.person.human, asked), ({ id, handle, one }) =>
          space.page(call, member, laterPage(space, member, { id, handle }, one))
        )
      ),
    judgeOwner: (call: Call, { params, form }: LaterRequest & { readonly form: Judging }): PageAnswer =>
      space.asMember(call, (member) =>
        Effect.gen(function* () {
          const { human } = member.person
          const { id, handle, one } = yield* found(call, human, { params })
          const approves = form.act === "approve"
          if (!approves && form.act !== "object") return yield* Effect.fail(noOwner)
          const { sponsorship } = one
          yield* space.taken(call, member, laterForm(id, sponsorship), form)
          yield* owners.judge(call, human, id, { sponsorship, approves })
          return space.goTo(call, laterPath(handle, sponsorship), approves ? "owner_approved" : "owner_objected")
        })
      )
  }
}
