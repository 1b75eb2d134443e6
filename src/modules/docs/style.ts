/** Style sheet of the page, in light and dark, without other resources. */
export const STYLE = `
:root {
  color-scheme: light dark;
  --text: light-dark(#1c2422, #e7ebe7);
  --quiet: light-dark(#57615e, #9ca8a4);
  --line: light-dark(#e2dfd5, #2b3435);
  --page: light-dark(#fffefb, #14191a);
  --panel: light-dark(#f7f6f2, #1b2122);
  --link: light-dark(#0d5c54, #6cc9b4);
}
* { box-sizing: border-box }
html { scroll-padding-top: 1rem }
body { margin: 0; background: var(--page); color: var(--text); font: 1rem/1.55 system-ui, sans-serif;
  display: grid; grid-template-columns: 17rem minmax(0, 1fr) }
main { grid-area: 1 / 2 }
nav { grid-area: 1 / 1; position: sticky; top: 0; height: 100vh; overflow-y: auto; padding: 1.5rem 1rem; background: var(--panel);
  border-right: 1px solid var(--line); font-size: .875rem }
nav ul { list-style: none; margin: .25rem 0 1rem; padding: 0 }
nav li a { display: block; padding: .1rem 0; color: var(--text); text-decoration: none }
nav strong a { color: var(--quiet); text-decoration: none }
main { max-width: 54rem; padding: 1.5rem 2rem 6rem; overflow-wrap: anywhere }
h1 { margin: 0 0 .5rem } h2 { margin: 3rem 0 .5rem; padding-bottom: .3rem; border-bottom: 1px solid var(--line) }
h3 { margin: 2.5rem 0 .25rem; font-size: 1.05rem } h4 { margin: 1rem 0 .25rem; font-size: .875rem; color: var(--quiet) }
a { color: var(--link) } a:hover { text-decoration: underline } :focus-visible { outline: 2px solid var(--link) }
p { margin: .5rem 0 }
code, pre { font: .8125rem/1.5 ui-monospace, monospace }
pre { tab-size: 2; margin: .25rem 0; padding: .75rem; white-space: pre-wrap; background: var(--panel); border: 1px solid var(--line); border-radius: 6px }
pre i { color: var(--quiet); font-style: normal }
.call { display: flex; gap: .75rem; align-items: baseline } .call b { min-width: 4.5rem }
.call b, nav b { font: 600 .75rem/1.5 ui-monospace, monospace; color: var(--link) }
.quiet { color: var(--quiet); font-size: .875rem }
dl { margin: .25rem 0; display: grid; grid-template-columns: minmax(8rem, auto) minmax(0, 1fr); gap: .25rem 1rem; font-size: .9375rem }
dd { margin: 0 }
details { border-top: 1px solid var(--line); padding: .35rem 0; font-size: .9375rem } summary { cursor: pointer }
.all > p { border-top: 1px solid var(--line); margin: 0; padding: .35rem 0 .35rem 1rem; font-size: .9375rem }
details > *:not(summary) { margin-left: 1rem }
.to-contents:not(:focus-within) { position: absolute; clip-path: inset(50%) }
@media (max-width: 50rem) { body { display: block } nav { position: static; height: auto; border: 0 } main { padding: 1.5rem 1rem }
  nav li a, nav strong a { display: block; padding: .6rem 0 } .to-contents.to-contents { position: static; clip-path: none } }
`
