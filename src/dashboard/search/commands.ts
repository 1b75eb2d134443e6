import { useMutation } from '@tanstack/react-query'
import { Languages, SunMoon } from 'lucide-react'
import { useState } from 'react'
import { fold, RANK, rankOf } from '../../platform/fold.ts'
import { LANGUAGE_TAGS, LANGUAGES } from '../../platform/languages.ts'
import { changeLanguage } from '../api/accounts.ts'
import { THEME_OPTIONS } from '../components/fields/select.tsx'
import { useAccountCommands } from '../frame/account-commands.tsx'
import { type Command, type MenuCommand, pageCommands } from '../lib/palette.ts'
import { navigate } from '../lib/router.tsx'
import { usePages } from '../pages.ts'
import { accountTexts } from '../texts/account.ts'
import { searchTexts } from '../texts/search.ts'
import { texts } from '../texts.ts'
import { themePreference } from '../theme/theme.ts'

/** Sign before a text that only commands are to match. */
const ONLY_COMMANDS = '>'

export const isForCommands = (text: string): boolean => text.trimStart().startsWith(ONLY_COMMANDS)

/** Returns the commands that match a text: those of the open page, then those of all pages. */
export function useCommands(text: string): Command[] {
  const [ofPage] = useState(() => pageCommands.get()())
  const { help, signOut } = useAccountCommands()
  const { mutate: speak } = useMutation({ mutationFn: changeLanguage })
  const groups: { about: string; commands: readonly MenuCommand[] }[] = [
    ...ofPage.map(({ about, groups }) => ({ about, commands: groups.flat() })),
    {
      about: searchTexts.goTo,
      commands: usePages().map(({ title, icon, path }) => ({
        ...{ label: title, icon },
        run: () => navigate({ to: path }),
      })),
    },
    {
      about: texts.frame.theme,
      commands: THEME_OPTIONS.map(({ value, label }) => ({
        ...{ label, icon: SunMoon },
        run: () => themePreference.choose(value),
      })),
    },
    {
      about: accountTexts.language,
      commands: LANGUAGE_TAGS.map((tag) => ({
        ...{ label: LANGUAGES[tag], icon: Languages },
        run: () => speak(tag),
      })),
    },
    { about: '', commands: [...help, signOut] },
  ]
  const wanted = text.trim()
  if (wanted === '') return []
  const words = fold(isForCommands(wanted) ? wanted.slice(1) : wanted).split(/\s+/)
  // The names of files and folders do not find commands: a person typing one looks for it.
  const isNamed = (at: number) => at >= ofPage.length
  return groups.flatMap(({ about, commands }, at) =>
    commands
      .filter(({ problem, label }) => !problem && isMeant(isNamed(at) ? `${about} ${label}` : label, words))
      .map((command) => ({ ...command, about, id: `${at} ${command.label}` })),
  )
}

/** Returns true when each word begins one of a name's. */
function isMeant(name: string, words: readonly string[]): boolean {
  const folded = fold(name)
  return words.every((word) => (rankOf(folded, word) ?? RANK.inside) < RANK.inside)
}
