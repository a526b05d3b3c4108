/** How long clients of SMTP hold their places (actors/mail/inbound/sessions.ts). */
import { afterEach, beforeEach, expect, test, vi } from "vitest"
import { Sessions } from "../../../actors/mail/inbound/sessions.ts"
import { machineClock } from "../../../schemas/runtime/clock.ts"

const BOUNDS = { session_ms: 1000, data_ms: 300, commands_max: 3 }

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const opened = () => {
  const ended: Array<string> = []
  const sessions = new Sessions(machineClock, BOUNDS, (id, words) => void ended.push(`${id} ${words.slice(0, 5)}`))
  return { sessions, ended }
}

test("a session ends with its time, once, and alone", () => {
  const { sessions, ended } = opened()
  sessions.began("a")
  vi.advanceTimersByTime(600)
  sessions.began("b")
  vi.advanceTimersByTime(399)
  expect(ended).toEqual([])
  vi.advanceTimersByTime(1)
  expect(ended).toEqual(["a 4.4.2"])
  sessions.ended("a")
  sessions.ended("b")
  vi.advanceTimersByTime(5000)
  expect([ended.length, sessions.size]).toEqual([1, 0])
})

test("a message that is there is answered before its session ends", () => {
  const { sessions, ended } = opened()
  sessions.began("a")
  vi.advanceTimersByTime(900)
  sessions.dataBegan("a")
  sessions.dataEnded("a")
  vi.advanceTimersByTime(5000)
  expect(ended).toEqual([])
  sessions.answered("a")
  expect(ended).toEqual(["a 4.4.2"])
})

test("a message that does not end, ends its session, and one that came in time does not", () => {
  const { sessions, ended } = opened()
  sessions.began("a")
  sessions.dataBegan("a")
  vi.advanceTimersByTime(299)
  sessions.dataEnded("a")
  sessions.answered("a")
  vi.advanceTimersByTime(10)
  expect(ended).toEqual([])
  sessions.dataBegan("a")
  vi.advanceTimersByTime(300)
  expect(ended).toEqual(["a 4.4.2"])
})

test("one command too many ends it, and words about sessions that are gone do nothing", () => {
  const { sessions, ended } = opened()
  sessions.began("a")
  for (let n = 0; n < BOUNDS.commands_max; n++) sessions.said("a")
  expect(ended).toEqual([])
  sessions.said("a")
  expect(ended).toEqual(["a 4.7.0"])
  sessions.ended("a")
  for (const act of ["said", "dataBegan", "dataEnded", "answered", "ended"] as const) sessions[act]("a")
  vi.advanceTimersByTime(5000)
  expect(ended).toHaveLength(1)
})
