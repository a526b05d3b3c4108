/** A form in a real browser: its page's policy lets it be sent, and only from there. */
import { createServer, type Server } from "node:http"
import { once } from "node:events"
import type { AddressInfo } from "node:net"
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest"
import { openWorld, type World } from "../edge/edge.ts"
import { Notes } from "../edge/notes.ts"
import { openBrowser, type TestBrowser } from "../support/browser.ts"

const notes = new Notes()
let world: World
let browser: TestBrowser
let stranger: Server

beforeAll(async () => {
  world = await openWorld({ served: notes.served })
  browser = await openBrowser()
  const page = `<!doctype html><form method="post" action="${world.edge.url}/notes">
<input name="title" value="Theirs"><input name="stars" value="1"><button>Win</button></form>`
  stranger = createServer((_request, response) => void response.setHeader("content-type", "text/html").end(page))
  await once(stranger.listen(0, "127.0.0.1"), "listening")
})
afterAll(async () => {
  await browser?.stop()
  stranger?.close()
  await world?.stop()
})
beforeEach(() => {
  notes.written.length = 0
})

const sentFrom = async (url: string): Promise<string | null> => {
  const visit = await browser.visit(url)
  await visit.page.getByRole("button").click()
  const heading = visit.page.getByRole("heading", { level: 1 })
  await heading.filter({ hasNotText: "Notes" }).waitFor()
  const text = await heading.textContent()
  expect(visit.complaints.filter((line) => line.includes("Content Security Policy"))).toEqual([])
  await visit.close()
  return text
}

test("is sent from its own page", async () => {
  expect(await sentFrom(`${world.edge.url}/notes`)).toBe("4 letters, 5 stars")
  expect(notes.written).toEqual([{ title: "Mine", stars: 5 }])
})

test.each(["127.0.0.1", "localhost"])("is refused from a page of somebody else, at %s", async (host) => {
  const { port } = stranger.address() as AddressInfo
  expect(await sentFrom(`http://${host}:${port}/`)).toBe("This request was refused")
  expect(notes.written).toEqual([])
})
