/**
 * Sets the chosen theme before the first paint. A blocking script, because modules run after the page was painted
 * in the system's theme.
 */
try {
  const theme = localStorage.getItem('holdfast:theme')
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset['theme'] = theme
} catch {
  // Private windows may refuse. The system's theme applies then.
}
