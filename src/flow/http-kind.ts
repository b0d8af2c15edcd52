// The kind of the steps that imports from curl and OpenAPI make.
export const HTTP_STEP = { kind: 'http' } as const
