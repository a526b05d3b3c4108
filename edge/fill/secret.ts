/** `POST /secret`: types a secret into the field with the given name, id or label. */
import type { SecretBody } from "./bodies.ts"
import { entryNamed } from "./entries.ts"
import { granted } from "./grant.ts"
import type { Fact, Scan } from "./page/dom.ts"
import { attempt, type Filled, type Filling, placeIn } from "./place.ts"
import { Refused } from "./refusal.ts"
import { needed } from "./sealed.ts"
import { typeInto, typing } from "./typing.ts"
import { plain } from "./words.ts"

const isExact = (wanted: string, { name, id }: Fact): boolean => name === wanted || id === wanted
const isLabelled = (wanted: string, { label, hint }: Fact): boolean =>
  [label, hint].some((text) => plain(text) === plain(wanted))

const fieldIn =
  (wanted: string) =>
  ({ fields }: Scan): Fact | null => {
    const typed = fields.filter(({ tag }) => tag !== "select")
    for (const is of [isExact, isLabelled]) {
      const [first, ...others] = typed.filter((field) => is(wanted, field))
      if (others.length > 0) throw new Refused("field_not_found", "Several fields are called that.")
      if (first !== undefined) return first
    }
    return null
  }

const unknown = (error: unknown): unknown =>
  error instanceof Refused && error.code === "form_not_found"
    ? new Refused(
        "field_not_found",
        "The page has no field of that name, id or label that a person could see and fill."
      )
    : error

export const secret = async (filling: Filling, { entry_id, field }: SecretBody): Promise<Filled> => {
  const { service, page } = filling
  const { origin } = page
  const sought = () =>
    placeIn(page, fieldIn(field), () => entryNamed(service.hub, "secret", entry_id)).catch((error: unknown) => {
      throw unknown(error)
    })
  const first = await sought()
  return granted(filling, { entry_id, action: "secret", origin, field }, (sealed, fill) =>
    attempt(page, async () => {
      const { document, found, allowed } = fill.consented ? await sought() : first
      allowed(sealed, fill)
      await typing(document, () => typeInto(page, document, found.n, needed(sealed, "value")))
      return { site: origin, entry_id, filled: [field], submitted: false }
    })
  )
}
