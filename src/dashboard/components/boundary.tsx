import { Component, type ReactNode } from 'react'

interface BoundaryProps {
  children: ReactNode
  /** Shown in place of children that fail to render. */
  fallback: ReactNode
}

/** Bounds a failure of rendering to its children, so that the page around them stays. */
export class Boundary extends Component<BoundaryProps, { hasFailed: boolean }> {
  override state = { hasFailed: false }

  static getDerivedStateFromError() {
    return { hasFailed: true }
  }

  override render() {
    return this.state.hasFailed ? this.props.fallback : this.props.children
  }
}
