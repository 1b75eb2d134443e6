import { useLayoutEffect } from 'react'

/** Removes the frame in the page, which is seen until the app has something to show. */
export const useTakeover = (): void => useLayoutEffect(() => document.getElementById('frame')?.remove(), [])
