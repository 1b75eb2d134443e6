/** Builds the dashboard after an installation, unless it was one without the packages that it is made of. */

const isComplete = ['react', 'marked'].every((name) => {
  try {
    return Bun.resolveSync(name, import.meta.dir) !== ''
  } catch {
    return false
  }
})

if (isComplete) await import('./dashboard.ts')
else
  console.log(
    'The dashboard is not built, because development dependencies are missing. "bun install" installs them and builds it.',
  )

export {}
