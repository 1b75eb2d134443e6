/**
 * Leads through the pictures of a share by arrow keys and swipes, and shows the next one without loading the page again. It
 * is part of the page of a picture, whose links do the same without it.
 */

/** Distance in pixels from which a movement is a swipe. */
const SWIPE_PX = 60

const pages = new Map<string, Promise<Document>>()

const linkTo = (rel: string) => document.querySelector<HTMLAnchorElement>(`a[rel=${rel}]`)

/** Loads the page of another picture, and the picture. */
function load(url: string): Promise<Document> {
  const known = pages.get(url)
  if (known) return known
  const loading = fetch(url).then(async (response) => {
    if (!response.ok) throw new Error(response.statusText)
    const page = new DOMParser().parseFromString(await response.text(), 'text/html')
    const image = page.querySelector<HTMLImageElement>('.view img')
    if (image) new Image().src = image.src
    return page
  })
  loading.catch(() => pages.delete(url))
  pages.set(url, loading)
  return loading
}

/** Loads the neighbours, and moves the film strip to the picture. */
function settle(): void {
  for (const rel of ['next', 'prev']) {
    const link = linkTo(rel)
    if (link) load(link.href).catch(() => undefined)
  }
  const current = document.querySelector<HTMLElement>('.strip [aria-current]')
  const strip = current?.parentElement
  if (strip) strip.scrollLeft = current.offsetLeft - (strip.clientWidth - current.clientWidth) / 2
}

const said = document.createElement('p')
said.className = 'unseen'
said.setAttribute('role', 'status')
document.body.append(said)

let wanted = ''

/** Shows another picture in place of this one. The way back still leads to where the visitor came from. */
async function show(url: string): Promise<void> {
  wanted = url
  let page: Document | undefined
  try {
    page = await load(url)
  } catch {
    // The server's page says what is wrong.
  }
  if (wanted !== url) return
  const [before, main] = [document.querySelector('main'), page?.querySelector('main')]
  if (!page || !before || !main) return location.assign(url)
  const focused = document.activeElement?.getAttribute('rel')
  before.replaceWith(document.importNode(main, true))
  document.title = page.title
  said.textContent = page.title
  history.replaceState(null, '', url)
  if (focused) (linkTo(focused) ?? linkTo('up'))?.focus()
  settle()
}

function follow(rel: string): boolean {
  const link = linkTo(rel)
  if (link && rel !== 'up') void show(link.href)
  else link?.click()
  return link !== null
}

document.addEventListener('click', (event) => {
  const link =
    event.target instanceof Element
      ? event.target.closest<HTMLAnchorElement>('a[rel=next], a[rel=prev], .strip a')
      : null
  if (!link || event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return
  event.preventDefault()
  void show(link.href)
})

const KEYS: Record<string, string> = { ArrowLeft: 'prev', ArrowRight: 'next', Escape: 'up' }

document.addEventListener('keydown', (event) => {
  const rel = KEYS[event.key]
  const isOfPlayer = event.target instanceof HTMLMediaElement
  if (!rel || isOfPlayer || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return
  if (follow(rel)) event.preventDefault()
})

let start: Touch | undefined
const pictureOf = ({ target }: TouchEvent) =>
  target instanceof Element ? target.closest('.view')?.querySelector('img') : undefined

document.addEventListener('touchstart', (event) => {
  // A picture that is zoomed is moved by its browser.
  const isPlain = event.touches.length === 1 && (visualViewport?.scale ?? 1) === 1
  start = isPlain && pictureOf(event) ? event.touches[0] : undefined
})
document.addEventListener('touchmove', (event) => {
  const [image, touch] = [pictureOf(event), event.touches[0]]
  if (event.touches.length > 1) start = undefined
  if (!image || !start || !touch) return
  image.style.transform = `translateX(${touch.clientX - start.clientX}px)`
})
document.addEventListener('touchend', (event) => {
  const [image, touch] = [pictureOf(event), event.changedTouches[0]]
  const [x, y] = touch && start ? [touch.clientX - start.clientX, touch.clientY - start.clientY] : [0, 0]
  start = undefined
  const isSwipe = Math.abs(x) > SWIPE_PX && Math.abs(x) > Math.abs(y) && follow(x < 0 ? 'next' : 'prev')
  if (image && !isSwipe) image.style.transform = ''
})

settle()
