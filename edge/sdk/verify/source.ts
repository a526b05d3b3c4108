/** The source of agents' entries. */
import type { ClientReason } from "../../../schemas/identity/reasons.ts"
import type { Identity } from "./identity.ts"

export type Found = Identity | "id_unknown" | ClientReason

export interface Source {
  find(number: number): Found | Promise<Found>
  /** Asks for a newer entry than `seen` after a signature did not verify; `null` if there is none. */
  newer(number: number, seen: Identity): Promise<Found | null>
  ready(): Promise<boolean>
  settled(): Promise<void>
  close(): void
}
