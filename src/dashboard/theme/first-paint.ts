/**
 * Sets the chosen theme, the width of the navigation, and what the frame shows before the first paint. A blocking script,
 * because modules run after the page was painted in the system's theme.
 */
try {
  const theme = localStorage.getItem('holdfast:theme')
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset['theme'] = theme
  const side = localStorage.getItem('holdfast:side')
  if (side) document.documentElement.style.setProperty('--side-width', `${Number(side)}px`)
} catch {
  // Private windows may refuse. The system's theme applies then.
}

// The frame that is seen first, where the address says more than the session: a form, or another page than a folder.
const { classList } = document.documentElement
if (/^\/(invite|device|sign-in-link)/.test(location.pathname)) classList.remove('is-signed-in')
else if (!/^\/(files\/?)?$/.test(location.pathname)) classList.add('is-elsewhere')
