import type { MarkedToken, Token } from 'marked'
import { Fragment, type ReactNode, useMemo } from 'react'
import { previewTexts } from '../../../../texts/preview.ts'
import type { FileItem } from '../../items.ts'
import { Code, useLines } from './code.tsx'
import { languageNamed } from './language.ts'
import { lexMarkdown, withoutTags } from './lex-markdown.ts'

interface MarkdownProps {
  text: string
  file: FileItem
}

/**
 * Markdown as elements. Its HTML becomes text. Links lead to web and mail addresses or to hosted files, and pictures
 * come from this server alone, so that opening a file reports to no other.
 */
export default function Markdown({ text, file }: MarkdownProps) {
  const tokens = useMemo(() => lexMarkdown(text), [text])
  return <article className="markdown">{render(tokens, file)}</article>
}

const render = (tokens: readonly Token[] | undefined, file: FileItem): ReactNode =>
  tokens?.map((token, n) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: tokens have no other name
    <Fragment key={n}>{renderToken(token, file)}</Fragment>
  ))

const HEADINGS = ['h1', 'h2', 'h3', 'h4', 'h5', 'h6'] as const

function renderToken(some: Token, file: FileItem): ReactNode {
  // Without extensions the lexer has no other tokens.
  const token = some as MarkedToken
  const inside = (tokens: readonly Token[] | undefined) => render(tokens, file)
  switch (token.type) {
    case 'heading': {
      const Heading = HEADINGS[token.depth - 1] ?? 'h6'
      return <Heading>{inside(token.tokens)}</Heading>
    }
    case 'paragraph':
      return <p>{inside(token.tokens)}</p>
    case 'blockquote':
      return <blockquote>{inside(token.tokens)}</blockquote>
    case 'list':
      return <List token={token} render={inside} />
    case 'checkbox':
      return (
        <input
          type="checkbox"
          disabled
          checked={token.checked}
          aria-label={previewTexts.task(token.checked)}
        />
      )
    case 'code':
      return <CodeBlock text={token.text} language={languageNamed(token.lang ?? '')} />
    case 'table':
      return <Table token={token} render={inside} />
    case 'hr':
      return <hr />
    case 'strong':
      return <strong>{inside(token.tokens)}</strong>
    case 'em':
      return <em>{inside(token.tokens)}</em>
    case 'del':
      return <del>{inside(token.tokens)}</del>
    case 'codespan':
      return <code>{token.text}</code>
    case 'br':
      return <br />
    case 'link':
      return (
        <Link href={token.href} file={file}>
          {inside(token.tokens)}
        </Link>
      )
    case 'image':
      return <MarkdownImage href={token.href} alt={readable(token.text)} file={file} />
    case 'html':
      return readable(withoutTags(token.text))
    case 'text':
      return token.tokens ? inside(token.tokens) : readable(token.text)
    case 'escape':
      return token.text
    default:
      return null
  }
}

function CodeBlock({ text, language }: { text: string; language: string | undefined }) {
  const lines = useLines(text, language)
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, and the keyboard must reach that
    <pre tabIndex={0}>
      <Code lines={lines} />
    </pre>
  )
}

type ListToken = Extract<MarkedToken, { type: 'list' }>

function List({ token, render }: { token: ListToken; render: (tokens: Token[]) => ReactNode }) {
  const items = token.items.map((item, n) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: items have no other name
    <li key={n} className={item.task ? 'is-task' : ''}>
      {render(item.tokens)}
    </li>
  ))
  return token.ordered ? <ol start={token.start || 1}>{items}</ol> : <ul>{items}</ul>
}

type TableToken = Extract<MarkedToken, { type: 'table' }>

const Table = ({ token, render }: { token: TableToken; render: (tokens: Token[]) => ReactNode }) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, and the keyboard must reach that
  <div className="scroll" tabIndex={0}>
    <table>
      <thead>
        <tr>
          {token.header.map(({ tokens, align }, n) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: columns have no other name
            <th key={n} style={{ textAlign: align ?? 'start' }}>
              {render(tokens)}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {token.rows.map((row, n) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: rows have no other name
          <tr key={n}>
            {row.map(({ tokens, align }, column) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: columns have no other name
              <td key={column} style={{ textAlign: align ?? 'start' }}>
                {render(tokens)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  </div>
)

interface TargetProps {
  href: string
  file: FileItem
}

/** Link to a web or mail address, or to a hosted file. Any other is plain text. */
function Link({ href, file, children }: TargetProps & { children: ReactNode }) {
  const url = addressOf(href, file)
  if (!url) return children
  return (
    <a href={url.href} target="_blank" rel="noreferrer">
      {children}
    </a>
  )
}

/** Picture of this server. Any other is a link, because loading it would report the reader. */
function MarkdownImage({ href, alt, file }: TargetProps & { alt: string }) {
  const url = addressOf(href, file)
  if (url?.origin === location.origin) return <img src={url.href} alt={alt} loading="lazy" />
  return (
    <Link href={href} file={file}>
      {alt || previewTexts.remotePicture}
    </Link>
  )
}

/** Path of hosted files, which a relative address must not leave. */
const HOSTING = '/api/hosting/'

/** Returns the address of a link in a file; undefined for one that nothing may lead to. */
export function addressOf(href: string, { url }: Pick<FileItem, 'url'>): URL | undefined {
  const base = new URL(`/${url}`, location.origin)
  const address = URL.parse(href, base)
  if (!address || href.startsWith('#')) return undefined
  if (address.origin === location.origin) return address.pathname.startsWith(HOSTING) ? address : undefined
  return ['http:', 'https:', 'mailto:'].includes(address.protocol) ? address : undefined
}

/** Replaces character references such as `&amp;`, which the lexer leaves. */
const readable = (text: string): string =>
  text.replace(/&(#\d{1,7}|#x[\da-f]{1,6}|[a-z][a-z\d]{1,31});/gi, (reference) => {
    const { body } = new DOMParser().parseFromString(reference, 'text/html')
    return body.textContent
  })
