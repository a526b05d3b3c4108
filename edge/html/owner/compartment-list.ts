/** Compartments on the pages of an owner's agents: where to look at each. */
import type { Placed } from "../../compartment/owning.ts"
import { html, type Html, NOTHING } from "../html.ts"
import { own } from "../record.ts"
import { compartmentPath, NEW_COMPARTMENT_PATH } from "./compartment-view.ts"
import type { OwnerSpace } from "./space.ts"

const rows = (space: OwnerSpace, placed: ReadonlyArray<Placed>, named: (agent: string) => Html): Html =>
  html`<ul class="rows">
${placed.map(
  ({ id, name, agent }) =>
    html`<li class="row"><p class="title"><a href="${space.at(compartmentPath(id))}">${own(name)}</a></p>${named(agent)}</li>\n`
)}</ul>
`

export interface Compartments {
  readonly placed: ReadonlyArray<Placed>
  /** Whether one may be made here. */
  readonly isOffered: boolean
}

/** `names`: of agents, by hub id, as far as they are known. */
export const compartmentsSection = (
  space: OwnerSpace,
  { placed, isOffered }: Compartments,
  names: ReadonlyMap<string, string>
): Html => {
  if (placed.length === 0 && !isOffered) return NOTHING
  const named = (agent: string): Html => {
    const name = names.get(agent)
    return name === undefined ? NOTHING : html`<p class="faint">Of ${own(name)}</p>`
  }
  const making = isOffered
    ? html`<p><a href="${space.at(NEW_COMPARTMENT_PATH)}">Have a program of your own run here</a></p>\n`
    : NOTHING
  return html`<section><h2 id="compartments">Compartments</h2>
${placed.length === 0 ? NOTHING : rows(space, placed, named)}${making}</section>
`
}

export const compartmentsOfAgent = (space: OwnerSpace, placed: ReadonlyArray<Placed>): Html =>
  placed.length === 0
    ? NOTHING
    : html`<section><h2 id="compartments">Its compartments</h2>
${rows(space, placed, () => NOTHING)}</section>
`
