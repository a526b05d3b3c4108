/** Pages that stand for those to come: a group of a test's own, given to an edge beside its own pages. */
import { Effect, Schema } from "effect"
import { HttpApi, HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { formPageHeaders } from "../../edge/kit/layout.ts"
import { endpointsOf } from "../../edge/http/endpoints.ts"
import { pagesOf } from "../../edge/http/handlers.ts"
import { refuse } from "../../edge/http/refused.ts"
import { plain } from "../../edge/http/respond.ts"
import { EVERYTHING, type Served } from "../../edge/served.ts"
import { describe } from "../../schemas/envelope.ts"
import { notFound } from "../../schemas/errors.ts"
import { formOf, HTML_TYPE, HtmlText } from "../../schemas/page.ts"
import { Traits } from "../../schemas/traits.ts"

export const KEPT_SECONDS = 7
export const TITLE_MAX = 20

const Title = Schema.String.check(
  Schema.isMaxLength(TITLE_MAX, { message: `must have at most ${TITLE_MAX} characters` })
)

const NotePages = HttpApiGroup.make("page.note").add(
  HttpApiEndpoint.get("notes", "/notes", { success: HtmlText }).annotateMerge(describe("none", "A form")),
  HttpApiEndpoint.post("write", "/notes", {
    payload: formOf({
      title: Title,
      stars: Schema.FiniteFromString,
      draft: Schema.optionalKey(Schema.Literal("on"))
    }),
    success: HtmlText
  }).annotateMerge(describe("none", "Writes a note")),
  HttpApiEndpoint.get("note", "/notes/:name", {
    params: { name: Schema.String },
    query: { sort: Schema.optionalKey(Schema.Literals(["old", "new"])) },
    success: HtmlText
  })
    .annotateMerge(describe("none", "A note"))
    .annotate(Traits, { keptSeconds: KEPT_SECONDS })
)

const FORM = `<!doctype html><html lang="en"><title>Notes</title><h1>Notes</h1>
<form method="post"><input name="title" value="Mine"><input name="stars" value="5"><button>Write</button></form></html>`

/** What the pages were asked for. */
export class Notes {
  readonly written: Array<unknown> = []

  readonly served: Served = {
    endpoints: [...EVERYTHING.endpoints, ...endpointsOf(HttpApi.make("notes").add(NotePages))],
    routes: (parts) => [
      ...EVERYTHING.routes(parts),
      ...pagesOf(NotePages, {
        notes: (call) =>
          Effect.sync(() => {
            Object.assign(call.headers, formPageHeaders)
            return plain(FORM, HTML_TYPE)
          }),
        write: (_call, { form }) =>
          Effect.sync(() => {
            this.written.push(form)
            const stars: number = form.stars
            return plain(`<h1>${form.title.length} letters, ${stars} stars</h1>`, HTML_TYPE)
          }),
        note: (_call, { params, query }) =>
          params.name === "none"
            ? Effect.fail(refuse(notFound("note")))
            : Effect.succeed(plain(`${params.name} ${query.sort ?? "as it is"}`, HTML_TYPE))
      })
    ]
  }
}
