/** The type of each language of highlight.js (highlight-core.d.ts). */
declare const grammar: (highlight: unknown) => object
export default grammar
