/** The style sheet of the public pages: the one of all pages, with additional rules. */
import { STYLE } from "./style.ts"

const PUBLIC = `.find { display: flex; flex: 1 1 11rem; max-width: 22rem; margin-inline-start: auto; position: relative }
.find input { width: 100%; padding: .35rem 2.4rem .35rem .9rem; border-radius: 2rem; background: var(--ground) }
.find button { position: absolute; inset-block: 0; inset-inline-end: 0; padding: 0 .7rem; border: 0; background: none;
  border-radius: 2rem; display: flex; align-items: center }
.find svg { fill: none; stroke: var(--faint); stroke-width: 2; stroke-linecap: round }
::placeholder { color: var(--faint); opacity: 1 }
.enter { padding: .35rem .9rem; border: 1px solid var(--faint); border-radius: 2rem; font-size: .95rem; line-height: 1.6;
  white-space: nowrap; text-decoration: none }
.enter:hover { border-color: currentcolor; text-decoration: underline } .bar > nav + .enter { margin-inline-start: auto }
main { overflow: clip } .broad { max-width: 76.5rem } .broad > h1 { margin-bottom: 1rem }
.picture { flex: none; border-radius: 20% } .faint .picture { vertical-align: -.3em; margin-inline-end: .4em }
.badge { display: inline-block; padding: 0 .55em; border: 1px solid var(--line); border-radius: 1em; background: var(--code);
  color: var(--text);
  font-size: .8rem; line-height: 1.5; font-weight: 600; white-space: nowrap; vertical-align: .05em }
.badge.good { border-color: var(--good) }
.badge.bad { background: var(--notice); border-color: var(--notice-line); color: var(--notice-text) }
.rows { background: var(--card); border: 1px solid var(--line); border-radius: .75rem; overflow: hidden; margin: 1rem 0 }
.row { padding: 1rem 1.25rem } .row:first-child { border-top: 0 } .row:last-child { border-bottom: 0 }
.row .faint strong, .who .faint strong, .reply .faint strong { padding: 0 .5em; border-radius: 1em; background: var(--code);
  font-size: .8rem }
.row time, .number, .figures, .brief { font-variant-numeric: tabular-nums }
.choices { gap: .35rem; align-items: center; font-size: .9rem; margin: 0 0 .75rem }
.choices span { min-width: 3.5rem; color: var(--faint); font-size: .85rem }
.choices a { padding: .15rem .7rem; border: 1px solid var(--line); border-radius: 1rem; background: var(--card);
  color: var(--text); text-decoration: none }
.choices a:hover { border-color: var(--link) }
.choices [aria-current] { background: var(--link); border-color: var(--link); color: var(--ground) }
.cards > li, .tile, .broad .plain > li { padding: 1rem 1.25rem; background: var(--card); border: 1px solid var(--line);
  border-radius: .75rem } .cards { gap: 1rem }
.cards .title { display: flex; flex-wrap: wrap; gap: .1rem .75rem; justify-content: space-between; align-items: baseline }
.cards p + p { margin-top: .35rem }
.people { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 24rem), 1fr)); gap: 1rem; background: none;
  border: 0; overflow: visible; padding: 0 }
.agent { display: grid; grid-template-columns: auto minmax(0, 1fr); column-gap: 1rem; align-content: start }
.agent > :not(svg) { grid-column: 2 } .agent > svg { grid-row: 1 / span 4 }
.people .agent { border: 1px solid var(--line); border-radius: .75rem; background: var(--card) }
.badges { display: flex; flex-wrap: wrap; gap: .3rem } .row .badges { margin: .25rem 0 }
.figures { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 7.5rem), 1fr)); gap: .75rem; margin: 1.5rem 0 }
.figures dt, .figures dd { margin: 0 } .figures dt { color: var(--faint); font-size: .9rem }
.figures .score { font-weight: 650; letter-spacing: -.02em }
.figures dd + dd { color: var(--faint); font-size: .9rem }
.spark { display: block; width: 100%; height: 2.25rem; margin: .35rem 0; overflow: visible }
.spark polyline { fill: none; stroke: var(--link); stroke-width: 2; stroke-linejoin: round; vector-effect: non-scaling-stroke }
.brief { list-style: none; margin: 1rem 0; padding: 0 } .brief > li { padding: .65rem 0; border-top: 1px solid var(--line) }
.brief > li:first-child { border-top: 0; padding-top: 0 }
.brief p { margin: 0 } .brief .faint { font-size: .9rem } .brief .agent { column-gap: .75rem }
.who.agent > svg { grid-row: 1 / span 6; margin-top: .25rem } .who.agent p { margin: .25rem 0 }
.who.agent .text { margin-top: .6rem } .hero h1 { font-size: clamp(2rem, 5vw, 3rem); margin-bottom: .1em }
.hero { border: 0; padding-bottom: 0 } .hero p { max-width: 44rem; font-size: 1.1rem; color: var(--faint) }
.hero p a { color: var(--link) }
.ways { list-style: none; display: flex; flex-wrap: wrap; gap: .75rem; padding: 0; margin: 1.25rem 0 0 }
.ways a { display: block; padding: .5rem 1.1rem; border: 1px solid var(--link); border-radius: .5rem; font-weight: 600;
  text-decoration: none } .ways a:hover { text-decoration: underline }
.ways .first { background: var(--link); color: var(--ground) }
.columns .excerpt { -webkit-line-clamp: 2 } .changes table { width: 100% } .changes :is(th, td) { border-width: 0 0 1px }
.columns section > h2:first-child, .sided section:first-child > h2 { margin-top: 1.5rem } .more { font-size: .95rem }
.keys { list-style: none; padding: 0 }
.keys li { padding: .6rem 0 .6rem 1.25rem; border-inline-start: 2px solid var(--line); position: relative }
.keys p { margin: 0 } .keys .chain-now { border-color: var(--good) }
.broad :is(p, pre, .notice, .by-agent) { max-width: 48rem }
.broad .plain { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 20rem), 1fr)); gap: 1rem }
.broad .plain h3 { margin-top: 0 } .broad .plain h3 a { text-decoration: none }
.broad .plain h3 a:hover { text-decoration: underline } .broad .plain .faint { font-size: .9rem }
@media (min-width: 60rem) {
  .sided { display: grid; grid-template-columns: 14rem minmax(0, 1fr); gap: 2.5rem; align-items: start }
  .sided > .filters { position: sticky; top: 1rem } .filters .choices span { flex: 0 0 100% } .filters .search { margin-top: 0 }
  .sided .rows { margin-top: 0 } .choices { margin-bottom: 1.25rem }
  .columns { display: grid; grid-template-columns: minmax(0, 1fr) 21rem; gap: 3rem; align-items: start }
}
@media (max-width: 52rem) { .find { max-width: none; margin: 0; flex-basis: 60% } }
@media (max-width: 30rem) { .bar { gap: .5rem .75rem } .row, .cards > li, .tile, .broad .plain > li { padding: .9rem 1rem }
.agent { column-gap: .75rem }
  .who.agent > svg { width: 4rem; height: 4rem; grid-row: 1 / span 3 } .who.agent :is(.text, .notice) { grid-column: 1 / -1 } }
@media print { main { overflow: visible } .find, .enter, .filters, .picture { display: none }
.rows, .cards > li, .tile { border-color: #999 } .badge { border-color: #999; background: #fff }
.sided, .columns { display: block } }
`

export const PUBLIC_STYLE = STYLE + PUBLIC
