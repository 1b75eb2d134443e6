/** Rows of lists, which fade where they were. */
const ROW = '.collection-item, .log-entry, tr'
/** Layers above the page, which fade when they leave. */
const SELECTOR = '.dialog, .dialog-backdrop, .menu, .drawer, .palette, .details-panel, .toast, .uploads'
/** Content that would load or start again. */
const LIVE = 'iframe, video, audio'
const LEAVE_MS = 140

/**
 * Shows layers and rows for a moment after they were removed, while they fade or slide out. What is shown has no part in the page any
 * more: no focus, no clicks, no name for screen readers.
 */
export function showLeaving(): void {
  const isCalm = matchMedia('(prefers-reduced-motion: reduce)')
  new MutationObserver((records) => {
    if (isCalm.matches) return
    for (const { target, removedNodes, nextSibling } of records)
      for (const node of removedNodes)
        if (node instanceof HTMLElement && !node.inert) leave(node, target, nextSibling)
  }).observe(document.body, { childList: true, subtree: true })
}

function leave(node: HTMLElement, place: Node, next: Node | null): void {
  const isRow = node.matches(ROW)
  const inside = [node, ...node.querySelectorAll<HTMLElement>(SELECTOR)]
  const layers = isRow ? [node] : inside.filter((it) => it.matches(SELECTOR))
  const [first] = layers
  if (!first || !place.isConnected || node.isConnected || node.querySelector(LIVE)) return
  // Another one of its kind is in its place.
  if (place === document.body && document.querySelector(`.${first.classList[0]}`)) return
  if (isRow && !isInView(node, place)) return
  node.inert = true
  node.ariaHidden = 'true'
  for (const it of [node, ...node.querySelectorAll('[id], [role], [data-index]')])
    for (const name of ['id', 'role', 'data-index']) it.removeAttribute(name)
  place.insertBefore(node, next?.parentNode === place ? next : null)
  for (const layer of layers) {
    // As it came: sheets of phones from the lower edge.
    const translate = getComputedStyle(layer).animationName === 'slide-up' ? '0 100%' : '0 6px'
    const isStill = isRow || layer.matches('.dialog-backdrop')
    layer.animate(
      [
        { opacity: 1, translate: '0 0' },
        { opacity: 0, translate: isStill ? '0 0' : translate },
      ],
      { duration: LEAVE_MS, easing: 'ease-in', fill: 'forwards' },
    )
  }
  setTimeout(() => node.remove(), LEAVE_MS)
}

/** True unless a row left because its list scrolled on: a long list has only the rows around its view. */
function isInView(row: HTMLElement, { parentElement: list }: Node): boolean {
  if (!list || !row.style.transform) return true
  const top = new DOMMatrix(row.style.transform).f - list.scrollTop
  return top > -Number.parseFloat(row.style.height) && top < list.clientHeight
}
