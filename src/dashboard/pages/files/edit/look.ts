import { EditorView } from '@codemirror/view'

const border = '1px solid var(--line)'
const field = {
  border,
  borderRadius: '6px',
  background: 'var(--surface)',
  color: 'var(--ink)',
  font: 'inherit',
}

/** Colours and sizes of an editor, by those of the page around it. */
export const LOOK = EditorView.theme({
  '&': { height: '100%', color: 'var(--ink)', fontSize: 'var(--text-small)' },
  '&.cm-focused': { outline: '0' },
  '.cm-scroller': { fontFamily: 'var(--font-code)', lineHeight: '1.6', overscrollBehavior: 'contain' },
  '.cm-content': { padding: 'var(--space-3) 0', caretColor: 'var(--accent)' },
  '.cm-line': { padding: '0 var(--space-4)' },
  '.cm-gutters': { border: '0', background: 'transparent', color: 'var(--ink-soft)' },
  '.cm-lineNumbers .cm-gutterElement': { minWidth: '2.5rem' },
  '.cm-specialChar': { color: 'var(--danger)' },
  '.cm-panels': { background: 'var(--sunken)', color: 'var(--ink)' },
  '.cm-panels-top': { borderBottom: border },
  '.cm-panel.cm-search': {
    padding: 'var(--space-2) var(--space-6) var(--space-2) var(--space-4)',
    fontFamily: 'var(--font)',
  },
  '.cm-panel.cm-search [name=close]': {
    top: 'var(--space-2)',
    right: 'var(--space-2)',
    fontSize: '1.25rem',
    color: 'var(--ink)',
  },
  '.cm-panel.cm-search label': { margin: '0 var(--space-2)', fontSize: 'inherit' },
  '.cm-textfield': { ...field, fontSize: 'inherit', padding: '0.3rem 0.5rem' },
  '.cm-button': { ...field, fontSize: 'inherit', padding: '0.3rem 0.6rem', backgroundImage: 'none' },
  '.cm-searchMatch': { background: 'var(--warning-wash)', outline: '1px solid var(--warning)' },
  '.cm-searchMatch-selected': { background: 'var(--accent-wash)', outline: '2px solid var(--accent)' },
  '.cm-deletedChunk': { padding: '0 var(--space-4)' },
  '.cm-collapsedLines:before, .cm-collapsedLines:after': { content: '"⋯"' },
  '.cm-collapsedLines': { background: 'var(--sunken)', color: 'var(--ink-soft)' },
})
