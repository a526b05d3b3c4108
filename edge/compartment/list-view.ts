/** Lists of compartments: on the overview, on the page of their agent, and on a separate page. */
import type { StandingCompartment } from "./owning.ts"
import type { OwnerPage, OwnerSpace } from "../human/index.ts"
import { html, type Html, NOTHING } from "../kit/html.ts"
import { own } from "../kit/record.ts"
import { chips, emptyPlace } from "../kit/owner/signs.ts"
import { compartmentPath, NEW_COMPARTMENT_PATH, statusChip } from "./view.ts"
import { icon } from "../kit/owner/icons.ts"

type Names = ReadonlyMap<string, string>

const tile = (space: OwnerSpace, { id, name, agent, status }: StandingCompartment, names: Names): Html => {
  const of = names.get(agent)
  return html`<li class="tile whole">
<div class="who-is">${icon("compartment")}<div><p class="title"><a href="${space.at(compartmentPath(id))}">${own(name)}</a></p>
${of === undefined ? NOTHING : html`<p class="faint">Of ${own(of)}</p>\n`}</div></div>
${status === null ? NOTHING : chips(statusChip(status))}</li>
`
}

const tiles = (space: OwnerSpace, placed: ReadonlyArray<StandingCompartment>, names: Names): Html =>
  html`<ul class="tiles">\n${placed.map((one) => tile(space, one, names))}</ul>\n`

const NO_NAMES: Names = new Map()

/** `names` are the known names of agents, by hub id. */
export const compartmentsSection = (
  space: OwnerSpace,
  placed: ReadonlyArray<StandingCompartment>,
  names: Names
): Html =>
  placed.length === 0
    ? NOTHING
    : html`<section><h2 id="compartments">Compartments</h2>
${tiles(space, placed, names)}</section>
`

export const compartmentsOfAgent = (space: OwnerSpace, placed: ReadonlyArray<StandingCompartment>): Html =>
  placed.length === 0
    ? NOTHING
    : html`<section><h2 id="compartments">Its compartments</h2>
${tiles(space, placed, NO_NAMES)}</section>
`

export interface CompartmentsView {
  /** `null` if they are unavailable. */
  readonly placed: ReadonlyArray<StandingCompartment> | null
  readonly names: Names
  readonly isOffered: boolean
}

export const compartmentsPage = (space: OwnerSpace, { placed, names, isOffered }: CompartmentsView): OwnerPage => {
  const making = isOffered
    ? html`<p><a class="button main" href="${space.at(NEW_COMPARTMENT_PATH)}">Make a compartment</a></p>\n`
    : html`<p class="faint">This service makes no new compartments at the moment.</p>\n`
  const none = isOffered
    ? "No program runs for you. Make a compartment, and a program of yours runs in it with an agent of its own."
    : "No program runs for you."
  const list =
    placed === null
      ? html`<p class="notice">Your compartments cannot be shown at the moment. Try again.</p>\n`
      : placed.length === 0
        ? emptyPlace("compartment", none)
        : tiles(space, placed, names)
  return {
    title: "Compartments",
    main: html`<h1>Compartments</h1>
<p class="lead">Programs of your agents, each in a container of its own.</p>
${list}${making}`
  }
}
