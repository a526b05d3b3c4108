/**
 * The style sheet of the owner's pages: the common one and additional rules. Buttons, navigation links and fields are
 * at least 2.75rem high, which is 44 pixels.
 */
import { STYLE } from "../style.ts"

const OWN = `
:root { --soft: #eef3fa; --warm: #b8741a; --shade: 0 1px 2px #1d1c220d, 0 2px 8px #1d1c220a }
@media (prefers-color-scheme: dark) { :root { --soft: #202a3a; --warm: #dca851; --shade: none } }
.app .foot { margin-top: auto }
.app { display: flex; flex-direction: column; min-height: 100vh }
.side { display: flex; flex-wrap: wrap; align-items: center; gap: .25rem .75rem; padding: .5rem 1rem;
  background: var(--card); border-bottom: 1px solid var(--line) }
.side .brand { flex: 1 } .side .brand a { display: inline-flex; align-items: center; gap: .6rem; min-height: 2.75rem }
.side .brand img { border-radius: .4rem }
.own { order: 1; flex-basis: 100%; display: flex; flex-wrap: wrap; gap: .15rem; margin-inline: -.5rem; font-size: .95rem }
.own a { display: flex; align-items: center; gap: .55rem; min-height: 2.75rem; padding: 0 .6rem; border-radius: .55rem;
  color: var(--faint); text-decoration: none; font-weight: 550; white-space: nowrap }
.own a:hover { color: var(--text); background: var(--code) } .own a[aria-current] { color: var(--link); background: var(--soft) }
.icon { flex: none; fill: none; stroke: currentcolor; stroke-width: 1.7; stroke-linecap: round; stroke-linejoin: round }
.own .icon { width: 20px; height: 20px }
.app main, .app .foot { width: 100% } .app main { padding-top: 1.75rem }
.lead { margin: -.2em 0 1.5rem; color: var(--faint); max-width: 44rem }
section > h2 { margin: 2.25rem 0 .8rem } .app h1 { margin-bottom: .35em }
.count { display: inline-block; min-width: 1.6em; margin-inline-start: .3em; padding: 0 .45em; border-radius: 1em;
  background: var(--link);
  color: var(--ground); font-size: .8em; line-height: 1.6; text-align: center; font-variant-numeric: tabular-nums }
.panel, .tile { background: var(--card); border: 1px solid var(--line); border-radius: .8rem; box-shadow: var(--shade) }
.panel { padding: 1.25rem } .panel > :first-child { margin-top: 0 } .panel > :last-child { margin-bottom: 0 }
.panel :is(.form, .field):last-child { margin-bottom: 0 } .panel h3 { margin: 1.5em 0 .6em }
.rows.panel { margin: 0; padding: .1rem 1.25rem } .rows.panel .row:first-child { border-top: 0 }
.rows.panel .row:last-child { border-bottom: 0 }
.panel > .rows { margin-block: 0 1rem } .panel > .rows > .row:first-child { border-top: 0; padding-top: 0 }
.row p + p { margin-top: .2rem } .calls { border-inline-start: .3rem solid var(--warm) }
.tiles { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 19rem), 1fr)); gap: 1rem; margin: 0; padding: 0;
  list-style: none }
.tile { display: flex; flex-direction: column; gap: .6rem; padding: 1.15rem 1.25rem; min-width: 0 } .tile :is(p, h3) { margin: 0 }
.tile .title { font-size: 1.1rem } .tile .faint { font-size: .9rem } .tile .last { flex: 1 }
.tile details { margin-bottom: -.5rem } .tile details p { margin: 0 0 .6rem; font-size: .95rem }
.who-is { display: flex; align-items: center; gap: .8rem } .who-is > div { min-width: 0 } .who-is > .icon { color: var(--faint) }
.whole { position: relative } .whole:hover, .need:hover { border-color: var(--link) }
.whole .title a::after, .need a::after { content: ""; position: absolute; inset: 0 }
:is(.whole, .need) a:focus-visible { outline: none }
:is(.whole, .need):has(a:focus-visible) { outline: 3px solid var(--link); outline-offset: 2px }
.face { flex: none; display: inline-grid; place-items: center; width: 2.75rem; height: 2.75rem; border-radius: .8rem; color: #fff;
  font-weight: 650; font-size: 1.15rem; line-height: 1 }
.face-0 { background: #1b4f94 } .face-1 { background: #7a2f8f } .face-2 { background: #23653a }
.face-3 { background: #8a4b08 } .face-4 { background: #9c2f52 } .face-5 { background: #186670 }
.app .who { display: flex; flex-wrap: wrap; gap: .5rem 1.1rem; align-items: flex-start; padding-bottom: 1.1rem; border: 0 }
.who > div { flex: 1 1 14rem; min-width: 0 }
.who > .face .icon { width: 34px; height: 34px }
.who > .face { width: 4rem; height: 4rem; border-radius: 1.1rem; font-size: 1.8rem }
.of { display: flex; align-items: center; gap: .7rem }
.of .face { width: 2rem; height: 2rem; border-radius: .6rem; font-size: .95rem }
.of a { display: flex; align-items: center; min-height: 2.75rem; color: inherit; text-decoration: none }
.of a:hover { text-decoration: underline }
.chips { display: flex; flex-wrap: wrap; gap: .4rem } .app .who .chips { margin: .5rem 0 0 }
.chip { display: inline-flex; align-items: center; gap: .4em; padding: .05em .6em; border: 1px solid var(--line);
  border-radius: 1em;
  color: var(--faint); font-size: .82rem; font-weight: 550; line-height: 1.6 }
.chip::before { content: ""; width: .5em; height: .5em; border-radius: 50%; background: currentcolor }
.chip.good { color: var(--good) } .chip.bad { color: var(--problem); border-color: currentcolor }
.chip.open { color: var(--notice-text) }
.title .chip { margin-inline-start: .3rem; vertical-align: .1em; white-space: nowrap }
.needs { list-style: none; margin: 0; padding: 0; display: grid; gap: .6rem }
.need { position: relative; display: flex; align-items: center; gap: .9rem; padding: .8rem 1.1rem; background: var(--card);
  border: 1px solid var(--line);
  border-inline-start: .3rem solid var(--link); border-radius: .7rem; box-shadow: var(--shade) }
  .need.urgent { border-inline-start-color: var(--warm) }
.need::after { content: ""; flex: none; width: .55rem; height: .55rem; margin-inline: auto .2rem; border: solid var(--faint);
  border-width: 2px 2px 0 0; transform: rotate(45deg) }
[dir=rtl] .need::after { transform: rotate(-135deg) } .need .icon { color: var(--link) } .need.urgent .icon { color: var(--warm) }
.need p { margin: 0 } .need .faint { font-size: .9rem } .need a { color: inherit; text-decoration: none }
.empty { display: flex; align-items: center; gap: 1rem; padding: 1.1rem 1.25rem; border: 1px dashed var(--line);
  border-radius: .8rem; color: var(--faint) }
.empty p { margin: 0; max-width: 40rem } .empty .icon { width: 28px; height: 28px }
.talk { list-style: none; margin: 0; padding: 0; display: grid; gap: .8rem } .talk .row { padding: 0; border: 0; display: flex }
.bubble { max-width: min(44rem, 92%); min-width: min(22rem, 75%); padding: .8rem 1.1rem; background: var(--card);
  border: 1px solid var(--line); border-radius: .9rem; border-end-start-radius: .2rem; box-shadow: var(--shade) }
.bubble.mine { margin-inline-start: auto; background: var(--soft); border-end-start-radius: .9rem; border-end-end-radius: .2rem }
.bubble.open { border-inline-start: .3rem solid var(--warm); max-width: 100%; width: 100% }
.talk .bubble p { margin: .2rem 0 } .talk .bubble .title { font-size: .85rem; color: var(--faint) }
.talk .options { margin: .8rem 0 }
.jump { display: flex; flex-wrap: wrap; gap: .4rem; margin: 0 0 1.5rem }
.jump a { display: flex; align-items: center; min-height: 2.75rem; padding: 0 .95rem; border: 1px solid var(--line);
  border-radius: 2rem; background: var(--card); color: var(--text); text-decoration: none; font-size: .95rem }
.jump a:hover { border-color: var(--link); color: var(--link) }
.code { padding: .2em .5em; font-size: 1.1rem; letter-spacing: .06em; user-select: all }
:is(button, .button) { display: inline-flex; align-items: center; justify-content: center; min-height: 2.75rem;
  padding: .4rem 1.05rem; border: 1px solid var(--faint); border-radius: .55rem;
  background: var(--card); color: inherit; font: inherit; font-weight: 550; line-height: 1.3; text-decoration: none;
    text-align: center; overflow-wrap: anywhere }
:is(button, .button):hover { background: var(--code) }
:is(button, .button).main { background: var(--link); border-color: var(--link); color: var(--ground) }
:is(button, .button).main:hover { filter: brightness(1.12) }
button.grave { color: var(--problem); border-color: var(--problem) } [hidden] { display: none }
.side button { border-color: var(--line); font-size: .95rem; color: var(--faint) }
.acts { display: flex; flex-wrap: wrap; gap: .4rem 1rem; align-items: center }
.acts a:not(.button) { display: inline-flex; align-items: center; min-height: 2.75rem }
:is(input:not([type=radio], [type=checkbox], [type=hidden], [type=image]), textarea) { min-height: 2.75rem; border-radius: .55rem;
  padding: .5rem .8rem }
.field { max-width: 30rem } .field:has(textarea) { max-width: 44rem } .field :is(p, .faint) { font-size: .9rem }
fieldset.field { margin-inline: 0; padding: 0; border: 0 } legend { padding: 0; font-weight: 600 }
.field label:has([type=radio], [type=checkbox]) { display: flex; align-items: center; min-height: 2.75rem; font-weight: 400;
  font-size: 1rem }
[type=radio], [type=checkbox] { flex: none; width: 1.25rem; height: 1.25rem }
.app :is([type=radio], [type=checkbox]) { margin: 0; margin-inline-end: .7rem; accent-color: var(--link) }
.field label:has([type=radio], [type=checkbox]) + .faint { display: block; margin: -.4rem 0 .4rem; padding-inline-start: 1.95rem }
.boxes { display: flex; flex-wrap: wrap; gap: 0 1.5rem } .box { display: inline-flex; align-items: center; min-height: 2.75rem }
summary { display: flex; align-items: center; gap: .6rem; min-height: 2.75rem; width: fit-content; cursor: pointer;
  color: var(--link) } summary::-webkit-details-marker { display: none }
summary::before { content: ""; flex: none; width: .45rem; height: .45rem; border: solid currentcolor; border-width: 2px 2px 0 0;
  transform: rotate(45deg) }
[open] > summary::before { transform: rotate(135deg) } .tile summary { color: var(--faint); font-size: .9rem }
.form details { margin: .35rem 0 1rem }
.picture { display: block; margin-bottom: 1.25rem } .row .form { margin-top: .6rem }
.tappable { position: relative; width: max-content } .tappable input { border: 0; border-radius: 0; padding: 0; display: block }
.dots { position: absolute; inset: 0; pointer-events: none } .dots circle { fill: var(--link); opacity: .85 }
.dots text { fill: var(--ground); font-size: .75rem; text-anchor: middle } .options { display: flex; flex-wrap: wrap; gap: .6rem }
.steer { display: flex; flex-wrap: wrap; gap: .6rem; margin-top: 1.25rem } .steer .form + :is(.form, details) { margin-top: 0 }
.steer :is(details, .problem) { flex-basis: 100% } .steer .problem { margin: 0 }
.gauge { margin: 0 0 1rem } .gauge p { margin: 0; display: flex; flex-wrap: wrap; justify-content: space-between; gap: 0 1rem }
.gauge svg { display: block; width: 100%; height: .6rem; border-radius: .3rem } .gauge rect { fill: var(--line) }
.gauge rect + rect { fill: var(--link) }
.gauge .over rect + rect { fill: var(--problem) }
.chart svg { height: 3rem } .chart polyline { fill: none; stroke: var(--link); stroke-width: 2; vector-effect: non-scaling-stroke }
@media (min-width: 48rem) { .split { display: grid; grid-template-columns: 13rem minmax(0, 1fr); gap: 0 2rem; padding: 1.5rem 0;
  border-top: 1px solid var(--line) }
  .jump + .split { border-top: 0; padding-top: .5rem } .split > h2 { margin: 0; font-size: 1.1rem } }
@media (min-width: 64rem) {
  .app { display: grid; grid-template: 1fr auto / 15.5rem minmax(0, 1fr) }
  .side { grid-row: 1 / -1; position: sticky; top: 0; height: 100vh; flex-flow: column; align-items: stretch; gap: 1.25rem;
    padding: 1.25rem 1rem; border-bottom: 0;
    border-inline-end: 1px solid var(--line); overflow-y: auto }
  .side .brand { flex: none; padding-inline: .35rem; font-size: 1.1rem }
  .own { order: 0; flex: none; flex-direction: column; margin: 0 } .side form { margin-top: auto } .side button { width: 100% }
  .app main, .app .foot { max-width: 66rem; margin-inline: 0; padding-inline: 3rem } .app main { padding-top: 2.5rem }
}
@media (min-width: 100rem) { .app { grid-template-columns: 18rem minmax(0, 1fr) }
.app main, .app .foot { max-width: 80rem; margin-inline: auto } }
@media (max-width: 26rem) { .row time { white-space: normal } .own .icon { display: none } .own a { padding: 0 .55rem }
.panel, .tile { padding: 1rem } .rows.panel { padding: .1rem 1rem } .app main { padding-inline: 1rem } .bubble { max-width: 100% }
  .picture, .tappable { margin-inline-start: -1rem } }
@media print {
  .app { display: block }
  .side :is(nav, form), .jump, .acts, details, .form, .steer, section:has(> :is(#write, #declare)) { display: none }
  .side { position: static; height: auto; border: 0; padding: 0 }
  .panel, .tile, .need, .bubble { box-shadow: none; break-inside: avoid } .need::after { display: none }
}
`

export const OWNER_STYLE = STYLE + OWN
