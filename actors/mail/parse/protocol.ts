/** The inputs and outputs of a thread that parses and judges messages. */
import type { JudgedSender, Origin } from "../inbound/verdicts.ts"
import type { ParsedMail } from "./parsed.ts"
import type { ReadBounds } from "./read.ts"

export interface Start {
  readonly bounds: ReadBounds
  /** The name of the server that judges; `null` if the thread judges nothing. */
  readonly mta: string | null
}

export type Work =
  | { readonly type: "parse"; readonly raw: Uint8Array }
  | { readonly type: "judge"; readonly raw: Uint8Array; readonly origin: Origin }

export type Result = ParsedMail | JudgedSender

export interface Answer {
  readonly question: number
  /** The records, or only the code of a failure. */
  readonly said: { readonly records: Array<string> | Array<Array<string>> } | { readonly code: string }
}

export type ToThread =
  | { readonly type: "work"; readonly id: number; readonly work: Work }
  | { readonly type: "answers"; readonly id: number; readonly answers: ReadonlyArray<Answer> }

/** `cpu`: microseconds of CPU time that the thread has used since it began. */
export type FromThread =
  | { readonly type: "begun"; readonly cpu: number }
  | {
      readonly type: "asks"
      readonly id: number
      readonly question: number
      readonly name: string
      readonly record: string
    }
  /** The job waits for an answer that it has asked for. Until then the thread computes nothing for it. */
  | { readonly type: "waits"; readonly id: number; readonly cpu: number }
  | { readonly type: "done"; readonly id: number; readonly result: Result; readonly cpu: number }
