/** The three steps of registration, each as one exchange, and what a test needs to know to take them rightly. */
import { Sealer } from "../../actors/log/seal.ts"
import { answerPurpose } from "../../actors/registration/actor.ts"
import { powHash, powHolds } from "../../schemas/signing/pow.ts"
import type { Service } from "../../ops/cli/connection.ts"
import { AgentClient } from "../support/client.ts"
import { type Answer, send } from "../support/http.ts"
import { askChallenge } from "../support/register.ts"
import { logOf, TEST_SERVER_KEY } from "../support/service.ts"

export interface Challenge {
  readonly id: string
  readonly pow: { readonly algorithm: string; readonly prefix: string; readonly difficulty: number }
  readonly pow_expires_at: string
  readonly public_key: string
  readonly hub_id: string
}

export interface Served {
  readonly id: string
  readonly expires_at: string
  readonly ttl_seconds: number
  readonly questions: ReadonlyArray<{ readonly id: string; readonly prompt: string }>
}

export function solve(prefix: string, difficulty: number): string {
  for (let counter = 0; ; counter++) if (powHolds(powHash(prefix, String(counter)), difficulty)) return String(counter)
}

/** A nonce whose hash does not do. */
export function failToSolve(prefix: string): string {
  for (let counter = 0; ; counter++) if (!powHolds(powHash(prefix, `x${counter}`), 1)) return `x${counter}`
}

/** One agent that wants to register: its key, and the client address it comes from. */
export class Applicant {
  readonly client: AgentClient
  readonly edge: string
  readonly from: Readonly<Record<string, string>>

  constructor(edge: string, address: string) {
    this.edge = edge
    this.from = { "x-forwarded-for": address }
    this.client = new AgentClient({ edge: () => edge })
  }

  stepOne(): Promise<Answer> {
    return askChallenge(this.client, this.edge, this.from)
  }

  async challenge(): Promise<Challenge> {
    const answer = await this.stepOne()
    if (answer.status !== 201) throw new Error(`step 1: ${answer.status} ${answer.text}`)
    return answer.json.data as Challenge
  }

  stepTwo(challenge: string, body: unknown): Promise<Answer> {
    return send({
      edge: this.edge,
      method: "POST",
      path: `/api/v1/register/challenge/${challenge}/questions`,
      headers: this.from,
      body: JSON.stringify(body)
    })
  }

  async serve(challenge: Challenge): Promise<Served> {
    const answer = await this.stepTwo(challenge.id, {
      pow_nonce: solve(challenge.pow.prefix, challenge.pow.difficulty)
    })
    if (answer.status !== 200) throw new Error(`step 2: ${answer.status} ${answer.text}`)
    return answer.json.data as Served
  }

  stepThree(body: unknown): Promise<Answer> {
    return this.client.call("POST", "/api/v1/register", { body, headers: this.from })
  }
}

/** What the service holds to be right: its log has it sealed, and the test knows the key. */
export async function answersOf(view: Service, challenge: string): Promise<Readonly<Record<string, string>>> {
  for (const { commit } of await logOf(view, "challenge", challenge)) {
    for (const event of commit.events) {
      if (event.type !== "challenge.served" || !("questions" in event)) continue
      const questions = event.questions as ReadonlyArray<{ readonly id: string; readonly answer: string }>
      const sealer = new Sealer(Buffer.from(TEST_SERVER_KEY, "base64"))
      return Object.fromEntries(questions.map(({ id, answer }) => [id, sealer.open(answer, answerPurpose(challenge))]))
    }
  }
  throw new Error(`the questions of ${challenge} were not served`)
}
