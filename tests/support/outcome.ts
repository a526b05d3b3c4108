/** An answer in a few words, so that many can be compared at once. */
import type { Answer } from "./http.ts"

/** For example "200", or status and code of a refusal: "422 validation_error". */
export const outcome = (answer: Answer): string => `${answer.status} ${answer.code}`.trim()

export const detailsOf = (answer: Answer): Readonly<Record<string, unknown>> => answer.json.error?.details ?? {}

/** The field that a 422 names. */
export const fieldOf = (answer: Answer): unknown => detailsOf(answer)["field"]

export const dataOf = <T>(answer: Answer): T => {
  if (answer.status >= 300) throw new Error(`expected data, got ${answer.status} ${answer.text}`)
  return answer.json.data as T
}
