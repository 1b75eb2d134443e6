/** Matches names (fields of JSON, and variables of shells), comments and strings, in HTML. */
const PART =
  /("[^"\n]*"(?=:)|\$\w+)|(?<=^|\s)((?:#|\/\/) .*$)|(?<![\w&])((?:&quot;|")(?:(?!&quot;|").)*(?:&quot;|")|'[^'\n]*'|`[^`]*`)/gm

/** Colours code: marks what reads alike in all languages of the pages. */
export const colourCode = (html: string) =>
  html.replace(
    /(<pre[^>]*><code class="language-\w+">)([\s\S]*?)(?=<\/code>)/g,
    (_, start: string, code: string) =>
      start.concat(
        code.replace(PART, (part, name?: string, comment?: string) => {
          const kind = name ? 'name' : comment ? 'comment' : 'text'
          return `<span class="${kind}">${part}</span>`
        }),
      ),
  )
