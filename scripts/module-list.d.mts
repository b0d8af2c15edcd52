export const MODULE_LIST: string
export function moduleList(ids: Iterable<string>): string
