/** How a sealed secret begins, in a flow document. */
export const SEALED_PREFIX = 'sealed:'
