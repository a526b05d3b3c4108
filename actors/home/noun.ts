import type { Answering } from "../queries/serve.ts"
import { homeQuery } from "./queries.ts"

export const queries = ({ db, people, words, mails, config: { baseUrl } }: Answering) => ({
  home: homeQuery(db, baseUrl, { people, words, mails })
})
