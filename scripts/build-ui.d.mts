export function buildUi(node?: string): boolean
