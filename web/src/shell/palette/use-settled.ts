import { useEffect, useState } from 'react'

/** Returns the value once it has stayed the same for a moment: a server is not asked at every key. */
export function useSettled<T>(value: T, ms = 150): T {
  const [settled, setSettled] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), ms)
    return () => clearTimeout(timer)
  }, [value, ms])
  return settled
}
