import { Effect } from "effect"
import { CATEGORY_SLUG } from "../../schemas/category/operations.ts"
import { invalidField } from "../../schemas/errors.ts"
import type { PrepareContext } from "../engine/definition.ts"
import { Actors } from "../engine/services.ts"

const noCategory = invalidField("category", "category must be the slug of a category.")

/** Fails with a refusal that names the field if there is no such category (spec 4.1.5). */
export const categoryOf = (slug: string, context: PrepareContext) =>
  Effect.gen(function* () {
    if (!CATEGORY_SLUG.test(slug)) return yield* Effect.fail(noCategory)
    const actors = yield* Actors
    return yield* Effect.mapError(actors.ask(context, "category.look", slug, null), (refused) =>
      refused.code === "not_found" ? noCategory : refused
    )
  })
