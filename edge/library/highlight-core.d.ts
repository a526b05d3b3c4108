/**
 * The used part of highlight.js. Its own declarations bring the types of a browser's document into all of the project.
 */
import type grammar from "./highlight-language.d.ts"

declare const highlight: {
  readonly registerLanguage: (name: string, language: typeof grammar) => void
  /** By its name, or another that it has. */
  readonly getLanguage: (name: string) => object | undefined
  /** `value`: HTML, the code escaped in it. */
  readonly highlight: (
    code: string,
    options: { readonly language: string; readonly ignoreIllegals: boolean }
  ) => { readonly value: string }
}
export default highlight
