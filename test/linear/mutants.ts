import type { SourceChange } from '../support/mutant.ts'

/** Mutations of the server. The checker must catch each. */
export const MUTANTS: readonly SourceChange[] = [
  {
    name: 'a rename writes the visibility that it read',
    file: 'src/store/moves.ts',
    text: 'const { name = row.name, ...others } = changes',
    replacement:
      'const { name = row.name, visibility = row.visibility } = changes; const others = { visibility }',
  },
  {
    name: 'short lists outlive a change',
    file: 'src/modules/files/pages.ts',
    text: 'if (version !== store.version()) {',
    replacement: 'if (Math.random() < 0.1) {',
  },
  {
    name: 'hosted files outlive a change',
    file: 'src/modules/hosting/response-cache.ts',
    text: 'if (file.version !== version && !this.#isCatalogued(file)) return false',
    replacement: '',
  },
  {
    name: 'files of a restored folder are public',
    file: 'src/store/trash-rows.ts',
    text: '.map(({ trashId: _, ...file }) => file)',
    replacement: ".map(({ trashId: _, ...file }) => ({ ...file, visibility: 'public' as const }))",
  },
]
