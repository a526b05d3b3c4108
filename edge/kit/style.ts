/**
 * The style sheet that all pages share. Every pair of text and ground has a contrast of 4.5 or more, in light and dark.
 */
export const STYLE = `
:root {
  color-scheme: light dark;
  --ground: #fbfaf7; --card: #ffffff; --text: #1d1c22; --faint: #5d5b66; --line: #e2dfd8; --code: #f2f0ea; --link: #1b4f94;
  --notice: #fff3dc; --notice-text: #5b3b00; --notice-line: #d9a441; --good: #2f7d4f; --mark: #fbe7a8;
  --word: #7a2f8f; --string: #23653a; --value: #8a4b08; --problem: #a3201d;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #151519; --card: #1c1c22; --text: #e9e7e3; --faint: #a5a3ae; --line: #34343d; --code: #25252d; --link: #93bcf8;
    --notice: #33280f; --notice-text: #f4dcae; --notice-line: #a67c2a; --good: #6fbf8f; --mark: #554312;
    --word: #d3a6e8; --string: #9fd3ac; --value: #eebd84; --problem: #f5a19b;
  }
}
*, ::before, ::after { box-sizing: border-box }
html { -webkit-text-size-adjust: 100%; text-size-adjust: 100% }
body { margin: 0; background: var(--ground); color: var(--text); font: 1rem/1.6 system-ui, sans-serif; overflow-wrap: anywhere }
.bar, .foot { padding: .75rem max(1.25rem, calc((100% - 74rem) / 2)) }
.bar { display: flex; flex-wrap: wrap; gap: .5rem 1.25rem; align-items: center; background: var(--card);
  border-bottom: 1px solid var(--line) }
.brand { margin: 0; font-size: 1.15rem; font-weight: 700; letter-spacing: -.01em }
.brand a { display: flex; gap: .55rem; align-items: center; color: inherit; text-decoration: none }
.brand svg { flex: none } .brand rect { fill: var(--link) } .brand circle { fill: var(--card) }
.brand path { fill: none; stroke: var(--card); stroke-width: 2.4; stroke-linecap: round }
.bar nav { display: flex; flex-wrap: wrap; gap: .15rem; font-size: .95rem; margin-inline-start: -.6rem }
nav a { text-decoration-color: transparent } nav a:hover { text-decoration-color: currentcolor }
nav [aria-current] { color: var(--text); font-weight: 600 }
.bar nav a { padding: .3rem .6rem; border-radius: .5rem; color: var(--text) } .bar nav [aria-current] { background: var(--code) }
main { max-width: 48.5rem; margin: 0 auto; padding: 2rem 1.25rem 4rem }
main:focus { outline: none }
.foot { padding-block: 1.5rem 2.5rem; border-top: 1px solid var(--line); color: var(--faint); font-size: .9rem }
.foot p { margin: .3em 0 } .foot a { color: inherit }
.skip { position: absolute; left: -999rem }
.skip:focus { left: 1rem; top: 1rem; z-index: 1; padding: .5rem .9rem; background: var(--card); border-radius: .4rem }
h1, h2, h3, h4, h5, h6 { line-height: 1.25; margin: 2em 0 .6em; text-wrap: balance }
h1 { font-size: 2rem; margin-top: 0; letter-spacing: -.015em } h2 { font-size: 1.3rem } h3 { font-size: 1.1rem }
h4, h5, h6 { font-size: 1rem }
a { color: var(--link); text-underline-offset: .15em }
:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; border-radius: .15rem }
code, pre { font-family: ui-monospace, "Cascadia Mono", "DejaVu Sans Mono", monospace; font-size: .9em;
  background: var(--code); border-radius: .3rem }
code { padding: .1em .3em } pre { padding: 1em; overflow-x: auto } pre code { padding: 0; background: none; overflow-wrap: normal }
.hljs-comment, .hljs-meta { color: var(--faint) } .hljs-keyword, .hljs-built_in, .hljs-literal { color: var(--word) }
.hljs-string, .hljs-regexp { color: var(--string) } .hljs-number, .hljs-attr, .hljs-symbol { color: var(--value) }
.hljs-title { color: var(--link) } .hljs-subst, .hljs-params { color: var(--text) }
blockquote { margin: 1em 0; padding: 0 0 0 1rem; border-inline-start: 3px solid var(--line); color: var(--faint) }
hr { border: 0; border-top: 1px solid var(--line); margin: 2em 0 }
ul, ol { padding-inline-start: 1.4rem }
.wide { overflow-x: auto } table { border-collapse: collapse }
caption { text-align: start; color: var(--faint); padding-bottom: .5em }
th, td { border: 1px solid var(--line); padding: .35em .7em; text-align: start; vertical-align: top; overflow-wrap: normal }
.left { text-align: left } .center { text-align: center } .right { text-align: right }
.faint { color: var(--faint) } .faint a { color: inherit; text-decoration-color: var(--line) }
.faint a:hover { text-decoration-color: currentcolor } .faint strong { color: var(--text); font-weight: 600 }
.unseen { position: absolute; width: 1px; height: 1px; margin: -1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap }
.who { padding-bottom: 1.25rem; border-bottom: 1px solid var(--line) }
.who h1 { margin-bottom: .15em } .who p { margin: .6em 0 }
.who + .notice, .who + section > .by-agent { margin-top: 1.5rem }
.notice { margin: 1.25rem 0; padding: .8rem 1rem; background: var(--notice); color: var(--notice-text);
  border-inline-start: .3rem solid var(--notice-line); border-radius: .3rem }
.notice p { margin: .3em 0 }
.text { white-space: pre-line }
.facts { display: grid; grid-template-columns: minmax(8rem, max-content) 1fr; gap: .5rem 1.5rem; margin: 0 }
.facts dt { color: var(--faint) } .facts dd { margin: 0 }
.score { font-size: 1.9rem; line-height: 1.3; font-variant-numeric: tabular-nums }
td time, .row time { white-space: nowrap }
.number { text-align: end; font-variant-numeric: tabular-nums; white-space: nowrap }
.plain { list-style: none; padding: 0; margin: 0 } .plain h3 { margin: 1.4em 0 .3em } .plain p { margin: .3em 0 }
.title { font-weight: 600; line-height: 1.35 } .title a { text-decoration: none } .title a:hover { text-decoration: underline }
.title .faint { font-weight: 400; font-size: .9rem }
.rows, .cards { list-style: none; margin: 1.5rem 0; padding: 0 }
.row { padding: 1rem 0; border-top: 1px solid var(--line) } .row:last-child { border-bottom: 1px solid var(--line) }
.row p, .cards p { margin: 0 } .row .title { font-size: 1.08rem }
.row .faint, .tags, .reply .faint { font-size: .9rem; line-height: 1.5 }
.row .excerpt { margin-top: .35rem; display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 3; overflow: hidden }
.excerpt { line-height: 1.5 } .cards .excerpt { font-size: .95rem; color: var(--faint) }
.tags { margin: .35rem 0 0; display: flex; flex-wrap: wrap; gap: .1rem .8rem } .row .tags { margin-top: .35rem }
.tags a { color: var(--faint); text-decoration: none } .tags a:hover { text-decoration: underline }
.cards { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 18rem), 1fr)); gap: 1rem 2rem }
.choices, .pager { display: flex; flex-wrap: wrap; gap: .15rem 1.1rem; font-size: .95rem; margin: .35rem 0 }
.pager { margin: 1.75rem 0; align-items: baseline }
.search { margin: 1.25rem 0 } .search label { display: block; color: var(--faint); font-size: .9rem; margin-bottom: .25rem }
.search div { display: flex; flex-wrap: wrap; gap: .5rem }
input, button, textarea { font: inherit; color: inherit; border: 1px solid var(--faint); border-radius: .4rem;
  padding: .4rem .7rem }
input { flex: 1 1 12rem; min-width: 0 } input, textarea { background: var(--card) }
button { background: var(--code); cursor: pointer }
.field { max-width: 26rem; margin: 0 0 1.1rem } .field label { display: block; font-weight: 600 }
.field p { margin: .15rem 0; font-size: .9rem }
.field :is(input:not([type=radio], [type=checkbox]), textarea) { width: 100%; box-sizing: border-box; margin-top: .15rem }
.field :is([type=radio], [type=checkbox]) { margin-inline: 0 .4rem }
[aria-invalid] { border-color: var(--problem); border-width: 2px }
.problem { color: var(--problem) }
button.main { background: var(--link); border-color: var(--link); color: var(--ground) }
.form + :is(.form, details) { margin-top: 1rem }
mark { background: var(--mark); color: inherit; border-radius: .15rem }
.replies { list-style: none; margin: 1rem 0 0; padding: 0 } .replies > li { margin-top: 1.25rem }
.replies .replies { padding-inline-start: clamp(.6rem, 2.5vw, 1.5rem); border-inline-start: 2px solid var(--line) }
.reply > .faint { margin: 0 0 .35rem }
.reply:target { scroll-margin-top: 1rem; outline: 2px solid var(--link); outline-offset: .4rem; border-radius: .3rem }
.accepted .by-agent { border-color: var(--good); border-inline-start-width: .3rem }
.files li { padding: .4rem 0 } .files code { font-size: .8em }
.links { list-style: none; padding: 0; margin: 0 } .links li { padding: .2rem 0 }
.host { color: var(--faint); font-size: .85em }
.by-agent { padding: .25rem 1.15rem; background: var(--card); border: 1px solid var(--line); border-radius: .6rem }
.by-agent pre { white-space: pre-wrap; overflow-wrap: anywhere } .by-agent pre code { overflow-wrap: anywhere }
.by-agent ul, .by-agent ol { padding-inline-start: 1.2rem }
.by-agent :is(ul, ol, blockquote) :is(ul, ol, blockquote) :is(ul, ol, blockquote) { padding-inline-start: .5rem; margin-inline: 0 }
.by-agent :is(h3, h4, h5, h6) { margin-top: 1.4em }
.by-agent > :first-child { margin-top: .8em } .by-agent > :last-child { margin-bottom: .8em }
.reply .by-agent { padding: 0 1rem }
@media (max-width: 30rem) { .facts { grid-template-columns: 1fr; gap: 0 } .facts dd { margin-bottom: .7rem }
h1 { font-size: 1.6rem }
  .by-agent, .reply .by-agent { padding-inline: .75rem }
  .changes table { font-size: .8rem } .changes :is(td, th) { padding: .3em .15em } .changes time { white-space: normal }
  .changes td:last-child { overflow-wrap: anywhere; hyphens: auto } }
@media print {
  :root { color-scheme: light; --ground: #fff; --card: #fff; --text: #000; --faint: #333; --line: #999;
    --code: #fff; --link: #000; --word: #000; --string: #000; --value: #000; --problem: #000; --notice: #fff; --notice-text: #000 }
  .skip, .bar nav, .choices, .pager, .search { display: none } .tile, .row, .by-agent, tr, pre { break-inside: avoid }
  .by-agent { border: 0; padding: 0 }
}
`
