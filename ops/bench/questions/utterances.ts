/** What is said with clauses, and of what was said before, as a grammar. */
import { opened } from "../../../actors/registration/questions/language/aside.ts"
import * as correction from "../../../actors/registration/questions/language/correction.ts"
import { LANGUAGES, PHRASES } from "../../../actors/registration/questions/language/foreign.ts"
import * as logic from "../../../actors/registration/questions/language/logic.ts"
import { counting, notCounting } from "../../../actors/registration/questions/language/mood.ts"
import { distrusting, saying } from "../../../actors/registration/questions/language/source.ts"
import { everything, type Grammar, type Slots } from "./grammar.ts"
import { distinct, listed, source } from "./text.ts"

export const addUtterances = (grammar: Grammar): void => {
  const add = (texts: ReadonlyArray<string>, build: (slots: Slots) => unknown): void => {
    for (const text of distinct(texts)) grammar.add("unit", text, build)
  }
  const foreign = (part: keyof (typeof PHRASES)["es"]): ReadonlyArray<string> =>
    LANGUAGES.flatMap((language) =>
      PHRASES[language][part].map((text) =>
        text
          .replace("{c}", "{c:clause}")
          .replace("{p}", "{p:name}")
          .replace("{w}", "{w:number}")
          .replace("{r}", "{r:number}")
      )
    )
  const c = "{c:clause}"
  const told =
    (counts: boolean) =>
    ({ c: move, p }: Slots): unknown => ({ type: "tell", move, counts, by: p ?? null })
  add(
    [
      ...everything((random) => opened(random, c)),
      ...everything((random) => counting(random, c, () => "{o:name}")),
      ...foreign("so")
    ],
    told(true)
  )
  add([...everything((random) => notCounting(random, c, () => "{o:name}")), ...foreign("notSo")], told(false))
  add([...everything((random) => saying(random, "{p:person}", c)), ...foreign("says")], told(true))
  const instead = everything((random) => correction.instead(random, "{w:value}", "{r:value}"))
  const changed = ({ w, r }: Slots): unknown => ({ type: "instead", wrong: w, right: r })
  for (const kind of ["bare", "person", "what"]) grammar.add("value", `{v:${kind}}`, ({ v }) => v)
  add([...instead, ...foreign("instead")], changed)
  for (const text of distinct(instead)) grammar.add("change", text, changed)
  for (const text of listed("IN_FACT"))
    grammar.add("change", `${text} ${c}`, ({ c: move }) => ({ type: "retold", move }))
  const moved =
    (type: string) =>
    ({ c: move }: Slots): unknown => ({ type, move })
  add(
    everything((random) => correction.retold(random, c)),
    moved("retold")
  )
  add(
    everything((random) => correction.late(random, c, "{a:change}")),
    ({ c: move, a }) => ({ type: "late", move, change: a })
  )
  add(
    everything((random) => correction.denied(random, c)),
    moved("denied")
  )
  add([...everything((random) => correction.restated(random, c)), ...foreign("restated")], moved("restated"))
  add(
    [
      ...everything(correction.forgetting),
      ...everything(correction.undone),
      ...foreign("forget"),
      ...foreign("undone")
    ],
    () => ({
      type: "cancel"
    })
  )
  add([...everything(correction.again), ...foreign("again")], () => ({ type: "again" }))
  add(
    everything((random) => logic.selecting(random, "{k:claim}", "{y:clause}", "{z:clause}")),
    ({ k, y, z }) => ({ type: "chosen", move: k === true ? y : z })
  )
  add(
    everything((random) => logic.contrasting(random, "{y:clause}", "{z:clause}")),
    ({ y }) => ({ type: "chosen", move: y })
  )
  add(
    everything((random) => logic.likewise(random, "{p:person}", "{n:bare}")),
    ({ p, n }) => ({ type: "like", who: p, n, opposite: false })
  )
  add(
    everything((random) => logic.opposite(random, "{p:person}", "{n:bare}")),
    ({ p, n }) => ({ type: "like", who: p, n, opposite: true })
  )
  add(
    [...everything((random) => distrusting(random, "{p:person}", "{h:person}")), ...foreign("distrust")],
    ({ p }) => ({ type: "liar", who: p })
  )
  add(["{s:sign}"], ({ s }) => ({ type: "sign", sign: s }))
  for (const [index, text] of listed("SIGNS").entries()) grammar.add("sign", text, () => index)
  for (const text of [...source.matchAll(/\(from, to\) =>\s*`([^`]*)`/g)].map(([, said = ""]) => said)) {
    add([text.replace("${from}", "{f:sign}").replace("${to}", "{t:sign}")], ({ f, t }) => ({
      type: "between",
      from: f,
      to: t
    }))
  }
}
