/** The style sheet of the owner's pages: that of all pages, and the rules that only these need. */
import { STYLE } from "../style.ts"

const OWN = `.own { display: flex; flex-wrap: wrap; gap: .5rem 1.1rem; align-items: center; margin-bottom: 1.5rem; font-size: .95rem }
.own form { margin-inline-start: auto }
.form details { margin: .35rem 0 1rem } .grave { color: var(--problem); border-color: var(--problem) }
.row .form { margin-top: .5rem } .tappable { position: relative; width: max-content } .tappable input { border: 0; border-radius: 0; padding: 0; display: block }
.dots { position: absolute; inset: 0; pointer-events: none } .dots circle { fill: var(--link); opacity: .85 }
.dots text { fill: var(--ground); font-size: .75rem; text-anchor: middle } .options { display: flex; flex-wrap: wrap; gap: .6rem } .options button { min-height: 2.75rem; overflow-wrap: anywhere }
.steer { display: flex; flex-wrap: wrap; gap: .6rem; margin-top: 1.25rem } .steer .form + :is(.form, details) { margin-top: 0 }
.steer :is(details, .problem) { flex-basis: 100% } .steer .problem { margin: 0 }
.gauge { margin: 0 0 1rem; max-width: 26rem } .gauge p { margin: 0; display: flex; flex-wrap: wrap; justify-content: space-between; gap: 0 1rem }
.gauge svg { display: block; width: 100%; height: .6rem } .gauge rect { fill: var(--line) } .gauge rect + rect { fill: var(--link) }
.gauge .over rect + rect { fill: var(--problem) }
.chart svg { height: 2.4rem } .chart polyline { fill: none; stroke: var(--link); stroke-width: 2; vector-effect: non-scaling-stroke }
`

export const OWNER_STYLE = STYLE + OWN
