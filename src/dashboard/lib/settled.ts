import { useEffect, useState } from 'react'

/** Returns a value once it has stayed the same for `ms` milliseconds, so that not each letter asks the server. */
export function useSettled<Value>(value: Value, ms: number): Value {
  const [settled, settle] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => settle(value), ms)
    return () => clearTimeout(timer)
  }, [value, ms])
  return settled
}
