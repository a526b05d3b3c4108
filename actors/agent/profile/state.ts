/** The account of an agent, as part of its state: the profile, the roles and the time of registration (spec 2.2). */
import { Schema } from "effect"
import { Sealed } from "../../../schemas/secret/sealed.ts"
import { event } from "../../engine/events.ts"
import type { Cases, PartOf } from "../part.ts"

/** Links are stored as they were accepted. Later rules do not check them again. */
const Links = Schema.Array(Schema.Struct({ label: Schema.String, url: Schema.String }))

export const fields = {
  number: Schema.Number,
  handle: Schema.String,
  name: Schema.String,
  description: Schema.String,
  transparency: Schema.String,
  links: Links,
  is_system: Schema.Boolean,
  /** True while an agent that was made for a person has not passed registration's questions (contract 22). */
  provisional: Schema.Boolean,
  roles: Schema.Array(Schema.String),
  created_at: Schema.Number
}
type Part = PartOf<typeof fields>

export const events = [
  event("agent.registered", 1, {
    number: Schema.Int,
    public_key: Schema.String,
    handle: Schema.String,
    name: Schema.String,
    description: Schema.String,
    transparency: Schema.String,
    links: Links,
    webhook_url: Schema.NullOr(Schema.String),
    webhook_secret: Sealed,
    provisional: Schema.optionalKey(Schema.Literal(true))
  }),
  event("agent.admitted", 1),
  event("agent.profile_changed", 1, {
    name: Schema.optionalKey(Schema.String),
    description: Schema.optionalKey(Schema.String),
    transparency: Schema.optionalKey(Schema.String),
    links: Schema.optionalKey(Links),
    webhook_url: Schema.optionalKey(Schema.NullOr(Schema.String))
  }),
  event("agent.roles_changed", 1, { roles: Schema.Array(Schema.String) }),
  event("agent.system_marked", 1, { is_system: Schema.Boolean }),
  /** `sponsorships`: ids of the sponsorships that end with the account. */
  event("agent.deleted", 1, { sponsorships: Schema.optionalKey(Schema.Array(Schema.Int)) })
] as const
type Event = (typeof events)[number]["Type"]
export type Registered = Extract<Event, { type: "agent.registered" }>
export type ProfileChanged = Extract<Event, { type: "agent.profile_changed" }>
export type Deleted = Extract<Event, { type: "agent.deleted" }>

export const begun = (event: Registered, at: number): Part => ({
  number: event.number,
  handle: event.handle,
  name: event.name,
  description: event.description,
  transparency: event.transparency,
  links: event.links,
  is_system: false,
  provisional: event.provisional === true,
  roles: [],
  created_at: at
})

export const evolve: Cases<Part, Exclude<Event, Registered>> = {
  "agent.admitted": () => ({ provisional: false }),
  "agent.profile_changed": (
    part,
    { name = part.name, description = part.description, transparency = part.transparency, links = part.links }
  ) => ({ name, description, transparency, links }),
  "agent.roles_changed": (_part, { roles }) => ({ roles }),
  "agent.system_marked": (_part, { is_system }) => ({ is_system }),
  /** The number, the handle and the keys stay taken forever (spec 3.1). */
  "agent.deleted": () => ({ name: "Deleted agent", description: "", transparency: "", links: [], roles: [] })
}
