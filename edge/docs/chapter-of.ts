/** Finds a chapter of the reference by its slug, for the page and for the markdown. */
import { Effect } from "effect"
import { notFound } from "../../schemas/errors.ts"
import { type Refused, refuse } from "../http/refused.ts"
import type { Documents, InTwoForms } from "./documents.ts"

export const chapterOf = ({ chapters }: Documents, slug: string): Effect.Effect<InTwoForms, Refused> => {
  const found = chapters.get(slug)
  if (found !== undefined) return Effect.succeed(found)
  const names = [...chapters.keys()]
  return Effect.fail(
    refuse({
      ...notFound("chapter"),
      message: `The reference has no such chapter. Its chapters are: ${names.join(", ")}.`,
      details: { resource: "chapter", chapters: names }
    })
  )
}
