/** Accounts of people (spec 4.8; contract 6, 20). */
import { Effect } from "effect"
import { ConfirmAddress, EndAccount, HumanApi, LogIn, SignUp } from "../../schemas/human/api.ts"
import { HUMAN_ID } from "../../schemas/human/fields.ts"
import { notFound, refusal } from "../../schemas/errors.ts"
import { asking } from "./bearer.ts"
import { linkOf } from "./links.ts"
import { People } from "./people.ts"
import { routesOf } from "../http/handlers.ts"
import { bodyDecoder } from "../http/json.ts"
import { refuse } from "../http/refused.ts"
import { dataBytes, dataValue } from "../http/respond.ts"
import type { EdgeParts } from "../kit/parts.ts"
import type { PasswordHashing } from "./password-hash.ts"

const decodeSignUp = bodyDecoder(SignUp)
const decodeLogIn = bodyDecoder(LogIn)
const decodeConfirm = bodyDecoder(ConfirmAddress)
const decodeEnd = bodyDecoder(EndAccount)

const CREATED = 201
const ACCEPTED = 202
const NO_FIELDS = Buffer.from("{}")

const unconfirmed = refusal(
  "confirmation_required",
  "Deleting the account needs `password`, and `confirm`: your own address.",
  {
    field: "confirm"
  }
)

export const humanRoutes = (parts: EdgeParts & { readonly passwords: PasswordHashing }) => {
  const { bus } = parts
  const people = new People(parts)
  return routesOf(HumanApi, {
    signUp: (call) =>
      Effect.gen(function* () {
        const account = yield* people.signUp(call, yield* decodeSignUp(call))
        return dataValue({ ...account, sponsorships: [] }, CREATED)
      }),
    logIn: (call) =>
      Effect.gen(function* () {
        const { human, ...session } = yield* people.logIn(call, yield* decodeLogIn(call))
        const sponsorships = yield* bus.query(call, "sponsored", { human: human.id })
        return dataValue({ ...session, human: { ...human, sponsorships } })
      }),
    logOut: (call) => {
      const { human, token } = asking(call)
      const closed = bus.ask(call, { actor: human, op: "human.close_session", input: { token } })
      return Effect.map(closed, (answer) => dataBytes(answer))
    },
    getHumanMe: (call) =>
      Effect.gen(function* () {
        const { human } = asking(call)
        const account = yield* bus.read(call, { actor: human, op: "human.account", input: null })
        return dataValue({ ...account, sponsorships: yield* bus.query(call, "sponsored", { human }) })
      }),
    deleteHumanMe: (call) =>
      Effect.gen(function* () {
        const { human } = asking(call)
        const { password, confirm } = yield* decodeEnd(call, call.body.length === 0 ? NO_FIELDS : call.body)
        if (password === undefined || confirm === undefined) return yield* refuse(unconfirmed)
        return dataBytes(yield* people.end(call, human, { password, confirm }))
      }),
    sendVerification: (call) =>
      Effect.map(bus.ask(call, { actor: asking(call).human, op: "human.send_verification", input: null }), (sent) =>
        dataBytes(sent, ACCEPTED)
      ),
    confirmAddress: (call) =>
      Effect.gen(function* () {
        const { human, token } = yield* linkOf((yield* decodeConfirm(call)).token)
        return dataBytes(yield* bus.ask(call, { actor: human, op: "human.confirm_address", input: { token } }))
      }),
    getHuman: (call, { params: { id } }) =>
      Effect.gen(function* () {
        if (!HUMAN_ID.test(id)) return yield* refuse(notFound("human"))
        const shown = yield* bus.read(call, { actor: id, op: "human.shown", input: null })
        return dataValue({ ...shown, agents: yield* bus.query(call, "sponsored_agents", { human: id }) })
      })
  })
}
