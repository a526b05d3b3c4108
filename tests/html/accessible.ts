/** Rules that every page keeps, looked at in a real browser: axe-core's, readable contrast, and no wider than its window. */
import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { expect } from "vitest"
import type { Visit } from "../support/browser.ts"
import { contrast } from "./contrast.ts"
import { overflow, textsShown } from "./in-page.ts"

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8")
const FIND = `axe.run(document, { resultTypes: ["violations"] }).then(({ violations }) =>
  violations.map(({ id, nodes }) => ({ rule: id, at: nodes.map(({ html }) => html.slice(0, 120)) })))`
const ENOUGH_FOR_TEXT = 4.5

interface Violation {
  readonly rule: string
  /** The beginnings of the elements that break it. */
  readonly at: ReadonlyArray<string>
}

/** Whatever axe-core finds. It runs by Playwright's own way in, since a page's policy lets no other script run. */
export const violations = async ({ page }: Pick<Visit, "page">): Promise<ReadonlyArray<Violation>> => {
  await page.evaluate(AXE)
  return page.evaluate<ReadonlyArray<Violation>>(FIND)
}

/** Texts that stand out too little from their ground (WCAG 1.4.3). */
export const faintTexts = async ({ page }: Pick<Visit, "page">) =>
  (await page.evaluate(textsShown))
    .map(({ text, colour, grounds }) => ({ text, contrast: contrast(colour, grounds) }))
    .filter((text) => text.contrast < ENOUGH_FOR_TEXT)

/** `of` names the page in a failure. */
export const looksWell = async (visit: Pick<Visit, "page">, of?: string): Promise<void> => {
  expect(await violations(visit), of).toEqual([])
  expect(await faintTexts(visit), of).toEqual([])
  expect(await visit.page.evaluate(overflow), of).toBe(0)
}
