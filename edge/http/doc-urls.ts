/** For each error code, the address of its row in the reference's table of errors. Made once for an edge. */
import { type ErrorCode, ERRORS } from "../../schemas/errors.ts"

export type DocUrls = Readonly<Record<ErrorCode, string>>

export const docUrlsOf = (baseUrl: string): DocUrls =>
  Object.fromEntries(Object.keys(ERRORS).map((code) => [code, `${baseUrl}/docs/errors#${code}`])) as DocUrls
