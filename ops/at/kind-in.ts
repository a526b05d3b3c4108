/** Reads the kind off a subject of the log, without splitting it. */
import { subjects } from "../../schemas/subjects.ts"

const KIND_AT = subjects.event("", "").length - 1

export const kindIn = (subject: string): string => subject.slice(KIND_AT, subject.indexOf(".", KIND_AT))
