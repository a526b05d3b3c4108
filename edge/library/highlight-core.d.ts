/**
 * The used part of highlight.js. Its own declarations bring the types of a browser's document into all of the project.
 */
import type grammar from "./highlight-language.d.ts"

declare const highlight: {
  readonly registerLanguage: (name: string, language: typeof grammar) => void
  readonly getLanguage: (name: string) => object | undefined
  /** `value` is HTML, in which the code is escaped. */
  readonly highlight: (
    code: string,
    options: { readonly language: string; readonly ignoreIllegals: boolean }
  ) => { readonly value: string }
}
export default highlight
