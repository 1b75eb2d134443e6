import { texts } from '../texts.ts'

/** Title of the page in the browser's tab, with the progress of work under way before it. */
let title = document.title
/** Title of what is open above the page. */
let above: string | undefined
let progress: number | undefined
let isPaused = false

const show = () => {
  const shown = above ?? title
  if (progress === undefined) document.title = shown
  else {
    const percent = `${Math.floor(progress * 100)}%`
    document.title = `${isPaused ? texts.uploads.pausedAt(percent) : percent} · ${shown}`
  }
}

export function setTitle(changed: string): void {
  title = changed
  show()
}

/** Sets the title of what is open above the page; undefined ends it. */
export function setTitleAbove(changed: string | undefined): void {
  above = changed
  show()
}

/** Shows a share from 0 to 1 in the tab; undefined ends it. */
export function setTitleProgress(share: number | undefined, pause = { isPaused: false }): void {
  progress = share
  isPaused = pause.isPaused
  show()
}
