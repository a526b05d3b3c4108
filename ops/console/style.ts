/** The style sheet of the console: that of the owner's pages, and the rules that only the console needs. */
import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { OWNER_STYLE } from "../../edge/kit/owner/style.ts"

const OWN = `
.app main { max-width: 74rem }
.verdict { display: flex; flex-wrap: wrap; gap: .3rem .8rem; align-items: baseline; margin: 0 0 1rem; padding: .9rem 1.1rem;
  background: var(--card); border: 1px solid var(--line); border-inline-start: .4rem solid var(--faint); border-radius: .6rem }
.verdict strong { font-size: 1.15rem } .verdict.healthy { border-inline-start-color: var(--good) }
.verdict.degraded { border-inline-start-color: var(--warm) } .verdict.down { border-inline-start-color: var(--problem) }
.problems { margin: 0 0 1.5rem } .problems:empty { display: none }
.map { display: grid; grid-template-columns: repeat(16, minmax(0, 1fr)); gap: 2px; margin: 0 0 .8rem }
.cell { display: grid; place-items: center; min-width: 0; aspect-ratio: 1; border-radius: .2rem; font-size: .7rem; line-height: 1;
  font-weight: 600 }
.cell.none { border: 1px dashed var(--problem); color: var(--problem) }
.owner-0 { background: #1b4f94; color: #fff } .owner-1 { background: #7a2f8f; color: #fff }
.owner-2 { background: #23653a; color: #fff } .owner-3 { background: #8a4b08; color: #fff }
.owner-4 { background: #9c2f52; color: #fff } .owner-5 { background: #186670; color: #fff }
.owner-6 { background: #4a4a55; color: #fff } .owner-7 { background: #5a3ea6; color: #fff }
.legend { display: flex; flex-wrap: wrap; gap: .4rem 1.2rem; list-style: none; margin: 0 0 1rem; padding: 0 }
.legend li { display: flex; gap: .5rem; align-items: center } .legend .cell { width: 1.35rem }
.told { font-size: .9rem } .told td, .told th { padding: .3em .6em } .told caption { padding-bottom: .3em }
.wide:focus-visible { outline-offset: 0 }
.find { display: flex; flex: none; gap: .4rem; width: 100%; margin: 0 }
.find input { flex: 1; min-width: 0; width: auto } .find button { flex: none; width: auto }
#decided { margin-bottom: 1.5rem }
.past { max-height: 22rem; overflow: auto; margin: 0 0 1rem; padding: 0; list-style: none; border: 1px solid var(--line);
  border-radius: .6rem }
.past li { display: flex; flex-wrap: wrap; gap: 0 .8rem; padding: .1rem .8rem; border-top: 1px solid var(--line); font-size: .9rem }
.past li:first-child { border-top: 0 } .past a { display: inline-flex; align-items: center; min-height: 2rem; font-weight: 600 }
.past li:has([aria-current]) { background: var(--soft) } .past span { align-content: center; overflow-wrap: anywhere }
.slide { display: flex; flex-wrap: wrap; gap: .2rem .8rem; align-items: center; margin: 0 0 1rem } .slide[hidden] { display: none }
.slide input { flex: 1 1 16rem; min-width: 0; padding: 0; accent-color: var(--link) }
.slide output { flex: 1 1 100%; overflow-wrap: anywhere }
.facts { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: .2rem 1rem; margin: 0 0 1rem }
.facts dt { color: var(--faint) } .facts dd { margin: 0; overflow-wrap: anywhere }
.json { max-height: 40rem; overflow: auto; white-space: pre-wrap; overflow-wrap: anywhere; line-height: 1.45 }
.json :is(ins, del) { display: block; text-decoration: none; border-inline-start: .25rem solid; padding-inline-start: .3rem }
.json ins { color: var(--good); background: var(--card) } .json del { color: var(--problem); background: var(--card) }
.json span { display: block; padding-inline-start: .55rem }
.story { padding: 0; list-style: none } .story li { padding: .6rem 0; border-top: 1px solid var(--line) }
.story p { margin: 0 0 .3rem; overflow-wrap: anywhere }
tr.bad :is(th, td) { color: var(--problem) }
.numbers { display: grid; grid-template-columns: repeat(2, minmax(0, 1fr)); gap: .7rem; margin: 0 0 1.5rem }
.number-tile { padding: .8rem 1rem; background: var(--card); border: 1px solid var(--line); border-radius: .8rem; box-shadow: var(--shade);
  min-width: 0 }
.number-tile dt { color: var(--faint); font-size: .85rem; font-weight: 550 } .number-tile dd { margin: 0 }
.number-tile .value { font-size: 1.55rem; font-weight: 650; line-height: 1.3; font-variant-numeric: tabular-nums }
.number-tile .unit { color: var(--faint); font-size: .85rem } .number-tile dd.faint { font-size: .82rem }
.number-tile.bad { border-color: var(--problem) } .number-tile.bad :is(.value, dd.faint) { color: var(--problem) }
@media (min-width: 44rem) { .map { grid-template-columns: repeat(32, minmax(0, 1fr)) } .numbers { grid-template-columns: repeat(4, minmax(0, 1fr)) } }
.plots > .panel.plot { margin: 0 } .plots { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 24rem), 1fr)); gap: .9rem }
.plot { margin: 0; min-width: 0; padding: .9rem 1rem .7rem } .plot figcaption { font-weight: 600; font-size: .95rem }
.plot > div { min-height: 150px; overflow: hidden } .panel.plot > p { margin: .2rem 0 0; font-size: .85rem }
.plot .u-legend { margin: 0; text-align: start; font-size: .82rem; color: var(--text) }
.plot .u-legend :is(th, td) { border: 0; background: none; padding: 0 .2rem; text-align: start; font-weight: 500 }
.plot .u-legend tr { display: inline-flex; align-items: center; margin-inline-end: .8rem } .plot table { width: auto; margin: 0 }
.part { border: 1px solid var(--line); border-radius: .7rem; background: var(--card); margin: 0 0 .5rem; padding: 0 1rem }
.part[open] { padding-bottom: 1rem } .part.bad { border-color: var(--problem) }
.part > summary { width: auto; flex-wrap: wrap; gap: .1rem .6rem; color: var(--text) } .part > summary .faint { font-size: .92rem }
.part.bad > summary .faint { color: var(--problem) } .part > summary::before { border-color: var(--faint) }
.jobs { list-style: none; margin: 0 0 1rem; padding: 0; display: grid; gap: .6rem } .jobs:empty { display: none }
.jobs li { padding: .7rem 1rem; background: var(--card); border: 1px solid var(--line); border-inline-start: .3rem solid var(--link);
  border-radius: .6rem } .jobs li.done { border-inline-start-color: var(--good) } .jobs li.failed { border-inline-start-color: var(--problem) }
.jobs p { margin: 0 } .jobs .words { margin: .5rem 0 0; font-size: .85rem; max-height: 14rem; overflow: auto }
time[title] { white-space: nowrap }
.words { margin: .4rem 0 1rem; padding: .6rem .9rem; border-inline-start: .25rem solid var(--line); background: var(--code);
  border-radius: .4rem; white-space: pre-wrap; overflow-wrap: anywhere }
.beside { opacity: .85; font-size: .92rem } .about { margin: .6rem 0; padding: .6rem 1rem; border: 2px solid var(--warm); border-radius: .6rem }
.facts { display: grid; grid-template-columns: minmax(7rem, max-content) 1fr; gap: .3rem 1rem; margin: 0 0 1rem }
.facts dt { color: var(--faint) } .facts dd { margin: 0; overflow-wrap: anywhere }
.panel + .panel { margin-top: 1rem } kbd { padding: 0 .35em; border: 1px solid var(--line); border-radius: .3em; background: var(--code) }
fieldset { display: flex; gap: 1.2rem; border: 0; padding: 0; margin: 0 0 1rem }
@media (min-width: 60rem) { .side .brand { flex: 0 0 auto } .own { order: 0; flex: 1; margin-inline: 1rem } }
`

const PLOTS = readFileSync(createRequire(import.meta.url).resolve("uplot/dist/uPlot.min.css"), "utf8")

export const CONSOLE_STYLE = OWNER_STYLE + PLOTS + OWN
