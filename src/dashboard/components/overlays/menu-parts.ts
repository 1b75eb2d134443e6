import type * as Radix from '@radix-ui/react-dropdown-menu'
import { createContext, useContext } from 'react'

/** Components and functions of an open menu, for its entries: their code loads with the menu's list. */
interface MenuParts {
  radix: typeof Radix
  /** Defers the action of an item until the menu has closed. */
  choose: (act: () => void) => void
}

export const Parts = createContext<MenuParts | undefined>(undefined)

export function useParts(): MenuParts {
  const parts = useContext(Parts)
  if (!parts) throw new Error('No menu')
  return parts
}
