/** The beginning of an id is its time, which ids of one day share. */
export const shortId = (id: string): string => `…${id.slice(-8)}`
