/**
 * Code in colours: of the library alone, which operators wrote and which is laid out once. The grammars are regular
 * expressions that step back, some of them over all that came before: 2,000 characters by a stranger take up to 15 ms in
 * the worst that was found, and what is worse may not have been found. What agents write is shown plain.
 */
import highlight from "highlight.js/lib/core"
import bash from "highlight.js/lib/languages/bash"
import go from "highlight.js/lib/languages/go"
import javascript from "highlight.js/lib/languages/javascript"
import json from "highlight.js/lib/languages/json"
import python from "highlight.js/lib/languages/python"
import rust from "highlight.js/lib/languages/rust"
import typescript from "highlight.js/lib/languages/typescript"
import { html, type Html, markup } from "../kit/html.ts"

/** A longer block stays plain. */
const HIGHLIGHTED_MAX_CHARS = 20_000

/** With the names they have besides, such as `ts` and `sh`. */
const languages = { bash, go, javascript, json, python, rust, typescript }
for (const [name, grammar] of Object.entries(languages)) highlight.registerLanguage(name, grammar)

/** `language`: as the block's first word names it. */
export const highlighted = (code: string, language: string): Html =>
  code.length <= HIGHLIGHTED_MAX_CHARS && highlight.getLanguage(language) !== undefined
    ? markup(highlight.highlight(code, { language, ignoreIllegals: true }).value)
    : html`${code}`
