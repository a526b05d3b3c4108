/**
 * The form of an aspect's `state.ts`: a part of the agent's state, with the events that change it. It exports:
 *
 *  - `fields`: the fields of the part. No other aspect has one of them, or changes it;
 *  - `empty`: fields as they are at registration, and again after deletion;
 *  - `begun`: fields that registration sets otherwise, for a `Registered` (profile/state.ts) and the time in Unix ms;
 *  - `events`: the events of the aspect;
 *  - `evolve`: the effect of events on the part, be they its own or those of other aspects.
 *
 * All of it is pure. A change here changes the fold of the agent, and snapshots of before are not read any more. So
 * decisions have files of their own.
 */
import type { Schema } from "effect"
import type { EventShape } from "../log/commit.ts"

export type PartOf<Fields extends Schema.Struct.Fields> = Schema.Struct<Fields>["Type"]

/** For each event the fields that it changes. `at`: Unix ms. */
export type Cases<Part, Event extends EventShape> = {
  readonly [Type in Event["type"]]: (
    part: Part,
    event: Extract<Event, { readonly type: Type }>,
    at: number
  ) => Partial<Part>
}
