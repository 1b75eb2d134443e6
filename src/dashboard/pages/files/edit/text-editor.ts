import {
  defaultKeymap,
  history,
  historyKeymap,
  indentLess,
  indentMore,
  insertTab,
} from '@codemirror/commands'
import { indentUnit } from '@codemirror/language'
import { MergeView, unifiedMergeView } from '@codemirror/merge'
import { closeSearchPanel, search, searchKeymap } from '@codemirror/search'
import { Compartment, EditorState, type Extension, type Text } from '@codemirror/state'
import { EditorView, highlightSpecialChars, keymap, lineNumbers } from '@codemirror/view'
import { previewTexts } from '../../../texts/preview.ts'
import { LOOK } from './look.ts'
import type { OpenedText } from './stored-text.ts'

const words = previewTexts.edit

/**
 * Returns the shadow root of an element, emptied. In it, CodeMirror needs no style elements, which the page's policy
 * forbids.
 */
function rootIn(host: HTMLElement): ShadowRoot {
  const root = host.shadowRoot ?? host.attachShadow({ mode: 'open' })
  root.replaceChildren()
  return root
}

const common = (label: string): Extension => [
  LOOK,
  lineNumbers(),
  highlightSpecialChars(),
  EditorState.phrases.of(words.phrases),
  EditorView.contentAttributes.of({ 'aria-label': label, spellcheck: 'false' }),
]

interface EditorOptions {
  label: string
  opened: OpenedText
  onChange: () => void
}

/** Editor of a text. */
export class TextEditor {
  readonly #view: EditorView
  readonly #wrapping = new Compartment()
  readonly #lineEnds = new Compartment()
  /** Text without changes to save. */
  #stored: Text

  constructor(host: HTMLElement, { label, opened, onChange }: EditorOptions) {
    const root = rootIn(host)
    // A tab in a text that is indented by spaces may be an error, as in YAML.
    const hasTabs = /\t/.test(opened.text)
    const state = EditorState.create({
      doc: opened.text,
      extensions: [
        common(label),
        history(),
        search({ top: true }),
        this.#lineEnds.of(lineEndsOf(opened)),
        this.#wrapping.of([]),
        indentUnit.of(hasTabs ? '\t' : '  '),
        keymap.of([{ key: 'Tab', run: hasTabs ? insertTab : indentMore, shift: indentLess }]),
        keymap.of([...searchKeymap, ...historyKeymap, ...defaultKeymap]),
        EditorView.updateListener.of(({ docChanged }) => docChanged && onChange()),
      ],
    })
    this.#view = new EditorView({ state, root, parent: root })
    // The dialog around it claims Escape, so the editor does not see it as its own.
    this.#view.dom.addEventListener('keydown', ({ key }) => key === 'Escape' && leave(this.#view))
    this.#stored = state.doc
    this.#view.focus()
  }

  get text(): string {
    return this.#view.state.doc.toString()
  }

  get isChanged(): boolean {
    return !this.#view.state.doc.eq(this.#stored)
  }

  /** Compares the text with this one from now on. */
  markStored({ text }: OpenedText): void {
    this.#stored = this.#view.state.toText(text)
  }

  /** Shows another text. The one before can be brought back by Undo. */
  replace(opened: OpenedText): void {
    this.#view.dispatch({ effects: this.#lineEnds.reconfigure(lineEndsOf(opened)) })
    this.#stored = this.#view.state.toText(opened.text)
    this.#view.dispatch({ changes: { from: 0, to: this.#view.state.doc.length, insert: this.#stored } })
  }

  wrap(isWrapped: boolean): void {
    this.#view.dispatch({ effects: this.#wrapping.reconfigure(isWrapped ? EditorView.lineWrapping : []) })
  }

  focus(): void {
    this.#view.focus()
  }

  destroy(): void {
    this.#view.destroy()
  }
}

/** Milliseconds after Escape in which Tab leaves the text. */
const LEAVE_MS = 2000

function leave(view: EditorView): void {
  closeSearchPanel(view)
  view.setTabFocusMode(LEAVE_MS)
}

/** Splits lines at `\n` only if they end in several ways, so that the others stay in them. */
const lineEndsOf = ({ isMixed }: OpenedText): Extension => (isMixed ? EditorState.lineSeparator.of('\n') : [])

const NARROW = '(max-width: 48rem)'

/** Shows how two texts differ: side by side, or as one below the other in a narrow window. @returns Removes them. */
export function showDifference(host: HTMLElement, mine: string, theirs: string): () => void {
  const root = rootIn(host)
  const shown = (label: string): Extension => [
    common(label),
    EditorState.readOnly.of(true),
    EditorView.lineWrapping,
  ]
  const collapseUnchanged = {}
  if (matchMedia(NARROW).matches) {
    const extensions = [
      shown(words.difference),
      unifiedMergeView({ original: theirs, mergeControls: false, collapseUnchanged }),
    ]
    const view = new EditorView({ doc: mine, extensions, root, parent: root })
    return () => view.destroy()
  }
  const view = new MergeView({
    a: { doc: theirs, extensions: shown(words.theirs) },
    b: { doc: mine, extensions: shown(words.mine) },
    ...{ collapseUnchanged, root, parent: root },
  })
  view.dom.style.height = '100%'
  return () => view.destroy()
}
