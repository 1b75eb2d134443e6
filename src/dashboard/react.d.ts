import 'react'

declare module 'react' {
  interface InputHTMLAttributes<T> {
    /** Picks a folder. Not in the standard, but in every browser. */
    webkitdirectory?: boolean
  }
  interface CSSProperties {
    /** Variables for the style sheet. */
    [variable: `--${string}`]: string | number
  }
}
