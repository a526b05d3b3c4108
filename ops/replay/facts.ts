/**
 * Default facts for decisions in a what-if whose file gives none. They are fixed, so each run has the same. A decision
 * that needs a new number gets 0, which the service never gives.
 */
import type { KeyFacts } from "../../actors/agent/identity/new-key.ts"
import type { BlobsAt } from "../../actors/blob/naming.ts"
import type { Ready } from "../../actors/letter/sending.ts"
import type { CreateFacts, ServeFacts } from "../../actors/registration/challenge.ts"
import type { RegisterFacts } from "../../actors/registration/register.ts"
import { generateQuestions } from "../../actors/registration/questions/generate.ts"
import { randomFromSeed, SEED_BYTES } from "../../actors/registration/questions/random.ts"

type Facts = Readonly<Record<string, unknown>>

/** Facts of all operations, by name. Files and blobs count as not named by any other record. */
const anywhere: KeyFacts & { readonly blobs: BlobsAt } = { notification: 0, cancellation: 0, blobs: new Map() }

const create: CreateFacts = { prefix: "0".repeat(32), registrations: 0, key: "free" }
const serve = (): ServeFacts => ({ questions: generateQuestions(randomFromSeed(new Uint8Array(SEED_BYTES))) })
/** The log has the questions of a registration, but only sealed answers. So a what-if of it must give `questions`. */
const register: Omit<RegisterFacts, "questions"> = { number: 0, sealedSecret: "sealed1.of.a.what-if" }

const send: Pick<Ready, "facts"> = { facts: { type: "ready", transport: "file" } }

const OF_OPERATION: Readonly<Record<string, () => object>> = {
  "challenge.create": () => create,
  "challenge.serve": serve,
  "challenge.register": () => register,
  "letter.send": () => send,
  "mail_notice.take": () => ({ sealed: "sealed1.of.a.what-if" })
}

export const defaultFacts = (op: string): Facts => ({
  ...anywhere,
  ...(Object.hasOwn(OF_OPERATION, op) ? OF_OPERATION[op]?.() : {})
})
