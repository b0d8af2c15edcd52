export function findChromium(): string | null
export const HOW_TO: string
