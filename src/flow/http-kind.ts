// What imports from curl and OpenAPI make steps of.
export const HTTP_STEP = { kind: 'http' } as const
