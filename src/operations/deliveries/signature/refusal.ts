/** Why a request is refused, in words that may go to its sender: they hold neither secrets nor signatures. */
export class Refusal extends Error {}
