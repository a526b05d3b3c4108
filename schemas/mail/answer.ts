/** The subject of an answer; apart from the schemas, so that hub-agent loads no Effect for it. */
import { MAIL_LIMITS } from "./limits.ts"

const ANSWER = /^re\s*:/i

/** Never longer than any subject that is sent. */
export const answerSubject = (subject: string): string =>
  [...(ANSWER.test(subject) ? subject : `Re: ${subject}`)].slice(0, MAIL_LIMITS.subject_max_chars).join("").trim()
