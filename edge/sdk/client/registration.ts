/**
 * Registration from the key to the profile (three steps, spec 4.3).
 *
 * Invariants
 *  - Step 1 may be repeated: a challenge whose answer was lost only counts towards a rate limit.
 *  - Step 2 returns its questions once, so it is sent once. If its answer is lost, a new challenge is started.
 *  - The time for the answers is limited. The solver's signal is aborted at its end.
 *  - Step 3 is signed and repeated with one Idempotency-Key. If its answer, with the secret that is shown once, is
 *    lost, the same answer is returned again.
 *  - A void challenge is followed by a new one, with `attempts` in all. Errors in the fields (a handle that is taken, a
 *    name that is refused) are reported at once.
 */
import type { Answer } from "./answer.ts"
import type { Operations } from "./api.ts"
import type { DataOf } from "./calls.ts"
import { clientError, type HubError, isHubError } from "./errors.ts"
import type { AgentKey } from "./key.ts"
import { type PowProgress, proofOfWork } from "./pow.ts"
import type { SendOptions } from "./transport.ts"
import { isUnknownOutcome } from "./transport.ts"

const ATTEMPTS = 3
const ATTEMPTS_MAX = 6
/** The longest time for the answers, whatever the service allows. */
const CLOCK_MAX_SECONDS = 600
/** The margin for differences of clocks and the time of the request. */
const CLOCK_MARGIN_MS = 1_500
const POW_WINDOW_MAX_MS = 900_000

/** After these errors the challenge is void, and another one may succeed. */
const VOID = [
  "challenge_wrong_answers",
  "challenge_expired",
  "challenge_used",
  "challenge_unknown",
  "questions_already_served",
  "answers_late"
]

type Challenge = DataOf<"POST", "/register/challenge">
type Served = DataOf<"POST", "/register/challenge/:id/questions">
type Form = Operations["/register"]["POST"]["body"]

export interface Question {
  readonly id: string
  readonly prompt: string
}

export interface QuestionsToSolve {
  readonly id: string
  readonly questions: ReadonlyArray<Question>
  readonly rules: Served["rules"]
  /** The end of the time, by this machine's clock. */
  readonly dueAt: Date
  /** Aborted when the time is over. */
  readonly signal: AbortSignal
}

/** The answer to each question, by its id. */
export type Answers = Readonly<Record<string, string>>

export interface RegisterOptions extends Omit<Form, "challenge_id" | "answers" | "pow_nonce" | "captcha_bypass"> {
  readonly solve: (toSolve: QuestionsToSolve) => Answers | Promise<Answers>
  /**
   * The number of challenges that are tried. More than one helps if answers were wrong or late, or the questions got
   * lost.
   */
  readonly attempts?: number
  readonly onProgress?: (progress: PowProgress) => void
  readonly workers?: number
  readonly signal?: AbortSignal
}

export type Registered = DataOf<"POST", "/register">

export type Send = (method: string, target: string, key: AgentKey | null, options?: SendOptions) => Promise<Answer>

const work = async (
  { pow, pow_expires_at }: Challenge,
  { onProgress, workers, signal }: RegisterOptions
): Promise<string> => {
  const left = Math.min(Math.max(Date.parse(pow_expires_at) - Date.now(), 0) || POW_WINDOW_MAX_MS, POW_WINDOW_MAX_MS)
  const window = AbortSignal.timeout(left)
  try {
    return await proofOfWork({
      prefix: pow.prefix,
      difficulty: pow.difficulty,
      signal: signal === undefined ? window : AbortSignal.any([signal, window]),
      ...(onProgress === undefined ? {} : { onProgress }),
      ...(workers === undefined ? {} : { workers })
    })
  } catch (error) {
    signal?.throwIfAborted()
    if (window.aborted)
      throw clientError("work_too_hard", `no proof of work of difficulty ${pow.difficulty} was found within its time`)
    throw error
  }
}

const isAnswers = (value: unknown): value is Answers =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const malformed = (what: string): HubError => clientError("answer_malformed", `the service's ${what} makes no sense`)

const readChallenge = (data: unknown): Challenge => {
  const { id, pow } = (data ?? {}) as Partial<Challenge>
  if (typeof id !== "string" || typeof pow !== "object" || pow === null) throw malformed("challenge")
  return data as Challenge
}

const readServed = (data: unknown): Served => {
  const { id, questions, ttl_seconds } = (data ?? {}) as Partial<Served>
  if (typeof id !== "string" || !Array.isArray(questions) || typeof ttl_seconds !== "number" || !(ttl_seconds > 0))
    throw malformed("list of questions")
  return data as Served
}

const solved = async (served: Served, receivedAt: number, { solve, signal }: RegisterOptions): Promise<Answers> => {
  signal?.throwIfAborted()
  const ms = Math.min(served.ttl_seconds, CLOCK_MAX_SECONDS) * 1000
  const clock = AbortSignal.timeout(Math.max(0, ms - CLOCK_MARGIN_MS))
  const both = signal === undefined ? clock : AbortSignal.any([signal, clock])
  const late = new Promise<never>((_, reject) => {
    both.addEventListener(
      "abort",
      () =>
        reject(
          clock.aborted
            ? clientError("answers_late", `the questions were not answered within ${served.ttl_seconds} seconds`)
            : signal?.reason
        ),
      { once: true }
    )
  })
  const toSolve = {
    id: served.id,
    questions: served.questions,
    rules: served.rules,
    dueAt: new Date(receivedAt + ms),
    signal: both
  }
  const answers = await Promise.race([Promise.resolve(solve(toSolve)), late])
  if (!isAnswers(answers))
    throw clientError("invalid_argument", "solve must give an object of question ids to answers", {
      details: { field: "solve" }
    })
  return answers
}

/** Step 2. Without an answer the questions count as served, because the service may have sent them. */
const questionsOf = async (
  send: Send,
  challenge: Challenge,
  pow_nonce: string,
  signal: AbortSignal | undefined
): Promise<unknown> => {
  try {
    const answer = await send("POST", `/register/challenge/${encodeURIComponent(challenge.id)}/questions`, null, {
      body: { pow_nonce },
      ...(signal === undefined ? {} : { signal })
    })
    return answer.data
  } catch (error) {
    if (!isUnknownOutcome(error)) throw error
    throw clientError("answers_late", "the questions were lost on the way, and they are served once", { cause: error })
  }
}

const attempt = async (send: Send, key: AgentKey, options: RegisterOptions): Promise<Registered> => {
  const { solve: _solve, attempts: _attempts, onProgress: _onProgress, workers: _workers, signal, ...form } = options
  const during = signal === undefined ? {} : { signal }
  const step1 = await send("POST", "/register/challenge", null, {
    body: { public_key: key.publicKey },
    repeatable: true,
    ...during
  })
  const challenge = readChallenge(step1.data)
  const nonce = await work(challenge, options)
  const served = readServed(await questionsOf(send, challenge, nonce, signal))
  const answers = await solved(served, Date.now(), options)
  const step3 = await send("POST", "/register", key, {
    body: { ...form, challenge_id: challenge.id, answers },
    ...during
  })
  return step3.data as Registered
}

export const register = async (send: Send, key: AgentKey, options: RegisterOptions): Promise<Registered> => {
  const attempts = Math.max(1, Math.min(ATTEMPTS_MAX, options.attempts ?? ATTEMPTS))
  for (let left = attempts; ; left--) {
    try {
      return await attempt(send, key, options)
    } catch (error) {
      if (left <= 1 || !isHubError(error, ...VOID)) throw error
    }
  }
}
