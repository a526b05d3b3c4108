/** Clauses as a grammar: the known frames of a world's acts, and a guess at unknown ones. */
import { aside } from "../../../actors/registration/questions/language/aside.ts"
import type { World } from "../../../actors/registration/questions/story/world.ts"
import { everything, type Grammar, type Slots } from "./grammar.ts"
import { distinct } from "./text.ts"

export const addClauses = (grammar: Grammar, { acts }: World): void => {
  grammar.add("aside", "", () => 0)
  for (const text of distinct(everything((random) => aside(random, () => "{o:name}", "{n:number}"))))
    grammar.add("aside", text, () => 0)
  for (const [act, { english, foreign }] of acts.entries()) {
    const build = ({ p, x, o, n, w }: Slots): unknown => ({ act, who: p ?? x, whom: o ?? null, n, what: w ?? null })
    for (const frame of english) {
      grammar.add(
        "clause",
        frame
          .replace(/\{([pxo])\}/g, "{$1:person}")
          .replaceAll("{q}", "{n:quantity}")
          .replaceAll("{w}", "{w:what}")
          .replaceAll("|", "{a:aside}"),
        build
      )
    }
    for (const frame of Object.values(foreign ?? {})) {
      grammar.add(
        "clause",
        frame
          .replace(/\{([pxo])\}/g, "{$1:name}")
          .replaceAll("{n}", "{n:number}")
          .replaceAll("{N}", "{u:noun}")
          .replaceAll("{w}", "{w:what}"),
        build
      )
    }
  }
}

const anyOf = (words: string): RegExp => new RegExp(`\\b(?:${words.replaceAll(" ", "|")})\\b`)
const UP = anyOf(
  "right more gain\\w* extra better richer kept keep got get top found up on forward later luck\\w* kind " +
    "generous smiled sweet\\w* reads? ends? delight last"
)
const DOWN = anyOf(
  "left less fewer lost poorer worse away against down back off before earlier unlucky harsh frowned " +
    "grudge begins dismay robbed missing rid without first gave"
)
const direction = (text: string): number => (DOWN.test(text) && !UP.test(text) ? 1 : 0)

/**
 * Words that are nobody's known frame: a person, a number and a thing near each other, and a guess at which way it
 * goes.
 */
export const addUnknownClauses = (grammar: Grammar, { things, acts }: World): void => {
  const parts = ["{p:person}", "{n:quantity}", ...(things.length > 0 ? ["{w:what}"] : [])]
  const orders = parts.flatMap((one) =>
    parts
      .filter((two) => two !== one)
      .map((two) => [one, two, ...parts.filter((three) => three !== one && three !== two)])
  )
  const texts = orders.map((order) =>
    order.map((part, index) => (index === 0 ? part : `{${"ghi"[index] ?? "g"}:gap}${part}`)).join("")
  )
  if (acts.length > 2)
    texts.push(
      ...["pno", "pon", "opn", "onp", "nop", "npo"].map((order) =>
        [...order]
          .map(
            (slot, index) =>
              `${index === 0 ? "" : `{${"ghi"[index] ?? "g"}:gap}`}{${slot}:${slot === "n" ? "quantity" : "person"}}`
          )
          .join("")
      )
    )
  for (const text of texts) {
    grammar.add("clause", text, ({ p, n, w, o, g, h, i }) => ({
      act: o === undefined ? direction([g, h, i].join(" ")) : 2,
      who: p,
      whom: o ?? null,
      n,
      what: w ?? null
    }))
  }
}
