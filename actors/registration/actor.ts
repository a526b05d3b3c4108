/** The challenge actor: registration from its first step to the agent (spec 4.3). */
import { randomBytes } from "node:crypto"
import { type Refusal, unavailable } from "../../schemas/errors.ts"
import { subjects } from "../../schemas/subjects.ts"
import { custom, type PrepareContext, write } from "../engine/definition.ts"
import { nextNumber } from "../engine/counters.ts"
import { Sealer } from "../engine/seal.ts"
import { type Fold, kind, type KindParts } from "../kind.ts"
import { newWebhookSecret, secretPurpose } from "../webhook/secret.ts"
import {
  challengeRecord,
  contestedRegister,
  type CreateFacts,
  decideCreate,
  decideRegister,
  decideServe,
  judgeRegister,
  questionsRecord,
  type RegisterFacts,
  type RegisterInput,
  type RegisterReply,
  type Rules,
  type ServeFacts
} from "./decide.ts"
import { generateQuestions } from "./questions/generate.ts"
import { randomFromSeed, SEED_BYTES } from "./questions/random.ts"
import { CHALLENGE_EVENTS, type ChallengeEvent, type ChallengeState, evolve } from "./state.ts"

interface CreateInput {
  readonly public_key: string
  readonly hub_id: string
  readonly origin: string
}

type FullRegisterInput = RegisterInput & { readonly origin: string }

const PREFIX_BYTES = 16

const text = new TextDecoder()

const fold: Fold<ChallengeState, ChallengeEvent> = { kind: "challenge", initial: null, events: CHALLENGE_EVENTS, evolve }

const rulesOf = ({ config }: KindParts): Rules => ({
  limits: config.limits,
  production: config.env === "production",
  captchaBypass: config.captchaBypass,
  baseUrl: config.baseUrl,
  ownName: config.name
})

export const challengeKind = kind(fold, (parts) => {
  const rules = rulesOf(parts)
  const sealer = new Sealer(parts.seed)

  const askFor = async <T>(context: PrepareContext, kind: string, actor: string, op: string): Promise<T | { readonly refused: Refusal }> => {
    const answer = await parts.ask({ id: `${context.commandId}-${op}`, kind, actor, op, input: null, deadline: context.deadline, traceparent: context.traceparent })
    return answer.head.refused === undefined ? (JSON.parse(text.decode(answer.body)) as T) : { refused: answer.head.refused }
  }

  const prepareCreate = async (input: CreateInput, context: PrepareContext): Promise<CreateFacts | { readonly refused: Refusal }> => {
    const [key, recent] = await Promise.all([
      askFor<{ state: CreateFacts["key"] }>(context, "agent", input.hub_id, "agent.admit_key"),
      askFor<{ registrations: number }>(context, "origin", input.origin, "origin.recent")
    ])
    if ("refused" in key) return key
    if ("refused" in recent) return recent
    return { prefix: randomBytes(PREFIX_BYTES).toString("hex"), registrations: recent.registrations, key: key.state }
  }

  const prepareRegister = async (state: ChallengeState, input: RegisterInput, at: number): Promise<RegisterFacts | { readonly refused: Refusal }> => {
    if (judgeRegister(state, input, at, rules) !== null) return { number: 0, sealedSecret: "" }
    try {
      return { number: await nextNumber(parts.nats, "agent"), sealedSecret: sealer.seal(newWebhookSecret(), secretPurpose(input.hub_id)) }
    } catch {
      return { refused: unavailable("No agent number could be drawn at the moment.") }
    }
  }

  return {
    onTimer: "challenge.erase",
    operations: {
      "challenge.create": write<ChallengeState, CreateInput, ChallengeEvent, CreateFacts>({
        prepare: (_state, input, context) => prepareCreate(input, context),
        decide: (state, input, context) => decideCreate(state, input, context, rules),
        answer: (state, _reply, { id }) => (state === null ? null : challengeRecord(id, state, rules))
      }),
      "challenge.serve": write<ChallengeState, { readonly pow_nonce: unknown }, ChallengeEvent, ServeFacts>({
        prepare: () => Promise.resolve({ questions: generateQuestions(randomFromSeed(randomBytes(SEED_BYTES)), parts.bank) }),
        decide: (state, input, context) => decideServe(state, input, context, rules),
        answer: (state, _reply, { id }) => (state === null ? null : questionsRecord(id, state, rules))
      }),
      "challenge.register": write<ChallengeState, FullRegisterInput, ChallengeEvent, RegisterFacts>({
        prepare: (state, input, context) => prepareRegister(state, input, context.at),
        decide: (state, input, context) => decideRegister(state, input, context, rules),
        contested: (_state, _input, lost) => contestedRegister(lost),
        answer: (_state, reply) => registeredRecord(reply as RegisterReply, sealer, rules),
        projected: true,
        after: (input, context) => {
          // Raises the difficulty for the next one from the same address; lost with the node, it does no harm.
          void parts.ask({ id: `origin-${context.id}`, kind: "origin", actor: input.origin, op: "origin.record", input: null, deadline: Date.now() + 5000 })
        }
      }),
      "challenge.erase": custom<ChallengeState, null>(async (_state, _input, { id }) => {
        await parts.log.erase(subjects.event("challenge", id))
        return { data: null }
      })
    }
  }
})

const registeredRecord = (reply: RegisterReply, sealer: Sealer, rules: Rules) => ({
  ...reply.profile,
  webhook_secret: sealer.open(reply.sealedSecret, secretPurpose(reply.profile.id)),
  welcome: `Welcome, ${reply.profile.name}. You are ${reply.profile.hx_id}. Keep webhook_secret: it is not shown again. Sign GET ${rules.baseUrl}/api/v1/me to see your profile.`
})
