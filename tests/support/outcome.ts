/** An answer in a few words, so that many can be compared at once. */
import type { Answer } from "./http.ts"

/** For example "200", or status and code of a refusal: "422 validation_error". */
export const outcome = (answer: Answer): string => `${answer.status} ${answer.code}`.trim()

export const detailsOf = (answer: Answer): Readonly<Record<string, unknown>> => answer.json.error?.details ?? {}

/** The field that a 422 names. */
export const fieldOf = (answer: Answer): unknown => detailsOf(answer)["field"]

export class NoData extends Error {
  readonly status: number

  constructor({ status, text }: Answer) {
    super(`expected data, got ${status} ${text}`)
    this.status = status
  }
}

/** Throws `NoData` if the answer has none. */
export const dataOf = <T>(answer: Answer): T => {
  if (answer.status >= 300) throw new NoData(answer)
  return answer.json.data as T
}
