// The code of a one-time link stands after the #, so that it never reaches a server's log.
import { useEffect, useState } from 'react'

/** Of the address as it was opened; afterwards it is taken out of the address, and so out of the browser's history. */
export function useLinkCode(): [code: string, setCode: (code: string) => void] {
  const [code, setCode] = useState(() => codeIn(location.hash))
  useEffect(() => {
    const takeOut = () => {
      const found = codeIn(location.hash)
      if (!found) return
      setCode(found)
      history.replaceState(history.state, '', location.pathname + location.search)
    }
    takeOut()
    // A user may paste the link into a tab with this page: the browser then does not reload.
    window.addEventListener('hashchange', takeOut)
    return () => window.removeEventListener('hashchange', takeOut)
  }, [])
  return [code, setCode]
}

/** Takes the whole link as well as the code alone. */
export function codeIn(text: string): string {
  const match = /[#&?]code=([^&\s]+)/.exec(text)
  return match ? decodeURIComponent(match[1]!) : ''
}

export const pastedCode = (text: string): string => codeIn(text) || text.trim()
