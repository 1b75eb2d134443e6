import { MAIN_FONT } from './assets.ts'

/** Style of the pages beside the dashboard: messages, and shares as visitors see them. */
export const STYLE = `
@font-face { font-family: Figtree; font-weight: 400 600; font-display: swap; src: url("${MAIN_FONT}") format("woff2") }
:root { color-scheme: light dark; --ink: light-dark(#1c2422, #e7ebe7); --quiet: light-dark(#57615e, #9ca8a4);
  --page: light-dark(#fffefb, #14191a); --line: light-dark(#e2dfd5, #2b3435); --edge: light-dark(#88908c, #6d7b78);
  --panel: light-dark(#f4f2eb, #1b2122); --link: light-dark(#0b5048, #84d6c3); --main: light-dark(#0d5c54, #6cc9b4);
  --on-main: light-dark(#f7fbf8, #06231e); --bad: light-dark(#a4302a, #f08d80) }
* { box-sizing: border-box } @media (min-width: 120rem) { :root { font-size: 112.5% } }
body { margin: 0; font: 1rem/1.5 Figtree, system-ui, sans-serif; background: var(--page); color: var(--ink) }
.brand { display: flex; align-items: center; gap: .75rem; max-width: 100rem; margin: 0 auto; padding: 1rem clamp(1rem, 4vw, 4rem) 0; font-weight: 600 }
.brand img { height: 2rem; max-width: 8rem; object-fit: contain } body:has(.tiles) .brand { max-width: 150rem } body:has(.view) .brand { max-width: none }
main { max-width: 100rem; margin: 0 auto; padding: clamp(1.25rem, 3vw, 3rem) clamp(1rem, 4vw, 4rem) 4rem }
main:not(:has(.head)) { max-width: 30rem; margin: 14vh auto 0; padding: 2rem; border: 1px solid var(--line); border-radius: 14px;
  background: light-dark(#fffefb, #1b2122) }
main:not(:has(.head)) > :last-child { margin-bottom: 0 }
@media (max-width: 32rem) { main:not(:has(.head)) { margin: 1rem; padding: 1.5rem } }
main:has(.tiles) { max-width: 150rem } main:has(.view) { max-width: none }
h1 { margin: 0 0 .25rem; font-size: 1.5rem; font-weight: 600; line-height: 1.25; letter-spacing: -.01em; overflow-wrap: anywhere }
h2 { margin: 2rem 0 0; font-size: 1.125rem; font-weight: 600 }
p { margin: .75rem 0 }
a { color: var(--link) } :focus-visible { outline: 2px solid var(--main); outline-offset: 2px }
.head { display: flex; flex-wrap: wrap; gap: 1rem 2rem; align-items: center; margin-bottom: 1.5rem }
.head > div { flex: 1 1 18rem; min-width: 0 } .head p { margin: 0 }
.back { display: inline-block; padding: .5rem .75rem .5rem 0; margin: -.75rem 0 .25rem; font-size: .875rem; text-decoration: none }
ul { list-style: none; margin: 1.5rem 0; padding: 0 }
li { display: flex; gap: 1rem; align-items: center; min-height: 4rem; padding: .5rem 0; border-bottom: 1px solid var(--line) }
li > span:first-child:not(.icon), .what { flex: 1; min-width: 0; overflow-wrap: anywhere }
.what .quiet { display: block } li a { text-decoration: none } li a:hover { text-decoration: underline }
.what a { color: var(--ink); font-weight: 500 }
.rows { border-top: 1px solid var(--line) }
.rows:has(li:nth-child(9)) { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 28rem), 1fr)); column-gap: 3rem }
main:has(.rows):not(:has(.tiles, .view, li:nth-child(9))) { max-width: 64rem }
li img, .icon { width: 3rem; height: 3rem; flex: none; object-fit: cover; border-radius: 8px; background: var(--panel) }
.icon { display: grid; place-items: center; font-size: .6875rem; font-weight: 600; color: var(--quiet) }
li img, .view img { position: relative }
img::after { content: attr(data-type); position: absolute; inset: 0; display: grid; place-items: center; border-radius: inherit;
  background: var(--panel); color: var(--quiet); font-size: .6875rem; font-weight: 600 }
.play { width: 1.5rem; height: 1.5rem; flex: none; margin: 0 .75rem 0 -3.25rem; z-index: 1; fill: #000b } .play path { fill: #fff }
.icon path { fill: var(--quiet) }
.save { display: grid; flex: none; place-items: center; width: 2.75rem; height: 2.75rem; border-radius: 8px; font-size: 1.25rem }
.save:hover { background: var(--panel); text-decoration: none }
.tiles { display: grid; grid-template-columns: repeat(auto-fill, minmax(clamp(9rem, 14vw, 17rem), 1fr)); gap: 1rem clamp(.75rem, 1.2vw, 1.25rem) }
.tiles li { position: relative; display: block; min-height: 0; padding: 0; border: 0 }
.tiles img { display: block; width: 100%; height: auto; aspect-ratio: 1; border-radius: 10px }
.tiles li span { display: -webkit-box; height: 2.5rem; margin: .375rem 2.75rem 0 0; overflow: hidden; font-size: .875rem;
  line-height: 1.25rem; color: var(--ink); overflow-wrap: anywhere; -webkit-box-orient: vertical; -webkit-line-clamp: 2 }
.tiles .play { position: absolute; left: 50%; top: calc(50% - 1.4375rem); width: 3rem; height: 3rem; margin: -1.5rem }
.tiles .save { position: absolute; right: -.75rem; bottom: .5rem }
.view { position: relative; display: grid; place-items: center; height: max(18rem, calc(100dvh - 12rem)); margin: 0; overflow: hidden;
  border-radius: 14px; background: var(--panel) }
.view :is(img, video, object) { display: block; width: 100%; height: 100%; min-height: 0; object-fit: contain; border: 0 }
.view img { background: none } .view video { background: #000 } .view audio { width: min(40rem, 90%) }
.view .icon { width: 7rem; height: 7rem; border-radius: 18px; background: var(--page); font-size: 1.25rem }
.view .none { text-align: center } .view .none .icon { margin: 0 auto 1rem }
.view:has(pre) { height: auto } .view pre { width: 100%; max-height: max(18rem, calc(100dvh - 12rem)); margin: 0; padding: clamp(1rem, 3vw, 2rem); overflow: auto; font: .875rem/1.6 ui-monospace, monospace;
  padding-inline: max(clamp(1rem, 3vw, 2rem), calc(50% - 31rem)); white-space: pre-wrap; overflow-wrap: anywhere; tab-size: 4 }
.view pre:focus-visible { outline-offset: -2px }
.view:has(> audio, > .none) { height: 20rem } main:has(.view > audio, .view > .none) { max-width: 48rem; padding-top: 10vh } object .none { padding: 25vh 1rem 0 }
.stage { position: relative } .stage .view { height: max(16rem, calc(100dvh - 16.5rem)) } .view img { touch-action: pan-y pinch-zoom }
.steps a { position: absolute; top: calc(50% - 1.5rem); left: 1rem; display: grid; place-items: center; width: 3rem; height: 3rem; padding-bottom: .25rem;
  border-radius: 50%; background: #0009; color: #fff; font-size: 1.75rem; line-height: 1; text-decoration: none } .steps [rel=next] { left: auto; right: 1rem }
.steps a:hover { background: #000d }
.strip { display: flex; justify-content: safe center; gap: .5rem; margin-top: .75rem; padding: .375rem; overflow-x: auto; scrollbar-width: thin }
.strip a { flex: none; border-radius: 8px; opacity: .65 } .strip a:is(:hover, [aria-current]) { opacity: 1 }
.strip [aria-current] { outline: 2px solid var(--main); outline-offset: 2px; scroll-initial-target: nearest }
.strip img { position: relative; display: block; width: 4rem; height: 4rem; object-fit: cover; border-radius: 8px; background: var(--panel); font-size: 0 }
main:has(.stage) { padding-block: 1.25rem 1rem } .unseen { position: absolute; width: 1px; height: 1px; margin: 0; overflow: hidden; clip-path: inset(50%) }
@media (max-width: 40rem) { .head > .button { flex: 1; text-align: center; white-space: nowrap } .view, .stage .view { height: 58dvh; margin: 0 -1rem; border-radius: 0 } .strip { margin: .5rem -1rem 0 } .strip img { width: 3rem; height: 3rem } .steps a { left: 0 } .steps [rel=next] { right: 0 }
  .view:has(> video) { height: auto; aspect-ratio: 16 / 9 } .view:has(pre) { height: auto } main:has(.view > audio, .view > .none) { padding-top: 1.25rem } }
.quiet { color: var(--quiet); font-size: .875rem }
.note { max-width: 46rem; white-space: pre-line; overflow-wrap: anywhere }
.bad { color: var(--bad) }
.sum { display: flex; flex: 1 1 100%; flex-wrap: wrap; gap: .25rem 1rem } progress { width: 100%; height: .75rem; accent-color: var(--main) }
#sending { flex: 1 1 100%; margin: 0 } #sending .what > span { display: block } #sending li.quiet { min-height: 0; border: 0 }
#sending button { flex: none; padding: 0; border: 0; background: none; color: var(--quiet) } #sending button:hover { color: var(--bad) }
form { display: flex; flex-wrap: wrap; gap: .75rem; margin: 1.5rem 0; align-items: end; max-width: 46rem }
label { flex: 1 1 14rem; min-width: 0 } input { display: block; width: 100%; margin-top: .25rem }
input, button, .button { min-height: 2.75rem; padding: .5rem 1rem; font: inherit; border: 1px solid var(--line);
  border-radius: 8px; background: var(--panel); color: inherit }
input { border-color: var(--edge); background: none } input:focus-visible { outline-offset: -1px }
.button { display: inline-block; text-decoration: none; color: var(--link) }
label:has([type=file]) { flex: 1 1 100% } [type=file] { height: auto; padding: 3.5rem 1rem 3.5rem max(1rem, 50% - 7rem); border-style: dashed; border-width: 2px;
  border-radius: 14px; background: var(--panel); cursor: pointer } [type=file]:hover { border-color: var(--main) }
::file-selector-button { margin-right: .75rem; padding: .5rem 1rem; font: inherit; font-weight: 500; border: 1px solid var(--edge);
  border-radius: 8px; background: var(--page); color: inherit; cursor: pointer }
form[enctype] button { flex: 1 1 100% } main:has(form[enctype]):not(:has(.rows, .tiles, .view)) { max-width: 46rem; padding-top: clamp(1.25rem, 8vh, 6rem) }
@media (max-width: 30rem) { form button { flex: 1 1 100% } }
button { cursor: pointer } .main { border-color: transparent; background: var(--main); color: var(--on-main); font-weight: 500 }
`
