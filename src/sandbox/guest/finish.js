// Evaluated last: gives the host the function that drives a run, and leaves no trace of the kit.
;(({ drive }) => {
  delete globalThis.__kit
  return drive
})(__kit)
