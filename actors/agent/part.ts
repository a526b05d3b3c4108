/**
 * The form of an aspect's `state.ts`: a part of the agent's state, with the events that change it. It exports:
 *
 *  - `fields`: the schemas of the part's fields. No other aspect has or changes these fields;
 *  - `empty`: values at registration that deletion sets again;
 *  - `begun`: a function for values at registration that deletion keeps, or that replace those of `empty`;
 *  - `events`: the events of the aspect, if it has any;
 *  - `evolve`: the effect of events on the part. They may be events of other aspects too.
 *
 * All exports are pure. A change of this code changes the hash of the agent's fold, and older snapshots are no longer
 * read. Decisions are in other files for that reason.
 */
import type { Schema } from "effect"
import type { EventShape } from "../log/commit.ts"

export type PartOf<Fields extends Schema.Struct.Fields> = Schema.Struct<Fields>["Type"]

/** A function for each event type. It returns the fields that the event changes. `at`: Unix ms. */
export type Cases<Part, Event extends EventShape> = {
  readonly [Type in Event["type"]]: (
    part: Part,
    event: Extract<Event, { readonly type: Type }>,
    at: number
  ) => Partial<Part>
}
