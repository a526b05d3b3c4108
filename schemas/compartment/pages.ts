/**
 * Pages of compartments, for people who sponsor the agents or have made the compartments (spec 4.10, 4.11; contract
 * 18).
 */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { describe } from "../envelope.ts"
import { FormToken } from "../human/pages.ts"
import { formOf, HtmlText } from "../page.ts"

/** The page reports a missing or wrong value next to its field. */
const Field = Schema.optionalKey(Schema.String)

export const STEERING_ACTS = ["start", "stop", "restart", "delete"] as const
export type SteeringAct = (typeof STEERING_ACTS)[number]

export const CompartmentPages = HttpApiGroup.make("page.compartment").add(
  HttpApiEndpoint.get("newCompartment", "/owner/compartments/new", { success: HtmlText }).annotateMerge(
    describe("none", "A form for a compartment of one's own")
  ),
  HttpApiEndpoint.post("makeCompartment", "/owner/compartments/new", {
    payload: formOf({ name: Field, program: Field, command: Field, accept_terms: Field, ...FormToken }),
    success: HtmlText
  }).annotateMerge(describe("none", "Makes it, with an agent of its own")),
  HttpApiEndpoint.get("compartment", "/owner/compartments/:id", {
    params: { id: Schema.String },
    success: HtmlText
  }).annotateMerge(describe("none", "A compartment, to an owner of its agent")),
  HttpApiEndpoint.post("steerCompartment", "/owner/compartments/:id", {
    params: { id: Schema.String },
    payload: formOf({ act: Field, confirm: Field, ...FormToken }),
    success: HtmlText
  }).annotateMerge(describe("none", "Stops it, or starts, restarts or deletes one's own")),
  HttpApiEndpoint.get("compartmentLink", "/owner/links/:token", {
    params: { token: Schema.String },
    success: HtmlText
  }).annotateMerge(
    describe("none", "A compartment, to the browser that opened its link; to others a button that opens it")
  ),
  HttpApiEndpoint.post("openCompartmentLink", "/owner/links/:token", {
    params: { token: Schema.String },
    payload: formOf(FormToken),
    success: HtmlText
  }).annotateMerge(describe("none", "Opens the link for this browser, if no other has"))
)
