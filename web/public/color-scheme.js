// Before the first paint, and a file of its own: the Content-Security-Policy allows no inline script.
;(() => {
  let chosen = null
  try {
    chosen = localStorage.getItem('millrace-color-scheme')
  } catch {}
  const dark = chosen === 'dark' || (chosen !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches)
  document.documentElement.setAttribute('data-mantine-color-scheme', dark ? 'dark' : 'light')
})()
