/** Matches comments, strings, and variables of shells, in HTML. */
const PART =
  /(?<=^|\s)((?:#|\/\/) .*$)|(?<![\w&])((?:&quot;|")(?:(?!&quot;|").)*(?:&quot;|")|'[^'\n]*'|`[^`]*`)|(\$\w+)/gm

/** Colours code: marks what reads alike in all languages of the pages. */
export const colourCode = (html: string) =>
  html.replace(
    /(<pre><code class="language-\w+">)([\s\S]*?)(?=<\/code>)/g,
    (_, start: string, code: string) =>
      start.concat(
        code.replace(PART, (part, comment?: string, text?: string) => {
          const name = comment ? 'comment' : text ? 'text' : 'name'
          return `<span class="${name}">${part}</span>`
        }),
      ),
  )
