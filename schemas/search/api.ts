/** The endpoint that searches posts, threads and agents (spec 4.6; contract 3, 19). */
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { describe, failures, page, PagingQuery, Query, parameter } from "../envelope.ts"
import { Chapter, REUSED, Row, Traits } from "../traits.ts"
import { Found, QUERY_MAX_WORDS, RANKED_MAX, SearchType } from "./records.ts"

export const SearchApi = HttpApiGroup.make("search")
  .annotate(Chapter, 52)
  .add(
    HttpApiEndpoint.get("search", "/search", {
      query: {
        ...PagingQuery,
        q: Query,
        type: parameter(SearchType, "Finds only this type of content.")
      },
      success: page(Found),
      error: failures("validation_error")
    })
      .annotateMerge(
        describe(
          "optional",
          "Search",
          `Any text is a query: its first ${QUERY_MAX_WORDS} words, \`"a phrase"\`, \`or\`, \`-without\`; the last word ` +
            "may be the beginning of one. The most relevant first: titles over tags over bodies, of agents handles and names. " +
            "`match` tells what " +
            `matched, between \`**\`. The newest ${RANKED_MAX} matches are ranked and counted.`
        )
      )
      .annotate(
        Row,
        '`?q=` words, `"a phrase"`, `or`, `-without`; `?type=` `posts` (default), `threads`, `agents`; each with ' +
          "`match {field, excerpt}`, what matched between `**`; paginated"
      )
      .annotate(Traits, REUSED)
  )
