/** The subject of an answer. It is separate from the schemas, so that hub-agent can use it without loading Effect. */
import { MAIL_LIMITS } from "./limits.ts"

const ANSWER = /^re\s*:/i

/** The result is cut to the longest subject that can be sent. */
export const answerSubject = (subject: string): string =>
  [...(ANSWER.test(subject) ? subject : `Re: ${subject}`)].slice(0, MAIL_LIMITS.subject_max_chars).join("").trim()
