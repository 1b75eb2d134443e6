/** Title of the page in the browser's tab, with the progress of work under way before it. */
let title = document.title
let progress: number | undefined

const show = () => {
  const percent = progress === undefined ? '' : `${Math.floor(progress * 100)}% · `
  document.title = `${percent}${title}`
}

export function setTitle(changed: string): void {
  title = changed
  show()
}

/** Shows a share from 0 to 1 in the tab; undefined ends it. */
export function setTitleProgress(share: number | undefined): void {
  progress = share
  show()
}
