/** `POST /pay`: a card into the form that is open, for an amount that the page itself tells where it tells one. */
import { minorOf } from "../../schemas/vault/money.ts"
import type { PayBody } from "./bodies.ts"
import { cardIn, type CardForm, typedCard } from "./card.ts"
import { entryFor, entryNamed } from "./entries.ts"
import { buttonIn } from "./forms.ts"
import { granted } from "./grant.ts"
import type { ButtonFact, Scan } from "./page/dom.ts"
import type { Lines } from "./page/money.ts"
import type { PageDocument } from "./document.ts"
import type { Page } from "./page.ts"
import { attempt, type Filled, type Filling, placeIn } from "./place.ts"
import { Refused } from "./refusal.ts"
import type { Sealed } from "./sealed.ts"
import { NOT_SENT, sendForm } from "./submit.ts"
import { agrees } from "./total.ts"
import { chooseIn, typeInto } from "./typing.ts"
import { saysNext, saysPay } from "./words.ts"

/** The top document tells the amount, wherever the form stands. */
const checkAmount = async (page: Page, { amount, currency }: PayBody): Promise<void> => {
  const { buttons, fields } = await page.top.scan()
  const anchor = cardIn({ origin: page.origin, fields, buttons, forms: [] })?.number[0]?.n ?? null
  const { lines } = await page.top.call<Lines>("moneyLines", anchor)
  const minor = minorOf(amount, currency)
  const texts = buttons.map(({ text }) => text)
  if (minor !== null && agrees(minor, currency, { lines, buttons: texts }) === false)
    throw new Refused("amount_mismatch", "The page tells another amount than the one that was asked for.")
}

const typeCard = async (page: Page, document: PageDocument, form: CardForm, sealed: Sealed): Promise<Array<string>> => {
  const filled = new Set<string>()
  for (const { name, field, text } of typedCard(form, sealed)) {
    await (field.tag === "select" ? chooseIn(page, document, field.n, text) : typeInto(page, document, field.n, text))
    filled.add(name)
  }
  return [...filled]
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
    return placeIn(page, cardIn, () => entryNamed(service.hub, "card", id))
  }
  const first = await sought()
  return granted(filling, { entry_id: id, action: "pay", origin, amount, currency }, (sealed, fill) =>
    attempt(page, async () => {
      const { document, found, allowed } = fill.consented ? await sought() : first
      allowed(sealed, fill)
      const filled = await typeCard(page, document, found, sealed)
      // A page that has raised it meanwhile is not sent.
      if (submit) await checkAmount(page, body)
      const sending = { document, find: payButton, button: payButton(await document.scan()) }
      const sent = submit ? await sendForm(filling, fill.fill_id, sending) : NOT_SENT
      return { site: origin, entry_id: id, filled, ...sent }
    })
  )
}
