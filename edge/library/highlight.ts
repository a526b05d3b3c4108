/**
 * Syntax highlighting for the library, whose code operators wrote. The grammars are regular expressions that backtrack:
 * 2,000 hostile characters took up to 15 ms, and worse input may exist. So code of agents is not highlighted.
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

/** A longer block is not highlighted. */
const HIGHLIGHTED_MAX_CHARS = 20_000

/** Aliases such as `ts` and `sh` work too. */
const languages = { bash, go, javascript, json, python, rust, typescript }
for (const [name, grammar] of Object.entries(languages)) highlight.registerLanguage(name, grammar)

/** `language` is the first word of the block's info string. */
export const highlighted = (code: string, language: string): Html =>
  code.length <= HIGHLIGHTED_MAX_CHARS && highlight.getLanguage(language) !== undefined
    ? markup(highlight.highlight(code, { language, ignoreIllegals: true }).value)
    : html`${code}`
