/** `POST /pay`: fills a card into the open form. If the page shows an amount, the requested amount must be the same. */
import { minorOf } from "../../schemas/vault/money.ts"
import type { PayBody } from "./bodies.ts"
import { cardIn, type CardForm, missingIn, type Typed, typedCard } from "./card.ts"
import { entryFor, entryNamed, type Fillable } from "./entries.ts"
import { buttonIn } from "./forms.ts"
import { granted } from "./grant.ts"
import type { ButtonFact, Scan } from "./page/dom.ts"
import type { Lines } from "./page/money.ts"
import type { PageDocument } from "./document.ts"
import type { Page } from "./page.ts"
import { attempt, type Filled, type Filling, type Place, placeIn } from "./place.ts"
import { Refused } from "./refusal.ts"
import { NOT_SENT, sendForm } from "./submit.ts"
import { problemOf } from "./total.ts"
import { chooseIn, checkHeld, typeInto, typing } from "./typing.ts"
import { saysNext, saysPay } from "./words.ts"

const REASONS = {
  amount_mismatch: "The page tells another amount than the one that was asked for.",
  currency_mismatch: "The page tells its amount in another currency than the one that was asked for."
} as const

/** Checks the amount in the top document, wherever the form is. */
const checkAmount = async (page: Page, { amount, currency }: PayBody): Promise<void> => {
  const { buttons, fields } = await page.top.scan()
  const anchor = cardIn({ origin: page.origin, fields, buttons, forms: [] })?.number[0]?.n ?? null
  const { lines } = await page.top.call<Lines>("moneyLines", anchor)
  const minor = minorOf(amount, currency)
  const texts = buttons.map(({ text }) => text)
  const problem = minor === null ? null : problemOf(minor, currency, { lines, buttons: texts })
  if (problem !== null) throw new Refused(problem, REASONS[problem])
}

const typeCard = async (page: Page, document: PageDocument, all: ReadonlyArray<Typed>): Promise<Array<string>> => {
  for (const { field, text } of all)
    await (field.tag === "select" ? chooseIn(page, document, field.n, text) : typeInto(page, document, field.n, text))
  // A field may have changed while others were typed.
  for (const { name, field, text } of all) await checkHeld(document, { name, n: field.n, text })
  return [...new Set(all.map(({ name }) => name))]
}

/** Waits for a form with all fields for a card. Otherwise throws with the missing ones. */
const formIn = async (page: Page, entry: () => Promise<Fillable | null>): Promise<Place<CardForm>> => {
  let missing: ReadonlyArray<string> = []
  const whole = (scan: Scan): CardForm | null => {
    const form = cardIn(scan)
    const lacking = form === null ? [] : missingIn(form)
    if (lacking.length > 0) missing = lacking
    return lacking.length > 0 ? null : form
  }
  try {
    return await placeIn(page, whole, entry)
  } catch (error) {
    if (missing.length === 0 || !(error instanceof Refused) || error.code !== "form_not_found") throw error
    throw new Refused("field_not_found", `The form has no field for: ${missing.join(", ")}. Nothing was typed.`, {
      missing
    })
  }
}

const payButton = (scan: Scan): ButtonFact | null => {
  const form = cardIn(scan)?.form
  return form === undefined ? null : buttonIn(scan, form, [saysPay, saysNext])
}

export const pay = async (filling: Filling, body: PayBody): Promise<Filled> => {
  const { service, page } = filling
  const { origin } = page
  const { entry_id, amount, currency, submit } = body
  const id = entry_id ?? (await entryFor(service.hub, origin, "card")).id
  const sought = async () => {
    await checkAmount(page, body)
    return formIn(page, () => entryNamed(service.hub, "card", id))
  }
  const first = await sought()
  return granted(filling, { entry_id: id, action: "pay", origin, amount, currency }, (sealed, fill) =>
    attempt(page, async () => {
      const { document, found, allowed } = fill.consented ? await sought() : first
      allowed(sealed, fill)
      const typed = typedCard(found, sealed)
      const filled = await typing(document, async () => {
        const names = await typeCard(page, document, typed)
        // The amount is checked again, because the page may have changed it meanwhile.
        if (submit) await checkAmount(page, body)
        return names
      })
      const sending = { document, find: payButton, button: payButton(await document.scan()) }
      const sent = submit ? await sendForm(filling, fill.fill_id, sending) : NOT_SENT
      return { site: origin, entry_id: id, filled, ...sent }
    })
  )
}
