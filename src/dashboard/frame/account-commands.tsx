import { BookOpen, Braces, Keyboard, LogOut, type LucideIcon } from 'lucide-react'
import { useSignOut } from '../api/session.ts'
import { cancelJobs, isJobRunning } from '../bulk/job.ts'
import { lazyComponent } from '../components/lazy.tsx'
import type { MenuCommand } from '../lib/palette.ts'
import { API_DOCS, DOCS } from '../lib/paths.ts'
import { createStore, useMedia, useStore } from '../lib/store.ts'
import { browseTexts } from '../texts/browse.ts'
import { texts } from '../texts.ts'
import { queue } from '../uploads/collect.ts'

const Confirm = lazyComponent(() => import('../components/overlays/confirm.tsx'), { isQuiet: true })
const KeyboardHelp = lazyComponent(() => import('../pages/files/dialogs/keyboard-help.tsx'), {
  isQuiet: true,
})

/** Dialog of the account's menu that is open. */
const opened = createStore<'help' | 'sign-out' | undefined>(undefined)

/** Returns the commands of the account's menu: those that help, and the sign-out. */
export function useAccountCommands(): { help: MenuCommand[]; signOut: MenuCommand } {
  const { mutate: signOut } = useSignOut()
  const hasPointer = useMedia('(hover: hover)')
  const shortcuts = {
    ...{ label: browseTexts.help.title, icon: Keyboard },
    run: () => opened.set(() => 'help'),
  }
  return {
    help: [
      linkTo(texts.frame.docs, BookOpen, DOCS),
      linkTo(texts.frame.apiDocs, Braces, API_DOCS),
      ...(hasPointer ? [shortcuts] : []),
    ],
    signOut: {
      ...{ label: texts.signOut, icon: LogOut },
      run: () => (queue.now?.isUploading() || isJobRunning() ? opened.set(() => 'sign-out') : signOut()),
    },
  }
}

const linkTo = (label: string, icon: LucideIcon, href: string): MenuCommand => ({
  ...{ label, icon, href },
  run: () => void window.open(href, '_blank', 'noreferrer'),
})

/** Dialogs of the account's menu. */
export function AccountDialogs() {
  const is = useStore(opened)
  const close = () => opened.set(() => undefined)
  if (is === 'help') return <KeyboardHelp onClose={close} />
  return is && <SignOutQuestion onClose={close} />
}

/** Question before a sign-out that ends uploads or other work. */
function SignOutQuestion({ onClose }: { onClose: () => void }) {
  const { mutate: signOut } = useSignOut()
  const confirm = () => {
    queue.now?.cancelAll()
    cancelJobs()
    signOut()
  }
  return (
    <Confirm
      title={texts.uploads.signOutTitle}
      action={texts.uploads.signOut}
      onConfirm={confirm}
      onClose={onClose}
    >
      {texts.uploads.signOutText}
    </Confirm>
  )
}
