/** Says why a request is refused. The message may go to the sender: it holds neither secrets nor signatures. */
export class Refusal extends Error {}
