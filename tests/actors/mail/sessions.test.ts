/** How long clients of SMTP hold their places (actors/mail/inbound/sessions.ts). */
import { expect, test } from "vitest"
import { Sessions } from "../../../actors/mail/inbound/sessions.ts"
import { standingClock } from "../../harness/clock.ts"

const BOUNDS = { session_ms: 1000, data_ms: 300, idle_ms: 10_000, commands_max: 3 }

const clock = standingClock()

const opened = (bounds = BOUNDS) => {
  const ended: Array<string> = []
  const sessions = new Sessions(clock, bounds, (id, words) => void ended.push(`${id} ${words.slice(0, 5)}`))
  return { sessions, ended }
}

test("a session ends with its time, once, and alone", () => {
  const { sessions, ended } = opened()
  sessions.began("a")
  clock.move(600)
  sessions.began("b")
  clock.move(399)
  expect(ended).toEqual([])
  clock.move(1)
  expect(ended).toEqual(["a 4.4.2"])
  sessions.ended("a")
  sessions.ended("b")
  clock.move(5000)
  expect([ended.length, sessions.size]).toEqual([1, 0])
})

test("a message that is there is answered before its session ends", () => {
  const { sessions, ended } = opened()
  sessions.began("a")
  clock.move(900)
  sessions.dataBegan("a")
  sessions.dataEnded("a")
  clock.move(5000)
  expect(ended).toEqual([])
  sessions.answered("a")
  expect(ended).toEqual(["a 4.4.2"])
})

test("a message that does not end, ends its session, and one that came in time does not", () => {
  const { sessions, ended } = opened()
  sessions.began("a")
  sessions.dataBegan("a")
  clock.move(299)
  sessions.dataEnded("a")
  sessions.answered("a")
  clock.move(10)
  expect(ended).toEqual([])
  sessions.dataBegan("a")
  clock.move(300)
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
  clock.move(5000)
  expect(ended).toHaveLength(1)
})

test("a session ends without a command that brings a message nearer, and a new message is one", () => {
  const { sessions, ended } = opened({ ...BOUNDS, session_ms: 1_000_000, idle_ms: 100 })
  sessions.began("a")
  for (const step of [1, 3, 4]) {
    clock.move(99)
    sessions.advanced("a", step)
  }
  clock.move(99)
  // Begun again: it was there before.
  sessions.advanced("a", 3)
  sessions.advanced("a", 4)
  expect(ended).toEqual([])
  clock.move(1)
  expect(ended).toEqual(["a 4.4.2"])

  sessions.began("b")
  sessions.advanced("b", 4)
  sessions.dataBegan("b")
  clock.move(250)
  sessions.dataEnded("b")
  clock.move(5000)
  sessions.answered("b")
  clock.move(99)
  sessions.advanced("b", 3)
  clock.move(99)
  expect(ended).toHaveLength(1)
  clock.move(1)
  expect(ended).toEqual(["a 4.4.2", "b 4.4.2"])
  for (const id of ["a", "b"]) expect(sessions.ended(id)).toBe(true)
  expect(sessions.ended("a")).toBe(false)
  clock.move(1000)
  expect(ended).toHaveLength(2)
})
