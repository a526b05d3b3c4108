/** People by name or by what they are known for, and what is claimed of things, as a grammar. */
import { LEGS } from "../../../actors/registration/questions/bank/animals.ts"
import { OUR_BANK } from "../../../actors/registration/questions/bank/index.ts"
import { claiming } from "../../../actors/registration/questions/language/logic.ts"
import { NAMES } from "../../../actors/registration/questions/language/names.ts"
import { withArticles } from "../../../actors/registration/questions/language/text.ts"
import { exchanged } from "../../../actors/registration/questions/story/cast.ts"
import { everything, type Grammar } from "./grammar.ts"
import { distinct } from "./text.ts"

export const addPeople = (grammar: Grammar): void => {
  for (const name of NAMES) grammar.add("name", name, () => name)
  grammar.add("person", "{name:name}", ({ name }) => name)
  for (const text of ["she", "he", "her", "him", "the same person"]) grammar.add("person", text, () => "same")
  for (const head of ["one", "person", "woman", "man"]) {
    grammar.add("person", `the ${head} {ref:ref}`, ({ ref }) => ref)
    grammar.add("person", `the ${head} who {g:gap}`, () => ({ relation: "", value: "" }))
    grammar.add("person", `the ${head} whose {g:gap}`, () => ({ relation: "", value: "" }))
  }
  for (const { name: relation, intro, ref, pairs } of OUR_BANK.relations) {
    for (const [key, value] of pairs) {
      for (const text of intro) grammar.add("intro", withArticles(text.replace("{}", key)), () => ({ relation, key }))
      for (const text of ref) grammar.add("ref", text.replace("{}", value), () => ({ relation, value }))
    }
  }
  for (const text of [
    "{a:name} {m:intro}",
    "it is {a:name} who {m:intro}",
    "someone {m:intro} namely {a:name}",
    "know that {a:name} {m:intro}"
  ]) {
    grammar.add("unit", text, ({ a, m }) => ({ type: "intro", name: a, mark: m }))
  }
  const person = (name: string) => ({ name, woman: false, mark: null })
  const mark = (slot: string) => ({ relation: { name: "", intro: [slot], ref: [], pairs: [] }, key: "", value: "" })
  for (const text of everything((random) =>
    exchanged(random, person("{a:name}"), person("{b:name}"), mark("{i:intro}"), mark("{j:intro}"))
  )) {
    // What is told of the second is the first one's.
    grammar.add("exchanged", text, ({ a, b, i, j }) => [
      { type: "intro", name: a, mark: i },
      { type: "intro", name: b, mark: j }
    ])
  }
}

export const addClaims = (grammar: Grammar): void => {
  for (const item of distinct([...OUR_BANK.matrices.flatMap(({ items }) => items), ...Object.keys(LEGS)]))
    grammar.add("item", item, () => item)
  for (const phrase of distinct(
    OUR_BANK.matrices.flatMap(({ properties }) => properties.flatMap(({ is, not }) => [...is, ...not]))
  ))
    grammar.add("phrase", phrase, () => phrase)
  for (const text of everything((random) => claiming(random, "{i:item}", "{w:phrase}")))
    grammar.add("claim", text, ({ i, w }) => holds(String(i), String(w)))
}

/** Whether what the phrase says is true of the item; null where the bank does not say. */
export const holds = (item: string, phrase: string): boolean | null => {
  for (const { items, properties } of OUR_BANK.matrices) {
    if (!items.includes(item)) continue
    const property = properties.find(({ is, not }) => is.includes(phrase) || not.includes(phrase))
    if (property !== undefined) return property.yes.has(item) === property.is.includes(phrase)
  }
  return null
}
