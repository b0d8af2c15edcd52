export function buildUi(node?: string): boolean
export function buildService(node?: string): boolean
export function buildInventory(node?: string): boolean
